"""Imports run one way, and the base package needs nothing heavy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "epoche"

#: Layers from the bottom; a module imports from lower layers or its own package only.
LAYERS = (
    ("types", "errors", "strict_json"),
    ("policy",),
    ("certificate",),
    ("outcome",),
    ("config",),
    ("backends.base",),
    ("steps", "backends", "sources"),
    ("judge",),
    ("verify",),
    ("assemble",),
    ("batch",),
    ("bench",),
    ("calibrate",),
    ("report",),
    ("cli", "server"),
)
#: These know numbers only.
NUMBERS_ONLY = ("metrics", "guarantee")
HEAVY = {"torch", "transformers", "onnxruntime", "numpy", "pydantic", "huggingface_hub", "tokenizers", "jinja2"}


def modules() -> dict[str, Path]:
    names = {}
    for path in SOURCE.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        names[name.removesuffix(".__init__")] = path
    return names


def imports(path: Path) -> set[str]:
    """Modules of epoche that a file imports, without the leading `epoche.`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "epoche":
            inside = node.module.removeprefix("epoche").lstrip(".")
            found.update([inside] if inside else [alias.name for alias in node.names])
        elif isinstance(node, ast.Import):
            found.update(a.name.removeprefix("epoche.") for a in node.names if a.name.startswith("epoche."))
    return found - {"__version__"}


def layer(module: str) -> int:
    for i, names in enumerate(LAYERS):
        if module in names:
            return i
    for i, names in enumerate(LAYERS):
        if module.split(".")[0] in names:
            return i
    raise AssertionError(f"{module} belongs to no layer: give it a place in LAYERS")


LAYERED = [m for m in modules() if m not in ("__init__", "__main__", "") and m.split(".")[0] not in NUMBERS_ONLY]


@pytest.mark.parametrize("module", sorted(LAYERED))
def test_imports_run_one_way(module: str) -> None:
    for used in imports(modules()[module]):
        if used.split(".")[0] in NUMBERS_ONLY:
            assert layer(module) > layer("verify")
            continue
        same_package = used.split(".")[0] == module.split(".")[0]
        assert layer(used) < layer(module) or same_package, f"{module} imports {used}"


def test_steps_know_no_backend_and_backends_know_no_step() -> None:
    for module, path in modules().items():
        if module.startswith("steps"):
            assert not {m for m in imports(path) if m.startswith("backends") and m != "backends.base"}
        if module.startswith("backends"):
            assert not {m for m in imports(path) if m.startswith("steps")}


def test_only_assemble_and_the_command_name_a_concrete_backend() -> None:
    for module, path in modules().items():
        concrete = {m for m in imports(path) if m.startswith("backends.") and m != "backends.base"}
        if concrete and not module.startswith("backends"):
            assert module in {"assemble", "cli.nli"}, f"{module} imports {concrete}"


def test_metrics_and_guarantee_know_only_numbers() -> None:
    for module, path in modules().items():
        if module.split(".")[0] in NUMBERS_ONLY:
            assert all(m.split(".")[0] in NUMBERS_ONLY for m in imports(path))


def test_only_config_reads_settings_from_the_environment() -> None:
    for module, path in modules().items():
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"[\"']EPOCHE_\w+[\"']|environ\b(?!ment)", text)
        # NO_COLOR is a convention of terminals, and theirs to read.
        names = [n for n in names if not (module == "cli.judging" and "NO_COLOR" in text)]
        assert module == "config" or not names, f"{module}: {names}"


def test_files_stay_small() -> None:
    for module, path in modules().items():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 400, f"{module} has {lines} lines"


def test_case_38_help_and_the_bare_import_load_nothing_heavy() -> None:
    probe = (
        "import sys, epoche, epoche.cli\n"
        "from click.testing import CliRunner\n"
        "result = CliRunner().invoke(epoche.cli.main, ['verify', '--help'])\n"
        "assert result.exit_code == 0, result.output\n"
        "print(sorted(m for m in sys.modules if '.' not in m))"
    )
    run = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    loaded = set(ast.literal_eval(run.stdout))
    assert not loaded & HEAVY


def test_every_public_name_exists() -> None:
    import epoche

    for name in epoche.__all__:
        assert getattr(epoche, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'verifier'"):
        _ = epoche.verifier
