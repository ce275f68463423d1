"""What is remembered, by whom, and what is never in it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from epoche.backends.base import Prompt, Reply
from epoche.backends.cached import CachedModel
from epoche.backends.fake import ScriptedModel
from epoche.backends.metered import Budget, MeteredModel, Price, Usage
from epoche.backends.store import Store
from epoche.errors import BackendError, BudgetSpent, InputError

PROMPT = Prompt(system="s", turns=(("user", "one"),), schema={"type": "object"})


def test_a_prompt_is_asked_once(tmp_path: Path) -> None:
    model = ScriptedModel([Reply(text="a", prompt_tokens=3, reply_tokens=2), "b"])
    kept = CachedModel(model, Store(tmp_path / "c.sqlite"))
    first, again = kept.reply(PROMPT), kept.reply(PROMPT)
    assert (first.text, first.cached) == ("a", False)
    assert again == replace(first, cached=True)
    other = CachedModel(ScriptedModel(["c"]), Store(tmp_path / "c.sqlite"))
    assert other.reply(PROMPT).text == "a", "another process finds it"


@pytest.mark.parametrize(
    "prompt",
    [
        replace(PROMPT, system="t"),
        replace(PROMPT, turns=(("user", "two"),)),
        replace(PROMPT, turns=(("assistant", "one"),)),
        replace(PROMPT, schema=None),
        replace(PROMPT, max_tokens=7),
        replace(PROMPT, answers=("A",)),
        replace(PROMPT, samples=3),
    ],
)
def test_case_2_whatever_a_reply_depends_on_is_in_the_key(tmp_path: Path, prompt: Prompt) -> None:
    kept = CachedModel(ScriptedModel(["a", "b"]), Store(tmp_path / "c.sqlite"))
    assert [kept.reply(PROMPT).text, kept.reply(prompt).text] == ["a", "b"]


def test_case_2_a_reply_belongs_to_one_model_at_one_place(tmp_path: Path) -> None:
    store = Store(tmp_path / "c.sqlite")
    for model, place in (("m", "x"), ("n", "x"), ("m", "y")):
        kept = CachedModel(ScriptedModel([model + place], name=model), store, place)
        assert kept.reply(PROMPT).text == model + place


def test_an_error_is_not_remembered(tmp_path: Path) -> None:
    kept = CachedModel(ScriptedModel([BackendError("down"), "up"]), Store(tmp_path / "c.sqlite"))
    with pytest.raises(BackendError):
        kept.reply(PROMPT)
    assert kept.reply(PROMPT).text == "up"


def test_several_threads(tmp_path: Path) -> None:
    model = ScriptedModel(lambda prompt: prompt.turns[0][1], parallel=8)
    kept = CachedModel(model, Store(tmp_path / "c.sqlite"))
    prompts = [replace(PROMPT, turns=(("user", f"{i % 20}"),)) for i in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert [r.text for r in pool.map(kept.reply, prompts)] == [f"{i % 20}" for i in range(200)]


def test_contents_and_clear(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "c.sqlite")
    CachedModel(ScriptedModel(["a"], name="m"), store).reply(PROMPT)
    store.remember_pairs({b"k": b"v"})
    held = store.contents()
    assert (held.pairs, dict(held.replies)) == (1, {"m": 1})
    store.clear()
    assert (store.contents().pairs, dict(store.contents().replies)) == (0, {})


def test_a_damaged_cache_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match=r"cache .* remove it"):
        Store(path)


# ── what it costs ────────────────────────────────────────────────────────────────────────────


def test_tokens_and_money_are_counted(tmp_path: Path) -> None:
    model = ScriptedModel([Reply(text="a", prompt_tokens=1000, reply_tokens=100), Reply(text="xyz" * 10)])
    metered = MeteredModel(CachedModel(model, Store(tmp_path / "c.sqlite")), Price(prompt=2.0, reply=10.0))
    metered.reply(PROMPT)
    # 1,000 · 2 / 10^6 + 100 · 10 / 10^6 = 0.003
    assert metered.usage.cost == pytest.approx(0.003)
    metered.reply(PROMPT)
    assert (metered.usage.calls, metered.usage.cached, metered.usage.cost) == (1, 1, pytest.approx(0.003))
    metered.reply(replace(PROMPT, system="another"))
    assert metered.usage.estimated == 1
    assert metered.usage.reply_tokens == 100 + 10, "30 characters are about 10 tokens"
    assert metered.budget.spent == pytest.approx(metered.usage.cost)


def test_a_budget_stops_before_it_is_overdrawn() -> None:
    model = ScriptedModel([Reply(text="a", prompt_tokens=10, reply_tokens=100)])
    # A prompt may cost 512 · 10 / 10^6 = 0.00512 at most and costs 0.001: five fit into 0.01.
    metered = MeteredModel(model, Price(reply=10.0), Budget(0.01))
    for _ in range(5):
        metered.reply(PROMPT)
    with pytest.raises(BudgetSpent, match="raise --budget"):
        metered.reply(PROMPT)
    assert len(model.asked) == 5
    assert metered.budget.spent <= 0.01


def test_a_budget_is_kept_by_many_threads_together() -> None:
    model = ScriptedModel(lambda prompt: Reply(text="a", prompt_tokens=0, reply_tokens=512), parallel=16)
    metered = MeteredModel(model, Price(reply=1.0), Budget(0.01))

    def asked(number: int) -> bool:
        try:
            metered.reply(PROMPT)
        except BudgetSpent:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        done = sum(pool.map(asked, range(200)))
    assert done == 19, "19 · 512 / 10^6 = 0.0097"
    assert metered.budget.spent <= 0.01


def test_a_failed_call_costs_nothing_and_is_counted() -> None:
    metered = MeteredModel(ScriptedModel([BackendError("down")]), Price(1.0, 1.0), Budget(1.0))
    with pytest.raises(BackendError):
        metered.reply(PROMPT)
    assert metered.usage == Usage(failed=1)
    assert metered.budget.spent == 0.0
