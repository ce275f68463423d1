"""The list of installed NLI models, for people."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.types import NliInfo


def render_models(models: Sequence[NliInfo], default: str) -> str:
    """One block per model; the default is marked with `*`."""
    if not models:
        return "No NLI model is installed: reinstall epoche, or give one with --nli.\n"
    blocks = []
    for model in models:
        mark = "*" if model.name == default else " "
        lines = [
            f"{mark} {model.name}",
            f"    sha256       {model.sha256}",
            f"    label order  {', '.join(model.label_order)}",
            f"    reads        {model.max_tokens} tokens",
            f"    size         {model.size_bytes / 1e6:.1f} MB",
            f"    licence      {model.license or 'not stated'}",
            f"    domain       {model.domain or 'not stated'}",
        ]
        if model.self_test:
            lines.append(f"    self-test    {model.self_test}")
        blocks.append("\n".join(lines))
    return "\n".join(blocks) + "\n\n* is the default. Any folder or hub id with an ONNX export works with --nli.\n"
