from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epoche.strict_json import loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tau": 0.5, "tau": 0.1}', "tau: the field is given twice"),
        ('[{"a": {"b": 1, "b": 1}}]', "b: the field is given twice"),
        ("NaN", "not a number of JSON"),
        ('{"a": [-Infinity]}', "not a number of JSON"),
        ("1e999", "too large"),
        ("{broken", "broken JSON"),
        ("[" * 100_000, "too deeply"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        loads(text)
