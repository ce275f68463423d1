"""What a sentence is there for: the section it stands in says so, else its wording, where that is plain."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from epoche.steps.audit import FloatArray
from epoche.types import NLI_LABELS, Evidence, Role, Sentence

_NEUTRAL = np.array([float(label == "neutral") for label in NLI_LABELS])
_STUDY = r"\b(?:we|authors|th(?:is|e (?:present|current)) (?:study|trial|review|analysis|paper|report|work)) "
_GOAL = "(?:aims?|objectives?|purposes?|goals?)"
#: Each says what is asked or not known.
_AIMS = (
    rf"\b{_GOAL} (?:of|in) (?:this|the (?:present|current)|our)\b",
    rf"^(?:the |our )?{_GOAL} (?:was|were|is|are)\b",
    _STUDY + "(?:have |has |therefore |also )?"
    "(?:aim(?:s|ed)?|sought|seeks?|set out|wished|attempted|intended|planned|hypothesi[sz]ed?|asked|wondered)"
    r"\b",
    _STUDY + "(?:here |therefore |also )?"
    "(?:investigate[sd]?|examine[sd]?|test(?:s|ed)?|assess(?:es|ed)?|evaluate[sd]?|explore[sd]?|address(?:es|ed)?|"
    "stud(?:y|ies|ied)|determine[sd]?) "
    "(?:whether|if|how|possible|the (?:effects?|role|impact|hypothesis|association|relationship|possibility))"
    r"\b",
    "^(?:in order )?to (?:determine|investigate|examine|assess|evaluate|test|explore|ascertain|establish|identify|"
    r"describe|compare|clarify)\b(?!.*\b(?:we|was|were|is|are|showed|found)\b)",
    r"\b(?:is|was|are|were|remains?|remained) (?:still |largely |currently |not yet |yet )?"
    "(?:unclear|unknown|uncertain|controversial|debated|poorly (?:understood|defined|characteri[sz]ed)|"
    "not (?:known|clear|well understood)|to be (?:determined|elucidated|established))"
    r"\b",
    r"\?$",
)
_AIM = re.compile("|".join(f"(?:{pattern})" for pattern in _AIMS), re.IGNORECASE)


def is_aim(text: str) -> bool:
    """Whether a sentence says what is asked or not known, and not what was found."""
    return _AIM.search(" ".join(text.split())) is not None


def role_of(sentence: Sentence) -> Role:
    """The role of its section; AIM by its wording, unless it stands among results or conclusions."""
    if sentence.role in (Role.RESULTS, Role.CONCLUSION, Role.CAPTION):
        return sentence.role
    return Role.AIM if is_aim(sentence.text) else sentence.role


def heard(scores: FloatArray, evidence: Evidence, silent: Collection[Role]) -> FloatArray:
    """The scores as they count: a window that holds nothing but sentences of silent roles says nothing.

    Args:
        scores: float64[k conditions, m windows, 3] in the order of `NLI_LABELS`.
        silent: roles of sentences that are no findings.
    """
    if not silent:
        return scores
    roles = [role_of(sentence) in silent for sentence in evidence.sentences]
    mute = [all(roles[i] for i in window.sentences) for window in evidence.windows]
    result = scores.copy()
    result[:, np.array(mute, dtype=np.bool_)] = _NEUTRAL
    return result
