"""The NLI model `base` of epoche, as files."""

from pathlib import Path


def folder() -> Path:
    """The folder with `model.onnx`, `tokenizer.json`, `config.json` and the card."""
    return Path(__file__).parent / "weights"
