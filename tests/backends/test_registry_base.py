"""The larger model: a package of its own, found by its name."""

from __future__ import annotations

from importlib import metadata

import pytest

from epoche.backends import model_files
from epoche.backends.model_files import find_model, installed_models
from epoche.errors import UnknownBackend


def test_base_without_its_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "registered", dict)
    with pytest.raises(UnknownBackend, match=r"pip install epoche-nli-base \(or the extra, epoche\[base\]\)"):
        find_model("base")


def test_base_is_found_by_its_name_where_it_is_installed() -> None:
    try:
        metadata.version("epoche-nli-base")
    except metadata.PackageNotFoundError:
        pytest.skip("epoche-nli-base is not installed here: pip install ./models/epoche-nli-base")
    (info,) = [m for m in installed_models() if m.name == "base"]
    assert info.license == "cc-by-sa-4.0"
    assert info.max_tokens == 512, "514 positions, the first two of which are taken"
    assert set(info.label_order) == {"entailment", "neutral", "contradiction"}
    assert info.size_bytes < 100_000_000
