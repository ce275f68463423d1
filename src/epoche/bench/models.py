"""Many language models on one data set: `models.toml` → a run for each that can be reached, else why not."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from epoche.assemble import Budget, Meter, Price, make_decomposer, open_store, require_decomposer
from epoche.bench.compare import CACHE, Plan, folder_name, run_and_score
from epoche.bench.datasets import Dataset
from epoche.bench.record import read_json, write_json
from epoche.bench.run import RunProgress
from epoche.config import Config, first_problem
from epoche.errors import BackendError, BudgetSpent, InputError, MissingExtra, OptionError
from epoche.policy import Policy
from epoche.types import Value

#: What a row of the table says of a model that was not run.
Said = Callable[[str, str], None]


class Listed(Value):
    """One model of a list."""

    #: Name of its row.
    name: str = Field(min_length=1)
    #: As `--decomposer` takes it.
    decomposer: str = Field(min_length=1)
    #: Whether the paper's public code has it for every data set.
    paper: bool = False
    #: Server of an `openai:` model; default: the command's --base-url.
    base_url: str | None = None
    #: Variable that holds its key, in place of the usual ones.
    key_env: str | None = None
    #: Money for a million tokens of prompt and of reply.
    prompt_price: float = Field(default=0.0, ge=0)
    reply_price: float = Field(default=0.0, ge=0)


def read_models(path: Path) -> tuple[Listed, ...]:
    """The models of a list: tables `[[model]]` of a TOML file.

    Raises:
        InputError: a file that cannot be read, or is no such list; it names the model and the field.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    entries = content.get("model")
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path} lists no model: give tables [[model]] with a name and a decomposer")
    if unknown := sorted(set(content) - {"model"}):
        raise InputError(f"{path}: {unknown[0]!r} is no part of a list of models")
    models = []
    for number, entry in enumerate(entries, start=1):
        try:
            models.append(Listed.model_validate(entry))
        except ValidationError as error:
            raise InputError(f"{path}, model {number}: {first_problem(error)}") from None
        require_decomposer(models[-1].decomposer)
    names = [model.name for model in models]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{path}: two models are called {doubled[0]!r}")
    return tuple(models)


def run_models(
    dataset: Dataset,
    models: tuple[Listed, ...],
    out: Path,
    nli: str,
    policy: Policy,
    config: Config,
    budget: float | None = None,
    limit: int | None = None,
    progress: RunProgress | None = None,
    said: Said = lambda name, why: None,
) -> list[dict[str, Any]]:
    """A run per model in a folder of its own, resumed if it is there; `models.json` has a row for each.

    A model that cannot be reached (no key, no server, no extra, no memory) gets a row that says so, and no figure.
    A budget that is spent ends that model's run; what is done is kept, and those that cost nothing go on.

    Raises:
        InputError: the folder cannot be written.
    """
    money = Budget(budget)
    rows: list[dict[str, Any]] = []
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}; give another --out") from None
    store = open_store(out / CACHE)
    for model in models:
        row: dict[str, Any] = {"name": model.name, "decomposer": model.decomposer, "paper": model.paper}
        folder = out / folder_name(model.name)
        try:
            own = config if model.base_url is None else _at(config, model.base_url)
            meter = Meter(price=Price(model.prompt_price, model.reply_price), budget=money, key_name=model.key_env)
            plan = Plan(folder, model.decomposer, nli, out / CACHE)
            asked = make_decomposer(model.decomposer, own, meter.keeping(store, own.base_url))
            # One statement first: a model that cannot answer it is not asked about all the others.
            asked.decompose(dataset.items[0].statement)
            run_and_score(dataset, plan, policy, own, limit=limit, progress=progress, meter=meter, decomposer=asked)
            summary = read_json(folder / "summary.json")
            if summary["decomposition"]["failures"] == summary["n"]:
                row["not_run"] = "every statement failed: " + _first_failure(folder)
            else:
                row["summary"] = summary
        except (BackendError, BudgetSpent, MissingExtra, OptionError) as error:
            row["not_run"] = str(error)
        if (folder / "usage.json").exists():
            row["usage"] = read_json(folder / "usage.json")
        said(model.name, row.get("not_run", "done"))
        rows.append(row)
        write_json(out / "models.json", {"budget": budget, "spent": round(money.spent, 6), "rows": rows})
    store.close()
    return rows


def _at(config: Config, base_url: str) -> Config:
    try:
        return Config.model_validate(config.model_dump() | {"base_url": base_url})
    except ValidationError as error:
        raise OptionError(f"base_url: {first_problem(error)}") from None


def _first_failure(folder: Path) -> str:
    with (folder / "items.jsonl").open(encoding="utf-8") as lines:
        return next((str(json.loads(line)["failure"]) for line in lines if json.loads(line)["failure"]), "")
