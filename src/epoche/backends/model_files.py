"""Finding, hashing and describing the files of an NLI model, without running it.

A model is named by a registered name (`mini`, or what an installed package registers), by a local
folder, or by an id of the Hugging Face hub, `org/name`. A registered name wins over a folder of the
same name (write `./mini` for the folder), and a folder that exists wins over the hub (write
`hub:org/name` for the hub). `NAME#onnx/other.onnx`, or `NAME:onnx/other.onnx`, chooses one of
several ONNX files.

What is needed: an ONNX file (`onnx/model.onnx` or `model.onnx`, and the weight files it refers to),
`tokenizer.json` and `config.json`; read if they exist: `tokenizer_config.json` (a shorter limit of
length) and `README.md` (licence and domain in its front matter).
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import metadata, resources
from pathlib import Path, PurePosixPath
from typing import Any

from epoche.backends.labels import label_names
from epoche.backends.model_hub import HubFolder
from epoche.backends.onnx_refs import external_files
from epoche.errors import ModelError, OptionError, UnknownBackend
from epoche.types import NliInfo

#: Entry points of packages that bring a model: each is a folder path, or a callable that gives one.
ENTRY_POINTS = "epoche.nli_models"
#: The embedded model and its other name.
EMBEDDED, EMBEDDED_ALIAS = "mini", "embedded"

#: Models of ours that are packages of their own.
_SEPARATE = {"base": "epoche-nli-base"}

_DEFAULT_MODELS = ("onnx/model.onnx", "model.onnx")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
#: Models whose positions start at pad_token_id + 1, so that they read fewer tokens than they have positions.
_OFFSET_POSITIONS = frozenset(
    {
        "roberta",
        "xlm-roberta",
        "xlm-roberta-xl",
        "roberta-prelayernorm",
        "camembert",
        "mpnet",
        "longformer",
        "ibert",
    }
)


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model. `name` is what a certificate calls it: never a path of a machine."""

    name: str
    model: Path
    #: Weight files outside the ONNX file.
    data: tuple[Path, ...]
    tokenizer: Path
    config: Path
    tokenizer_config: Path | None
    card: Path | None

    def hashed(self) -> dict[str, Path]:
        """The files that decide a score, by the role under which they are hashed."""
        parts = {"model": self.model, "tokenizer": self.tokenizer, "config": self.config}
        if self.tokenizer_config is not None:
            parts["tokenizer_config"] = self.tokenizer_config
        return parts | {f"data/{path.name}": path for path in self.data}

    def sha256(self) -> str:
        """sha256 of the lines `role sha256`, sorted, each ended by a line feed.

        Roles, not file names, so that the same bytes are the same model wherever they lie.
        """
        lines = sorted(f"{role} {file_sha256(path)}\n" for role, path in self.hashed().items())
        return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()

    def size_bytes(self) -> int:
        """Bytes of all files that decide a score."""
        return sum(path.stat().st_size for path in self.hashed().values())


def find_model(
    name: str,
    *,
    revision: str | None = None,
    offline: bool = False,
    endpoint: str | None = None,
    cache_dir: Path | None = None,
) -> ModelFiles:
    """The files of the model called `name` (see the top of this file), downloaded if need be.

    Args:
        revision: branch, tag or commit of a model of the hub.
        offline: use only what the hub's cache on this machine has. HF_HUB_OFFLINE does the same.
        endpoint: a hub other than the one of HF_ENDPOINT; cache_dir: another folder for the cache.

    Raises:
        UnknownBackend: no model of that name.
        ModelError: a file is missing or malformed, or the hub cannot be read.
        OptionError: a revision for a model that does not come from the hub.
    """
    head, chosen = _split(name)
    head = EMBEDDED if head == EMBEDDED_ALIAS else head
    place = None if head.startswith("hub:") else _place(head)
    if place is not None:
        if revision is not None:
            raise OptionError(f"revision {revision!r}: {head} is not a model of the hub, so leave it out")
        return _local(*place, chosen)
    if head in _SEPARATE:
        raise UnknownBackend(
            f"the NLI model {head!r} is a package of its own that is not installed: pip install {_SEPARATE[head]} "
            f"(or the extra, epoche[{head}])"
        )
    repo = head.removeprefix("hub:")
    if not _HUB_ID.fullmatch(repo):
        raise UnknownBackend(f"no NLI model {name!r}: {_known()}")
    hub = HubFolder(repo, revision=revision, offline=offline, endpoint=endpoint, cache_dir=cache_dir)
    try:
        return _collect(_with_file(repo, chosen), hub.get, hub.names, chosen)
    except UnknownBackend as error:
        raise UnknownBackend(f"no NLI model {name!r}, and no folder of that name: {error}; or {_known()}") from None


def registered() -> dict[str, Callable[[], Path]]:
    """Names that need no path, each with what gives its folder: the embedded model, and those of packages."""
    models: dict[str, Callable[[], Path]] = {}
    for point in metadata.entry_points(group=ENTRY_POINTS):
        twice = point.name in models
        models[point.name] = partial(_ambiguous if twice else _registered_folder, point)
    # Last, so that no package can take the place of the embedded model.
    models[EMBEDDED] = _embedded_folder
    return models


def installed_models() -> tuple[NliInfo, ...]:
    """The registered models that can be used, sorted by name; one that cannot is warned about."""
    infos = []
    for name, folder in sorted(registered().items()):
        try:
            infos.append(describe(_local(folder(), name, "")))
        except ModelError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
    return tuple(infos)


def describe(files: ModelFiles, *, self_test: str = "") -> NliInfo:
    """What the files say of the model. Licence and domain: `epoche` in config.json, else the README.

    Raises:
        ModelError: config.json is malformed or gives no limit of length.
    """
    config = read_json(files.config, files.name)
    own = config.get("epoche")
    card = front_matter(files.card) | ({str(k): str(v) for k, v in own.items()} if isinstance(own, Mapping) else {})
    return NliInfo(
        name=files.name,
        sha256=files.sha256(),
        label_order=label_names(config),
        max_tokens=max_tokens(files),
        license=card.get("license", ""),
        domain=card.get("domain", ""),
        size_bytes=files.size_bytes(),
        self_test=self_test,
    )


def max_tokens(files: ModelFiles) -> int:
    """Most tokens of premise, hypothesis and special tokens that the model reads.

    `max_position_embeddings`, less the padding offset of RoBERTa's kin, or the tokenizer's
    `model_max_length` if that is smaller.

    Raises:
        ModelError: neither is given.
    """
    config = read_json(files.config, files.name)
    limits = []
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        offset = int(config.get("pad_token_id", 1)) + 1 if config.get("model_type") in _OFFSET_POSITIONS else 0
        limits.append(positions - offset)
    if files.tokenizer_config is not None:
        length = read_json(files.tokenizer_config, files.name).get("model_max_length")
        # "No limit" is written as 10^30.
        if isinstance(length, int | float) and 0 < length < 10**9:
            limits.append(int(length))
    if not limits:
        raise ModelError(
            f"{files.name}: config.json has no max_position_embeddings: write in how many tokens it reads"
        )
    return min(limits)


def read_json(path: Path, model: str) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        ModelError: the file cannot be read, or is not a JSON object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{model}: {path.name} is not readable JSON ({error}): get the file again") from None
    if not isinstance(value, dict):
        raise ModelError(f"{model}: {path.name} holds a {type(value).__name__}, not an object: get the file again")
    return value


def front_matter(card: Path | None) -> dict[str, str]:
    """The `key: value` lines between the two `---` at the top of a README; empty without them."""
    if card is None:
        return {}
    lines = card.read_text(encoding="utf-8", errors="replace").splitlines()
    if not lines or lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return {}
    end = [line.strip() for line in lines].index("---", 1)
    pairs = [line.partition(":") for line in lines[1:end] if line[:1].isalpha()]
    return {key.strip(): value.strip().strip("'\"") for key, _, value in pairs if value.strip()}


def _split(name: str) -> tuple[str, str]:
    """`NAME#file.onnx` or `NAME:file.onnx` → (name, file); without a file → (name, "")."""
    for mark in "#:":
        head, _, tail = name.rpartition(mark)
        if head and tail.endswith(".onnx"):
            return head, tail
    return name, ""


def _known() -> str:
    names = ", ".join(sorted(registered()))
    return f"give one of {names}, a folder with an ONNX model, or a hub id such as org/name"


def _place(head: str) -> tuple[Path, str] | None:
    """Folder and name of a registered model or of a local folder; None if it is neither."""
    if head == EMBEDDED:  # without a search through the installed packages
        return _embedded_folder(), EMBEDDED
    folder = registered().get(head)
    if folder is not None:
        return folder(), head
    return (Path(head), Path(head).resolve().name) if Path(head).is_dir() else None


def _with_file(name: str, chosen: str) -> str:
    return f"{name}#{chosen}" if chosen else name


def _embedded_folder() -> Path:
    folder = Path(str(resources.files("epoche") / "weights" / EMBEDDED))
    if not (folder / "model.onnx").is_file():
        raise ModelError(
            f"the embedded model {EMBEDDED} is not part of this installation (a checkout without weights?): "
            "install epoche again, or name another model"
        )
    return folder


def _ambiguous(point: metadata.EntryPoint) -> Path:
    raise ModelError(f"two installed packages register the model {point.name!r}: remove one ({point.value})")


def _registered_folder(point: metadata.EntryPoint) -> Path:
    try:
        value = point.load()
        return Path(value() if callable(value) else value)
    except Exception as error:  # whatever a foreign package does
        raise ModelError(
            f"{point.name}: the package that registers this model does not give its folder "
            f"({type(error).__name__}: {error}): reinstall or remove {point.value!r}"
        ) from error


def _local(folder: Path, name: str, chosen: str) -> ModelFiles:
    def get(path: str) -> Path | None:
        return folder / path if (folder / path).is_file() else None

    def names() -> list[str] | None:
        return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())

    return _collect(_with_file(name, chosen), get, names, chosen)


def _collect(
    name: str, get: Callable[[str], Path | None], names: Callable[[], list[str] | None], chosen: str
) -> ModelFiles:
    """The same rules for a folder and for the hub: `get` gives a file or None, `names` lists them."""

    def need(path: str, advice: str) -> Path:
        found = get(path)
        if found is None:
            raise ModelError(f"{name}: there is no {path}: {advice}")
        return found

    config = need("config.json", "take it from where the model comes from, it names the labels")
    candidates = (chosen,) if chosen else _DEFAULT_MODELS
    place, model = next(((c, m) for c in candidates if (m := get(c)) is not None), ("", None))
    if model is None:
        raise ModelError(f"{name}: there is no {' or '.join(candidates)}: {_advice(names())}")
    data = []
    for part in external_files(model, name):
        data.append(need((PurePosixPath(place).parent / part).as_posix(), f"{model.name} keeps its weights in it"))
    return ModelFiles(
        name=name,
        model=model,
        data=tuple(data),
        tokenizer=need(
            "tokenizer.json", "vocab.txt or a SentencePiece file alone is not enough, save the fast tokenizer"
        ),
        config=config,
        tokenizer_config=get("tokenizer_config.json"),
        card=get("README.md"),
    )


def _advice(names: list[str] | None) -> str:
    """What to do when the ONNX file is not there, from the files that are."""
    if names is None:
        return "see which ONNX files it has, and choose one as in NAME#onnx/other.onnx"
    others = [n for n in names if n.endswith(".onnx")]
    if not others:
        return "it has no ONNX file, so choose another model or export this one to ONNX"
    return f"choose one of its ONNX files, as in NAME#{others[0]} ({', '.join(others)})"


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
