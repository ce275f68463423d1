"""The data sets that epoche knows: where they come from, under which licence, and what each split is for."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from epoche.bench.datasets import Dataset, Protocol, load_pubmedqa, load_scifact, sha256_of
from epoche.errors import InputError


@dataclass(frozen=True)
class OfficialFile:
    """A file of a release; `sha256` is None where we have not seen the official file itself."""

    path: str
    sha256: str | None


@dataclass(frozen=True)
class Split:
    """Files of a split, and what it is for."""

    files: Mapping[str, OfficialFile]
    role: Literal["training", "calibration", "reporting", "unlabelled"]
    note: str = ""


@dataclass(frozen=True)
class Download:
    """One address of a release: a file as it is, or an archive of which only `files` are taken."""

    url: str
    files: tuple[OfficialFile, ...]
    archive: bool = False


@dataclass(frozen=True)
class Source:
    """A data set as released. `url` is for people; `downloads` are what `bench.download.fetch` asks for."""

    name: str
    url: str
    licence: str
    citation: str
    splits: Mapping[str, Split]
    downloads: tuple[Download, ...] = ()


_CORPUS = OfficialFile("corpus.jsonl", "bccb659d55c2df5a183a5e6ab1bc6bd4fd69f267a41202957d302644c46b0f87")
_TRAIN = OfficialFile("claims_train.jsonl", "e5c0812be7086c18e9e43b6070073363f2c88c7a81e290e81eab1664990eaf4f")
_DEV = OfficialFile("claims_dev.jsonl", "fd131543da3bd16d2495085d7f2872496fbd5cf31434f9bb018e09cc16522b76")
_TEST = OfficialFile("claims_test.jsonl", "116304420e99fe97b026e4aa27d49ad87ee9683f603715c2ef800bef2df1a403")
_IDS = OfficialFile("calibration_ids.txt", None)
_PQAL = OfficialFile("ori_pqal.json", None)
_PQAL_TEST = OfficialFile("test_ground_truth.json", None)
_PQAL_TRAIN = OfficialFile("pqal_train.json", "a260f31aeea481b07efb9d957c6172f853c2185330f64ff4045ea49497784417")

SCIFACT = Source(
    name="scifact",
    url="https://scifact.s3-us-west-2.amazonaws.com/release/latest/data.tar.gz",
    licence="claims CC BY 4.0, abstracts ODC-By 1.0",
    citation="Wadden et al. 2020, Fact or Fiction: Verifying Scientific Claims",
    splits={
        "train": Split({"claims": _TRAIN, "corpus": _CORPUS}, "training"),
        "calibration": Split(
            {"claims": _TRAIN, "corpus": _CORPUS, "ids": _IDS},
            "calibration",
            "claims of train kept out of NLI training, for policies and promises",
        ),
        "dev": Split({"claims": _DEV, "corpus": _CORPUS}, "reporting"),
        "test": Split({"claims": _TEST, "corpus": _CORPUS}, "unlabelled", "released without labels"),
    },
    downloads=(
        Download(
            "https://scifact.s3-us-west-2.amazonaws.com/release/latest/data.tar.gz",
            (_TRAIN, _DEV, _TEST, _CORPUS),
            archive=True,
        ),
    ),
)
_PUBMEDQA_RAW = "https://raw.githubusercontent.com/pubmedqa/pubmedqa/master/data"
PUBMEDQA = Source(
    name="pubmedqa",
    url="https://github.com/pubmedqa/pubmedqa/tree/master/data",
    licence="MIT",
    citation="Jin et al. 2019, PubMedQA: A Dataset for Biomedical Research Question Answering",
    splits={
        "train": Split({"file": _PQAL_TRAIN}, "training", "the labelled items outside the official test list"),
        "calibration": Split(
            {"file": _PQAL_TRAIN, "ids": _IDS}, "calibration", "kept out of training, for policies and promises"
        ),
        "test": Split(
            {"file": _PQAL, "ids": _PQAL_TEST}, "reporting", "the official list of ids, not the last 500 rows"
        ),
    },
    downloads=tuple(Download(f"{_PUBMEDQA_RAW}/{file.path}", (file,)) for file in (_PQAL, _PQAL_TEST)),
)
SOURCES: Mapping[str, Source] = {s.name: s for s in (SCIFACT, PUBMEDQA)}


def load(name: str, split: str, data: Path, protocol: Protocol = "abstract") -> Dataset:
    """A catalogued data set from a local folder that holds the released files, their hashes checked.

    PubMedQA's training items are those of `pqal_train.json`; where it is absent, those of the released
    `ori_pqal.json` whose ids are not in the official test list.

    Args:
        data: the folder of the release, or one with a folder `name` in it.

    Raises:
        InputError: no such split, a missing file, or a file that is not the released one (both
            hashes are named; give a changed file explicitly to run it as what it is).
    """
    source = SOURCES[name]
    if split not in source.splits:
        raise InputError(f"{name} has no split {split!r}: give one of {', '.join(source.splits)}")
    folder = data / name if (data / name).is_dir() else data
    named = dict(source.splits[split].files)
    if named.get("file") == _PQAL_TRAIN and not (folder / _PQAL_TRAIN.path).is_file():
        named |= {"file": _PQAL, "exclude": _PQAL_TEST}
    files = {role: _checked(folder, file, source, data) for role, file in named.items()}
    if name == "scifact":
        return load_scifact(files["claims"], files["corpus"], split=split, protocol=protocol, ids=files.get("ids"))
    return load_pubmedqa(files["file"], split=split, ids=files.get("ids"), exclude=files.get("exclude"))


def corpus_file(data: Path) -> Path:
    """SciFact's corpus of abstracts below a data folder, its hash checked.

    Raises:
        InputError: it is not there, or not the released one.
    """
    folder = data / SCIFACT.name if (data / SCIFACT.name).is_dir() else data
    return _checked(folder, SCIFACT.splits["dev"].files["corpus"], SCIFACT, data)


def release_folder(source: Source, data: Path) -> Path:
    """Where a download goes so that `load` finds it.

    `data` itself if files of the release lie there, else a folder below it with the data set's name.
    """
    below = data / source.name
    names = {file.path for split in source.splits.values() for file in split.files.values()}
    return data if not below.is_dir() and any((data / name).exists() for name in names) else below


def _checked(folder: Path, file: OfficialFile, source: Source, data: Path) -> Path:
    path = folder / file.path
    if not path.is_file():
        raise InputError(f"{source.name}: no {file.path} in {folder}: {_remedy(file, source, data)}")
    if file.sha256 is not None and (found := sha256_of(path)) != file.sha256:
        raise InputError(
            f"{path} is not the released file: its sha256 is {found}, the release has {file.sha256}; "
            "give a changed file by its own option to run it as what it is"
        )
    return path


def _remedy(file: OfficialFile, source: Source, data: Path) -> str:
    """What to do about a missing file. Lists of calibration ids are ours: no release has them."""
    if not any(file in download.files for download in source.downloads):
        return "it is no part of the release; list the ids of the training items kept for calibration there"
    return (
        f"run `epoche bench fetch {source.name} --data {shlex.quote(str(data))}`, or get the release from "
        f"{source.url} ({source.licence}) and give its folder with --data"
    )
