from __future__ import annotations

import json
from pathlib import Path

import pytest

from epoche.config import OPENAI, api_key, cache_file, load_config, load_policy, with_tau
from epoche.errors import OptionError, PolicyError
from epoche.policy import Policy, Promise, Target, promising

PROMISE = Promise(
    method="ltt",
    target=Target.RISK,
    alpha=0.1,
    delta=0.05,
    n=200,
    answered=100,
    errors=3,
    interval=(0.006, 0.085),
    nli_sha256="a" * 64,
    decomposer="rules 1",
    splitter="s 1",
    data_sha256="b" * 64,
    policy_sha256="c" * 64,
)


def test_what_is_given_beats_the_environment_which_beats_the_default() -> None:
    environ = {"EPOCHE_NLI": "folder", "EPOCHE_THREADS": "2"}
    assert load_config(environ).nli == "folder"
    assert load_config(environ).threads == 2
    assert load_config(environ, nli="mini", threads=None).nli == "mini"
    assert load_config({}).nli == "mini"


@pytest.mark.parametrize(
    ("environ", "given", "named"),
    [
        ({"EPOCHE_THREADS": "two"}, {}, "EPOCHE_THREADS"),
        ({}, {"threads": 0}, "threads"),
        ({}, {"max_sentences": 0}, "max_sentences"),
        ({}, {"max_sentences": True}, "max_sentences"),
        ({}, {"nli": ""}, "nli"),
        ({}, {"speed": 3}, "speed"),
    ],
)
def test_a_wrong_setting_is_named(environ: dict[str, str], given: dict[str, object], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        load_config(environ, **given)


def test_the_digest_leaves_out_what_only_changes_speed() -> None:
    assert load_config({}).digest == load_config({}, threads=2, batch_size=1).digest
    assert load_config({}).digest != load_config({}, premise_tokens=100).digest


def test_paper_is_the_papers() -> None:
    paper = load_policy()
    assert (paper.support_threshold, paper.contradiction_threshold) == (0.55, 0.55)
    assert (paper.tau, paper.confidence, paper.on_conflict, paper.yes_needs) == (
        0.0,
        "max_margin",
        "refute",
        "any",
    )
    assert paper.promises == ()


@pytest.mark.parametrize("tau", [-0.01, 1.01, float("nan"), float("inf")])
def test_tau_outside_its_range_is_refused(tau: float) -> None:
    with pytest.raises(OptionError, match="from 0"):
        with_tau(Policy(), tau)


def test_a_threshold_of_ones_own_voids_the_promise() -> None:
    assert with_tau(promising(Policy(tau=0.3), [PROMISE]), 0.4).promises == ()


def test_policy_files(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(promising(Policy(tau=0.25, windows=(1, 2)), [PROMISE]).model_dump_json(), encoding="utf-8")
    assert load_policy(str(path)).tau == 0.25
    path.write_text(json.dumps({"tau": None}), encoding="utf-8")
    assert load_policy(str(path)).tau is None


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "broken JSON"),
        ('{"tau": 2}', "tau"),
        ('{"tau": NaN}', "NaN is not a number"),
        ('{"suport_threshold": 0.6}', "suport_threshold"),
        ('{"support_threshold": 0.4}', "support_threshold"),
        ('{"windows": []}', "windows"),
        ('{"windows": [2]}', "windows"),
        ('{"windows": [1, 1]}', "windows"),
        ('{"costs": {"abstain": -1}}', "costs.abstain"),
    ],
)
def test_a_broken_policy_file_names_the_field(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "policy.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(PolicyError, match=named):
        load_policy(str(path))


def test_a_policy_that_is_not_there_says_which_are(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="give one of default, calibrated, paper"):
        load_policy("papr")
    with pytest.raises(PolicyError, match="cannot be read"):
        load_policy(str(tmp_path))


# ── language models ──────────────────────────────────────────────────────────────────────────


def test_case_20_a_key_goes_only_where_it_belongs(tmp_path: Path) -> None:
    elsewhere = "http://127.0.0.1:8080/v1"
    assert api_key(OPENAI, {"OPENAI_API_KEY": "sk-a"}) == "sk-a"
    assert api_key(elsewhere, {"OPENAI_API_KEY": "sk-a"}) == ""
    assert api_key(elsewhere, {"OPENAI_API_KEY": "sk-a", "OPENAI_BASE_URL": elsewhere + "/"}) == "sk-a"
    assert api_key(elsewhere, {"OPENAI_API_KEY": "sk-a", "EPOCHE_API_KEY": "sk-b"}) == "sk-b"
    assert api_key(OPENAI, {"OPENAI_API_KEY": "sk-a", "OTHER": "sk-c"}, name="OTHER") == "sk-c"
    assert api_key(OPENAI, {"OPENAI_API_KEY": "sk-a"}, name="OTHER") == ""
    path = tmp_path / "key"
    path.write_text("sk-d\n", encoding="utf-8")
    assert api_key(elsewhere, {"EPOCHE_API_KEY_FILE": str(path)}) == "sk-d"


@pytest.mark.parametrize("key", ["sk-a b", "sk-a\nsk-b", "schlüssel"])
def test_case_20_a_key_that_is_none_is_refused_without_being_repeated(key: str) -> None:
    with pytest.raises(OptionError, match="EPOCHE_API_KEY holds characters") as caught:
        api_key(OPENAI, {"EPOCHE_API_KEY": key})
    assert key not in str(caught.value)
    with pytest.raises(OptionError, match="EPOCHE_API_KEY_FILE cannot be read"):
        api_key(OPENAI, {"EPOCHE_API_KEY_FILE": "/nowhere/key"})


def test_where_language_models_are_asked() -> None:
    assert load_config({}).base_url == OPENAI
    assert load_config({"OPENAI_BASE_URL": "http://a/v1"}).base_url == "http://a/v1"
    assert (
        load_config({"OPENAI_BASE_URL": "http://a/v1", "EPOCHE_BASE_URL": "http://b/v1"}).base_url == "http://b/v1"
    )
    for bad in ("ftp://a", "a", "http://", "http:// a"):
        with pytest.raises(OptionError, match="base_url"):
            load_config({}, base_url=bad)
    assert load_config({}).digest == load_config({}, base_url="http://a/v1", reply_seconds=5.0, cache=False).digest


def test_where_replies_are_kept() -> None:
    assert cache_file({"EPOCHE_CACHE": "/x"}) == Path("/x/cache.sqlite")
    assert cache_file({"XDG_CACHE_HOME": "/y"}) == Path("/y/epoche/cache.sqlite")
