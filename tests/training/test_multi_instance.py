"""The two rows of an abstract that decide, and the loss they get."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

pytestmark = pytest.mark.extras
torch = pytest.importorskip("torch", reason="needs the extra `train`")

from training.nli.bags import Bag  # noqa: E402
from training.nli.multi_instance import bag_loss, bag_order, decisive  # noqa: E402

P = np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])


def test_the_deciding_rows() -> None:
    none = (False, False, False)
    assert decisive(P, none, "neutral") == (0, 2)
    # The gold label's row is sought among the rationales, the other's everywhere.
    assert decisive(P, (False, True, False), "entailment") == (1, 2)
    assert decisive(P, (False, True, False), "contradiction") == (0, 1)
    assert decisive(P, (False, True, False), "neutral") == (0, 2)
    assert decisive(P, none, "entailment") == (0, 2), "no rationale known: the best row counts"


def test_the_loss_by_hand() -> None:
    support = torch.log(torch.tensor([[0.7, 0.2, 0.1]]))
    contradiction = torch.log(torch.tensor([[0.1, 0.3, 0.6]]))
    by_label = {
        0: -(math.log(0.7) + math.log(0.4)) / 2,  # supported: 0.7 for support, 1 − 0.6 against contradiction
        1: -(math.log(0.3) + math.log(0.4)) / 2,
        2: -(math.log(0.3) + math.log(0.6)) / 2,
    }
    for label, expected in by_label.items():
        found = bag_loss(support, contradiction, torch.tensor([label])).item()
        assert found == pytest.approx(expected, abs=1e-6)


def test_sources_take_turns_and_each_is_seen_whole_before_it_comes_again() -> None:
    bags = [Bag("c", ("p",), (False,), "neutral", "small" if i < 2 else "large") for i in range(7)]
    order = bag_order(bags, 8, seed=1)
    assert [bags[i].source for i in order] == ["large", "small"] * 4
    assert Counter(i for i in order if i < 2) == {0: 2, 1: 2}
    assert len({i for i in order if i >= 2}) == 4
    assert order == bag_order(bags, 8, seed=1) != bag_order(bags, 8, seed=2)
    assert bag_order(bags, 3, seed=1) == order[:3]
