"""What the README shows is what the program prints."""

from __future__ import annotations

import re
import shlex

from click.testing import CliRunner

from epoche.cli import main
from tests.conftest import ROOT


def test_the_shown_audit_is_the_printed_one(monkeypatch) -> None:
    block = re.search(
        r"<!-- demo: .*? -->\n```\n\$ (.*?)\n\n(.*?)\n```", (ROOT / "README.md").read_text("utf-8"), re.S
    )
    assert block, "the README has no demo block"
    command, shown = block.groups()
    monkeypatch.chdir(ROOT / "examples")
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    # Scores may differ in the last digit from one processor to another.
    digits = re.compile(r"(\d\.\d\d)\d")
    assert digits.sub(r"\1", result.stdout).strip().startswith(digits.sub(r"\1", shown))


def test_every_relative_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
