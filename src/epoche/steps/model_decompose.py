"""A language model as decomposer: prompt, call, parse, one retry, guard; in doubt the whole statement alone."""

from __future__ import annotations

from collections.abc import Sequence

from epoche.backends.base import LanguageModel, Prompt
from epoche.steps.declarative import hypothesis_of
from epoche.steps.decompose import MAX_CHARACTERS, whole_alone, with_whole
from epoche.steps.guard import Part
from epoche.steps.prompts import SCHEMA, Template, Turn, template
from epoche.steps.replies import Parsed, parse_json, parse_lines
from epoche.types import Component, Decomposition, ReplyRecord, Statement

#: Characters of a reply that a certificate keeps.
KEPT = 4000
#: Version of what is done to a reply: parsing, guard and NLI.
CHECK = "check-2"
#: What each style is asked with.
TEMPLATES = {"chat": "decompose-chat-1", "lines": "decompose-lines-1"}


class ModelDecomposer:
    """Splits statements with a language model (paper, phase 1), so that a bad reply is never a verdict.

    A reply that is not what was asked for is asked for once more, saying what was wrong; then, and where nothing
    that stands alone is left, the whole statement is the single critical condition. Of a broken reply that could
    be salvaged only a split that says all of the statement is used.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self._template: Template = template(TEMPLATES[model.style])
        self.component = Component(
            name=model.component.name, version=f"{model.component.version} {self._template.version} {CHECK}"
        )

    @property
    def parallel(self) -> int:
        """How many statements may be decomposed at once."""
        return self.model.parallel

    def decompose(self, statement: Statement) -> Decomposition:
        """Parts of a statement with the whole beside them, or the whole alone, with every reply.

        Raises:
            BackendError: no reply.
        """
        whole = hypothesis_of(statement)
        if len(whole) > MAX_CHARACTERS:
            return whole_alone(whole, (), f"longer than {MAX_CHARACTERS} characters, so it was not decomposed")
        turns = self._template.ask(statement=" ".join(whole.split()))
        records: list[ReplyRecord] = []
        for _ in range(2):
            reply = self.model.reply(self._prompt(turns))
            parsed = (parse_json if self.model.style == "chat" else parse_lines)(reply.text, reply.cut)
            found = self._used(statement, parsed)
            problem = parsed.problem
            if found is None and not problem:
                problem = "no fact in it stands alone and says only what the statement says"
            records.append(ReplyRecord(text=_kept(reply.text), problem=problem))
            if found is not None:
                return found.model_copy(update={"replies": tuple(records)})
            turns = self._again(turns, reply.text, problem, whole)
        note = f"the replies of {self.component.name} could not be used: {records[-1].problem}"
        alone = whole_alone(whole, (), note)
        return alone.model_copy(update={"replies": tuple(records)})

    def _used(self, statement: Statement, parsed: Parsed) -> Decomposition | None:
        if not parsed.conditions or _is_whole(parsed.conditions, hypothesis_of(statement)):
            return whole_alone(hypothesis_of(statement), ()) if parsed.conditions and not parsed.problem else None
        why = "the statement needs it, says the model"
        found = with_whole(statement, parsed.conditions, self.component.name, why)
        if parsed.salvaged and not (found.covers and len(found.conditions) > 1):
            return None
        return found if len(found.conditions) > 1 else None

    def _again(self, turns: tuple[Turn, ...], reply: str, problem: str, whole: str) -> tuple[Turn, ...]:
        slots = {"problem": problem, "statement": " ".join(whole.split())}
        if self.model.style == "chat":
            return self._template.ask_again(turns, _kept(reply) or "(nothing)", **slots)
        return self._template.ask_again((), "", **slots)[1:]

    def _prompt(self, turns: tuple[Turn, ...]) -> Prompt:
        schema = SCHEMA if self.model.style == "chat" else None
        return Prompt(system=self._template.system, turns=turns, schema=schema)


def _is_whole(conditions: Sequence[Part], whole: str) -> bool:
    """Whether a reply gives the statement back as it is."""

    def bare(text: str) -> str:
        return " ".join(text.split()).rstrip(".").casefold()

    return len(conditions) == 1 and bare(conditions[0].text) == bare(whole)


def _kept(text: str) -> str:
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return clean if len(clean) <= KEPT else f"{clean[:KEPT]} … (cut: {len(clean)} characters)"
