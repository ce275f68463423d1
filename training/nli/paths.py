"""Where the stages read and write. The only file here that looks at the environment."""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
MIXTURE = HERE / "mixture.toml"
TIERS = {
    "mini": REPOSITORY / "src" / "epoche" / "weights" / "mini",
    "base": REPOSITORY / "models" / "epoche-nli-base" / "src" / "epoche_nli_base" / "weights",
}
"""Where the weights of each tier are shipped. Other runs of the mixture only lead to one of these."""


def results(tier: str) -> Path:
    """The committed figures of a tier's shipped weights."""
    return HERE / "results" / f"{tier}.json"


def data_dir() -> Path:
    """Folder with the data sets: ``EPOCHE_DATA``, or ``shared/data`` beside the repository."""
    path = Path(os.environ.get("EPOCHE_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        raise FileNotFoundError(f"no data folder at {path}; set EPOCHE_DATA")
    return path


def cases_dir() -> Path:
    """Folder with the hand-made cases, beside the data folder."""
    return data_dir().parent / "cases"


def work_dir() -> Path:
    """Folder for pools, checkpoints and logs (``EPOCHE_WORK`` overrides); never committed."""
    path = Path(os.environ.get("EPOCHE_WORK", HERE / "work"))
    path.mkdir(parents=True, exist_ok=True)
    return path
