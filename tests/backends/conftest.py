"""Models for the backend tests, each made once, and a hub on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from epoche.backends.onnx_nli import OnnxNli
from tests.backends.hub_server import Hub
from tests.backends.tiny_models import bag_model, tiny_bert, tiny_deberta

NO_TORCH = 'needs torch and transformers: pip install "epoche[train]"'


@pytest.fixture(scope="session")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a word-vector model; needs `onnx`, not torch."""
    pytest.importorskip("onnx", reason='needs onnx to write a model: pip install "epoche[test]"')
    return bag_model(tmp_path_factory.mktemp("models") / "bag")


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason=NO_TORCH)
    pytest.importorskip("transformers", reason=NO_TORCH)
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture(scope="session")
def deberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason=NO_TORCH)
    pytest.importorskip("transformers", reason=NO_TORCH)
    return tiny_deberta(tmp_path_factory.mktemp("models") / "deberta")


@pytest.fixture(scope="session")
def mini() -> OnnxNli:
    """The embedded model; skips where the checkout has no weights."""
    if not Path(str(resources.files("epoche") / "weights" / "mini" / "model.onnx")).is_file():
        pytest.skip("no embedded model in src/epoche/weights/mini: make it with `python -m training.nli`")
    return OnnxNli.load("mini")


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub without repositories."""
    hub = Hub()
    server = hub.start()
    yield hub
    server.shutdown()
    server.server_close()
