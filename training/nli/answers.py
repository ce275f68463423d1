"""What a larger model said of the pairs that a smaller one will see: soft labels, on disk.

`work/TEACHER/teacher.bin` has 16 bytes for each answer: the pair's key (uint64), three float16 and two bytes of
nothing. Answers are appended, so that a killed stage goes on where it was.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.nli.pairs import LABELS, Pair, pair_key

RECORD = np.dtype([("key", "<u8"), ("p", "<f2", (len(LABELS),)), ("pad", "V2")])


def answers_file(work: Path, teacher: str) -> Path:
    """Where the answers of a tier's model lie."""
    return work / teacher / "teacher.bin"


def read_answers(path: Path) -> dict[int, NDArray[np.float32]]:
    """Key → probabilities; a torn last record is left out."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    records = np.frombuffer(content[: len(content) // RECORD.itemsize * RECORD.itemsize], dtype=RECORD)
    return dict(zip(records["key"].tolist(), records["p"].astype(np.float32), strict=True))


def answers(pairs: Sequence[Pair], work: Path, teacher: str) -> NDArray[np.float32]:
    """float32[n, 3]: the teacher's probabilities of each pair, nan where it has not answered."""
    known = read_answers(answers_file(work, teacher))
    nothing = np.full(len(LABELS), np.nan, np.float32)
    return np.stack([known.get(pair_key(p), nothing) for p in pairs])
