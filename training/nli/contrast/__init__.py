"""Contrast pairs by rule: minimal pairs and triples for what scientific auditing must tell apart.

Two kinds of rule, one table each. A rule on a :class:`Finding` takes a plain clause of a real sentence or claim
and sets it under premises, or beside hypotheses, that differ in one thing; most give one hypothesis under three
premises, so that no word of the hypothesis gives its label away. A rule on a :class:`Source` edits one place of a
real sentence. Both keep silent where they are unsure. Everything is deterministic.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from training.nli.contrast import edits, logic, quantity, relation, sentences, setting, sources, stance, wording
from training.nli.contrast.clauses import capital, sentence
from training.nli.contrast.edits import Source, negated, opposite, other_number, significance
from training.nli.contrast.finding import Finding, Row
from training.nli.pairs import Pair, normalise, stable_hash

__all__ = [
    "EDIT_RULES",
    "FINDING_RULES",
    "build",
    "counts",
    "examples",
    "negated",
    "opposite",
    "other_number",
    "significance",
]

FINDING_RULES: tuple[tuple[str, Callable[[Finding], Iterator[Row]]], ...] = (
    ("negation", logic.negation_of_claim),
    ("negation", logic.negation_of_denial),
    ("negation", logic.negation_of_effect),
    ("hedging", stance.hedging_removed),
    ("hedging", stance.hedging_added),
    ("hedging", stance.hedging_certainty),
    ("background", stance.background_aim),
    ("background", stance.background_tested),
    ("background", stance.background_belief),
    ("conditional", logic.conditional_exclusive),
    ("conditional", logic.conditional_unsaid),
    ("conditional", logic.conditional_dropped),
    ("necessity", logic.necessity_required),
    ("necessity", logic.necessity_removal),
    ("quantifiers", logic.quantifiers),
    ("quantifiers", logic.quantifier_only),
    ("direction", relation.direction),
    ("direction", relation.direction_of_two),
    ("direction", relation.direction_of_inhibitor),
    ("role-swap", relation.role_swap),
    ("role-swap", relation.role_order),
    ("causation", relation.causation),
    ("comparison", relation.comparison),
    ("comparison", relation.comparison_of_rates),
    ("comparison", relation.comparison_of_margins),
    ("conjunction", wording.conjunction),
    ("conjunction", wording.conjunction_of_agents),
    ("entity-swap", wording.entity_swap),
    ("entity-swap", wording.entity_near),
    ("lexical-overlap", wording.overlap),
    ("lexical-overlap", wording.overlap_groups),
    ("lexical-overlap", wording.overlap_embedded),
    ("synonyms", wording.synonyms),
    ("synonyms", wording.abbreviated),
    ("irrelevant", wording.irrelevant),
    ("numbers", quantity.numbers_change),
    ("numbers", quantity.numbers_levels),
    ("numbers", quantity.numbers_share),
    ("units", quantity.units_of_time),
    ("units", quantity.units_of_dose),
    ("units", quantity.units_of_total),
    ("units", quantity.units_of_change),
    ("significance", setting.significance_of_p),
    ("significance", setting.significance_of_interval),
    ("temporal", setting.temporal_course),
    ("temporal", setting.temporal_order),
    ("temporal", setting.temporal_schedule),
    ("population", setting.population_restricted),
    ("population", setting.population_widened),
    ("population", setting.population_stated),
)
EDIT_RULES: tuple[tuple[str, str, Callable[[Source], Iterator[Row]]], ...] = (
    ("direction", "opposite", edits.edited_claim(opposite)),
    ("numbers", "other_count", edits.edited_claim(edits.other_count)),
    ("negation", "negated", edits.edited_claim(negated)),
    ("significance", "significance", edits.edited_claim(significance)),
    ("comparison", "compared_groups", sentences.compared_groups),
    ("significance", "compared_significance", sentences.compared_significance),
    ("causation", "associated", sentences.associated),
    ("numbers", "real_number", sentences.real_number),
    ("units", "real_unit", sentences.real_unit),
    ("temporal", "real_order", sentences.real_order),
    ("population", "real_population", sentences.real_population),
    ("background", "real_aim", sentences.real_aim),
)
PER_PHENOMENON = 2000
"""No more groups are taken once a phenomenon has so many pairs; its rules take turns."""
HYPOTHESIS_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Example:
    """A generated pair with the rule that made it and the finding or sentence it came from."""

    premise: str
    hypothesis: str
    label: str
    phenomenon: str
    rule: str
    origin: str


def _generated(data: Path) -> Iterator[list[Example]]:
    """All groups: what one rule makes of one finding or sentence stays together."""
    for finding in sources.findings(data):
        real = {finding.stated, finding.hedged, finding.aside}
        for phenomenon, rule in FINDING_RULES:
            yield [
                Example(
                    text if text in real else capital(text),
                    sentence(claim),
                    label,
                    phenomenon,
                    rule.__name__,
                    finding.seed,
                )
                for text, claim, label in rule(finding)
            ]
    for source in sources.material(data):
        for phenomenon, name, edit in EDIT_RULES:
            yield [Example(*row, phenomenon, name, source.text) for row in edit(source)]


def examples(data: Path) -> list[Example]:
    """The pairs kept: whole groups, evenly by rule up to the cap, no pair twice, none with two labels."""
    groups: defaultdict[str, dict[str, list[list[Example]]]] = defaultdict(lambda: defaultdict(list))
    labels: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for group in _generated(data):
        group = [
            e
            for e in group
            if len(e.premise.split()) <= sources.PREMISE_WORDS and len(e.hypothesis) <= HYPOTHESIS_CHARACTERS
        ]
        for e in group:
            labels[normalise(e.premise), normalise(e.hypothesis)].add(e.label)
        if group:
            groups[group[0].phenomenon][group[0].rule].append(group)
    held = sources.held_out_claims(data)
    seen: set[tuple[str, str]] = set()
    kept: list[Example] = []
    for phenomenon in sorted(groups):
        by_rule = groups[phenomenon]
        for rule in by_rule:
            by_rule[rule].sort(key=lambda g: stable_hash(rule + g[0].premise + g[0].hypothesis), reverse=True)
        taken, turn = 0, sorted(by_rule)
        while taken < PER_PHENOMENON and turn:
            for rule in list(turn):
                if not by_rule[rule]:
                    turn.remove(rule)
                    continue
                for e in by_rule[rule].pop():
                    key = normalise(e.premise), normalise(e.hypothesis)
                    if key in seen or len(labels[key]) > 1 or key[1] in held:
                        continue
                    seen.add(key)
                    kept.append(e)
                    taken += 1
    return kept


def build(data: Path, source: str = "contrast") -> Iterable[Pair]:
    """The pairs of :func:`examples` for the pool."""
    for e in examples(data):
        yield Pair(e.premise, e.hypothesis, e.label, source)


def counts(data: Path) -> dict[str, dict[str, int]]:
    """How many pairs there are of each phenomenon and label."""
    tally = Counter((e.phenomenon, e.label) for e in examples(data))
    return {
        p: {label: n for (q, label), n in sorted(tally.items()) if q == p} for p in sorted({p for p, _ in tally})
    }
