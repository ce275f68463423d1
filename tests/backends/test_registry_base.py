"""The larger model: a package of its own, found by its name."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from epoche.backends.model_files import installed_models

here = importlib.util.find_spec("epoche_nli_base") is not None


def test_base_without_its_package_says_how_to_get_it() -> None:
    # A process that sees no entry points stands for an environment without the package.
    script = (
        "from importlib import metadata\n"
        "metadata.entry_points = lambda **_: ()\n"
        "from epoche.backends.model_files import find_model\n"
        "from epoche.errors import UnknownBackend\n"
        "try:\n    find_model('base')\nexcept UnknownBackend as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "pip install epoche-nli-base (or the extra, epoche[base])" in run.stdout


@pytest.mark.skipif(not here, reason="epoche-nli-base is not installed: pip install ./models/epoche-nli-base")
def test_base_is_found_by_its_name_where_it_is_installed() -> None:
    (info,) = [m for m in installed_models() if m.name == "base"]
    assert info.license == "cc-by-sa-4.0"
    assert info.max_tokens == 512, "514 positions, the first two of which are taken"
    assert set(info.label_order) == {"entailment", "neutral", "contradiction"}
    assert info.size_bytes < 100_000_000
