"""The rules for contrast pairs, each on a sentence of our own, and what they make of the real sources."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from training.nli import contrast
from training.nli.contrast import edits, sentences, sources
from training.nli.contrast.clauses import Clause, capital, clauses, is_plural, lower, strip_parentheses
from training.nli.contrast.edits import Source
from training.nli.contrast.finding import Finding, Row
from training.nli.contrast.lexicon import EXTRACTED, VERBS
from training.nli.pairs import LABELS, Pair, normalise

ASIDE = "All slides were read twice."
ZINC = Finding(
    Clause("Zinc", "reduce", "tumour growth", "in mice"),
    "Zinc reduced tumour growth in mice.",
    "zinc",
    ("Copper", "Iron"),
    ("liver weight", "bone density"),
    ASIDE,
    (("tumour growth", "TG"),),
)
"""A finding that most rules can use."""
ENZYME = Finding(
    Clause("IL-6", "activate", "macrophages"),
    "IL-6 activated macrophages.",
    "enzyme",
    ("CDK4", "STAT3"),
    ("fibroblasts", "platelets"),
    ASIDE,
)
"""A finding about a named protein and an upward verb."""
TREATMENT = Finding(
    Clause("Treatment with zinc", "lead to", "fever and rash"),
    "",
    "treatment",
    ("loss of copper and iron", "use of iron"),
    ("the rate of pain", "the loss of hair"),
    ASIDE,
)
"""A finding that a rule keeps silent on unless every clause will do."""

E, N, C = LABELS
FINDING_CASES: dict[str, tuple[Finding, str, str, str]] = {
    # rule: (finding, part of the premise, hypothesis, label)
    "negation_of_claim": (ZINC, "failed to reduce tumour growth", "Zinc reduced tumour growth in mice.", C),
    "negation_of_denial": (ZINC, "zinc did not", "Zinc did not reduce tumour growth in mice.", E),
    "negation_of_effect": (ZINC, "the same with and without zinc", "Zinc had an effect on tumour growth.", C),
    "hedging_removed": (ZINC, "possibly reduce", "Zinc reduces tumour growth in mice.", N),
    "hedging_added": (ZINC, "Zinc reduced", "Zinc can reduce tumour growth in mice.", E),
    "hedging_certainty": (ZINC, "is not known", "It is certain that zinc reduces tumour growth in mice.", C),
    "background_aim": (ZINC, "We aimed to determine whether", "Zinc reduces tumour growth in mice.", N),
    "background_tested": (
        ZINC,
        "was to test whether zinc reduces tumour growth",
        "A question of the study was whether zinc reduces tumour growth in mice.",
        E,
    ),
    "background_belief": (ZINC, "turned out to be wrong", "Zinc reduces tumour growth in mice.", C),
    "conditional_exclusive": (
        ZINC,
        "in the presence of iron but not",
        "Zinc reduced tumour growth in the absence of iron.",
        C,
    ),
    "conditional_unsaid": (
        ZINC,
        "in the presence of iron",
        "Zinc reduced tumour growth in the absence of iron.",
        N,
    ),
    "conditional_dropped": (
        ZINC,
        "in the presence of iron but not",
        "Zinc reduced tumour growth regardless of whether this was tested in the presence of iron or in the "
        "absence of iron.",
        C,
    ),
    "necessity_required": (ENZYME, "sufficient for", "", N),
    "necessity_removal": (ZINC, "left the effect", "The effect of zinc on tumour growth depended on iron.", C),
    "quantifiers": (ZINC, "not one of", "Zinc reduced tumour growth in some of the families.", C),
    "quantifier_only": (ZINC, "only zinc reduced", "Copper reduced tumour growth.", C),
    "direction": (ZINC, "Zinc reduced", "Zinc increases tumour growth in mice.", C),
    "direction_of_two": (ZINC, "but increased liver weight", "Liver weight increased after exposure to zinc.", E),
    "direction_of_inhibitor": (ZINC, "removal of zinc reduced", "Zinc reduced tumour growth.", N),
    "role_swap": (ZINC, "Tumour growth reduced zinc; the reverse", "Zinc reduced tumour growth.", N),
    "role_order": (ZINC, "zinc was given less weight than copper", "Copper was given less weight than zinc.", C),
    "causation": (ZINC, "linked to lower tumour growth", "Zinc reduces tumour growth.", N),
    "comparison": (ZINC, "than copper", "", C),
    "comparison_of_rates": (ZINC, "%", "", C),
    "comparison_of_margins": (ZINC, "not inferior", "Zinc was better than copper with regard to liver weight.", N),
    "conjunction": (ZINC, "neither tumour growth nor liver weight", "", C),
    "conjunction_of_agents": (ZINC, "combination of zinc and copper", "", N),
    "entity_swap": (ZINC, "whereas copper did not", "Iron reduced tumour growth.", N),
    "entity_near": (ENZYME, "IL-6", "", N),
    "overlap": (ZINC, "", "Zinc increased tumour growth.", C),
    "overlap_groups": (ZINC, "that received zinc together with copper", "", N),
    "overlap_embedded": (ZINC, "", "", N),
    "synonyms": (ZINC, "Zinc reduced", "", E),
    "abbreviated": (ZINC, "tumour growth", "", E),
    "irrelevant": (ZINC, ASIDE, "", C),
    "numbers_change": (ZINC, "by ", "", C),
    "numbers_levels": (ZINC, "from 8 to 24", "Mean tumour growth tripled with zinc.", E),
    "numbers_share": (ZINC, "in 180 of 400", "Zinc reduced tumour growth in fewer than half of the patients.", E),
    "units_of_time": (
        ZINC,
        "effect of zinc on tumour growth was present for 2 years",
        "The effect of zinc on tumour growth was present for 24 months.",
        E,
    ),
    "units_of_dose": (
        ZINC,
        "was 0.05 µM",
        "The concentration of the active ingredient amounted to 500 nM.",
        C,
    ),
    "units_of_total": (
        ZINC,
        "3 doses of 10 mg",
        "Every patient received 30 g of the active ingredient per month.",
        C,
    ),
    "units_of_change": (ZINC, "by three quarters", "Zinc reduced tumour growth by 75%.", E),
    "significance_of_p": (
        ZINC,
        "no test of",
        "The effect of zinc on tumour growth was statistically significant.",
        N,
    ),
    "significance_of_interval": (
        ZINC,
        "0.76–2.13",
        "The hazard ratio for dropout with zinc differed significantly from 1.",
        C,
    ),
    "temporal_course": (ZINC, "at 2 weeks, no such", "Zinc reduced tumour growth at 12 weeks.", N),
    "temporal_order": (
        ZINC,
        "preceded the change in liver weight",
        "The change in liver weight came after the change in tumour growth.",
        E,
    ),
    "temporal_schedule": (ZINC, "had not done so before", "Zinc reduced tumour growth before the meal.", C),
    "population_restricted": (ZINC, "in older adults, there was no", "Zinc reduced tumour growth in infants.", E),
    "population_widened": (ZINC, "among adults", "Zinc reduced tumour growth in a group of humans.", E),
    "population_stated": (ZINC, "in mice", "Zinc reduced tumour growth in healthy volunteers.", N),
}
SILENT_ON_TREATMENT = {
    *("necessity_required", "necessity_removal", "quantifier_only", "direction_of_two", "direction_of_inhibitor"),
    *("role_swap", "role_order", "causation", "comparison", "comparison_of_margins", "conjunction", "entity_swap"),
    *("conjunction_of_agents", "entity_near", "overlap", "overlap_groups", "abbreviated", "numbers_change"),
    *("numbers_levels", "units_of_change", "significance_of_p", "temporal_order", "population_stated"),
    "negation_of_effect",
}
"""Rules that ask for more than a clause: a thing that acts, an amount, an opposite, a population."""


def rows(rule: object, material: object) -> list[Row]:
    return list(rule(material))  # type: ignore[operator]


def test_every_rule_has_a_case() -> None:
    assert {rule.__name__ for _, rule in contrast.FINDING_RULES} == set(FINDING_CASES)
    assert {name for _, name, _ in contrast.EDIT_RULES} == set(EDIT_CASES)


@pytest.mark.parametrize(("phenomenon", "rule"), contrast.FINDING_RULES, ids=lambda x: getattr(x, "__name__", x))
def test_rule_on_a_finding(phenomenon: str, rule: object) -> None:
    finding, premise, hypothesis, label = FINDING_CASES[rule.__name__]  # type: ignore[attr-defined]
    made = rows(rule, finding)
    assert made == rows(rule, finding)
    assert any(premise in p and h in (hypothesis, hypothesis or h) and found == label for p, h, found in made), made
    labels = defaultdict(set)
    for p, h, found in made:
        labels[normalise(p), normalise(h)].add(found)
    assert all(len(found) == 1 for found in labels.values())
    assert {found for _, _, found in made} == set(LABELS)


@pytest.mark.parametrize(("phenomenon", "rule"), contrast.FINDING_RULES, ids=lambda x: getattr(x, "__name__", x))
def test_rule_keeps_silent(phenomenon: str, rule: object) -> None:
    silent = rule.__name__ in SILENT_ON_TREATMENT  # type: ignore[attr-defined]
    assert (rows(rule, TREATMENT) == []) == silent


OTHERS = ("Kidney function", "Copper levels", "Blood flow")
EDIT_CASES: dict[str, tuple[Source, str, str, Source]] = {
    # rule: (source, hypothesis, label, source it keeps silent on)
    "opposite": (
        Source("Zinc lowered mortality.", "Zinc reduces mortality.", OTHERS),
        "Zinc increases mortality.",
        C,
        Source("Zinc works.", "Zinc is useful.", OTHERS),
    ),
    "other_count": (
        Source("It fell in 40 adults.", "It fell in 40 adults.", OTHERS),
        "It fell in 40 adults.",
        E,
        Source("It fell in all adults.", "It fell in 40 adults.", OTHERS),
    ),
    "negated": (
        Source("Zinc helped them all.", "Zinc is useful.", OTHERS),
        "Zinc is not useful.",
        C,
        Source("Zinc failed.", "Zinc never helps.", OTHERS),
    ),
    "significance": (
        Source("The change was not significant.", "There was no significant change.", OTHERS),
        "There was a significant change.",
        C,
        Source("It rose.", "There was no significant change.", OTHERS),
    ),
    "compared_groups": (
        Source("Serum ferritin was significantly higher in runners than in cyclists (P = 0.01).", "", OTHERS),
        "Serum ferritin was higher in cyclists than in runners.",
        C,
        Source("Serum ferritin was not higher in runners than in cyclists.", "", OTHERS),
    ),
    "compared_significance": (
        Source("Serum ferritin was significantly higher in runners than in cyclists.", "", OTHERS),
        "Serum ferritin did not differ significantly between runners and cyclists.",
        C,
        Source("Serum ferritin was higher in runners than in cyclists.", "", OTHERS),
    ),
    "associated": (
        Source("Night work was positively associated with ulcers.", "", OTHERS),
        "Night work was positively associated with ulcers.",
        E,
        Source("Night work may be associated with ulcers.", "", OTHERS),
    ),
    "real_number": (
        Source("Severe nausea was reported by 24% of women after the second dose.", "", OTHERS),
        "Severe nausea was reported by 24% of women after the second dose.",
        E,
        Source("Severe nausea was reported by women of cohort 2 after surgery.", "", OTHERS),
    ),
    "real_unit": (
        Source("The infusion was given for 4 weeks before the second scan.", "", OTHERS),
        "The infusion was given for 28 days before the second scan.",
        E,
        Source("The infusion was given for some time before the second scan.", "", OTHERS),
    ),
    "real_order": (
        Source("Bone density was measured with a scanner before the marathon.", "", OTHERS),
        "Bone density was measured with a scanner after the marathon.",
        C,
        Source("Bone density was lower after adjustment for body weight and age.", "", OTHERS),
    ),
    "real_population": (
        Source("Night blindness was common among the children with low vitamin intake.", "", OTHERS),
        "Night blindness was not common among the children with low vitamin intake.",
        C,
        Source("Night blindness was common among those with low vitamin intake.", "", OTHERS),
    ),
    "real_aim": (
        Source("We asked whether night work affects bone density in nurses.", "", OTHERS),
        "Night work affects bone density in nurses.",
        N,
        Source("Night work affects bone density in nurses.", "", OTHERS),
    ),
}


@pytest.mark.parametrize(
    ("phenomenon", "name", "rule"), contrast.EDIT_RULES, ids=lambda x: x if isinstance(x, str) else ""
)
def test_rule_on_a_sentence(phenomenon: str, name: str, rule: object) -> None:
    source, hypothesis, label, silent = EDIT_CASES[name]
    made = rows(rule, source)
    assert made == rows(rule, source)
    assert any(h == hypothesis and found == label for _, h, found in made), made
    assert rows(rule, silent) == []


def test_an_edit_changes_one_place_and_is_entailed_by_itself() -> None:
    made = rows(edits.edited_claim(edits.opposite), Source("Zinc lowered it.", "Zinc reduces mortality.", OTHERS))
    assert [label for _, _, label in made] == [E, C, C, E]
    assert made[0][1] == made[2][1] == "Zinc reduces mortality."
    assert made[1][1] == made[3][1] == "Zinc increases mortality."


def test_a_number_that_is_part_of_a_name_is_left_alone() -> None:
    assert rows(sentences.real_number, Source("Oct 3 was expressed in the cells of cohort 2.", "", OTHERS)) == []


@pytest.mark.parametrize(
    ("text", "subject", "verb", "target", "place"),
    [
        (
            "Here we show that zinc (30 mg) significantly reduces tumour growth.",
            "zinc",
            "reduce",
            "tumour growth",
            "",
        ),
        (
            "Moreover, copper chelation delayed recovery in aged rats.",
            "copper chelation",
            "delay",
            "recovery",
            "in aged rats",
        ),
        ("In ferrets, iron overload impaired vision.", "iron overload", "impair", "vision", "in ferrets"),
        ("Recovery was delayed by copper chelation.", "Copper chelation", "delay", "recovery", ""),
    ],
)
def test_plain_clauses_are_read(text: str, subject: str, verb: str, target: str, place: str) -> None:
    (clause, modal), *_ = clauses(text)
    assert (clause.subject, clause.verb, clause.target, clause.place, modal) == (subject, verb, target, place, "")


@pytest.mark.parametrize(
    "text",
    [
        "We asked whether zinc reduces fever.",
        "Zinc did not reduce fever.",
        "If zinc reduces fever, it should be given.",
        "Zinc reduces fever only in adults.",
        "Does zinc reduce fever?",
        "It reduces fever.",
        "Patients with reduced appetite lost weight.",
        "PGE(2) increased fever.",
    ],
)
def test_other_sentences_are_not(text: str) -> None:
    assert list(clauses(text)) == []


def test_a_hedged_clause_is_marked_and_never_asserted() -> None:
    assert [modal for _, modal in clauses("Zinc may reduce tumour growth.")] == ["may"]
    assert [modal for _, modal in clauses("These data suggest that zinc reduces tumour growth.")] == ["may"]


def test_coordinated_predicates_share_their_subject() -> None:
    found = [c.text() for c, _ in clauses("Zinc reduced fever, increased appetite and improved sleep.")]
    assert found == ["Zinc reduced fever.", "Zinc increased appetite.", "Zinc improved sleep."]


def test_forms_of_a_clause() -> None:
    c = Clause("Statins", "reduce", "plasma levels of LDL", "in adults", plural=True, past=False)
    assert c.text() == "Statins reduce plasma levels of LDL in adults."
    assert c.negated() == "Statins do not reduce plasma levels of LDL in adults."
    assert c.passive() == "Plasma levels of LDL are reduced by statins in adults."
    assert c.with_(past=True).modal("failed to") == "Statins failed to reduce plasma levels of LDL in adults."


def test_case_number_and_parentheses() -> None:
    assert (lower("Zinc levels"), lower("IL-6 levels"), lower("Wnt signals")) == (
        "zinc levels",
        "IL-6 levels",
        "Wnt signals",
    )
    assert (capital("zinc"), capital("mTOR"), capital("anti-viral drugs")) == ("Zinc", "mTOR", "Anti-viral drugs")
    assert [is_plural(t) for t in ("levels of zinc", "loss of cells", "mice", "A and B", "diabetes")] == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert strip_parentheses("It rose (P = 0.1 [n = 3]), then fell.") == "It rose, then fell."


def test_verbs_point_to_verbs() -> None:
    for verb in VERBS.values():
        assert verb.opposite in VERBS or not verb.opposite
        if verb.opposite and verb.direction:
            assert VERBS[verb.opposite].direction == -verb.direction, verb
        assert all(VERBS[s].direction == verb.direction for s in verb.synonyms if s in VERBS), verb
    assert set(EXTRACTED) <= set(VERBS)


def test_abbreviations_are_those_whose_initials_agree() -> None:
    assert list(sources.abbreviations("We gave tumor necrosis factor (TNF) to rats (RT).")) == [
        ("tumor necrosis factor", "TNF")
    ]


@pytest.fixture(scope="module")
def made(data: Path) -> list[contrast.Example]:
    """Every pair that is kept."""
    return contrast.examples(data)


def test_size_and_balance(made: list[contrast.Example]) -> None:
    assert 25_000 <= len(made) <= 45_000
    labels = Counter(e.label for e in made)
    assert set(labels) == set(LABELS)
    assert max(labels.values()) <= 0.45 * len(made)
    by_phenomenon = defaultdict(Counter)
    for e in made:
        by_phenomenon[e.phenomenon][e.label] += 1
    assert len(by_phenomenon) == 20
    for counter in by_phenomenon.values():
        assert 500 <= sum(counter.values()) <= contrast.PER_PHENOMENON + 100
        assert max(counter.values()) <= 0.5 * sum(counter.values())


def test_no_pair_twice_and_none_too_long(made: list[contrast.Example]) -> None:
    assert len({(normalise(e.premise), normalise(e.hypothesis)) for e in made}) == len(made)
    assert all(len(e.premise.split()) <= 95 and len(e.hypothesis) <= 300 for e in made)


def test_the_words_of_a_hypothesis_do_not_tell_its_label(made: list[contrast.Example]) -> None:
    seen = defaultdict(Counter)
    for e in made:
        for word in set(normalise(e.hypothesis).split()):
            seen[word][e.label] += 1
    for word in (
        "not",
        "no",
        "may",
        "significantly",
        "increased",
        "reduced",
        "more",
        "less",
        "some",
        "all",
        "only",
    ):
        counter = seen[word]
        assert max(counter.values()) <= 0.6 * sum(counter.values()), (word, counter)


def test_the_same_every_time(data: Path, made: list[contrast.Example]) -> None:
    sources.findings.cache_clear()
    again = list(contrast.build(data, "again"))
    assert again == [Pair(e.premise, e.hypothesis, e.label, "again") for e in made]


def test_nothing_of_the_evaluation_sets(data: Path, made: list[contrast.Example]) -> None:
    folder = data / "scifact"
    calibration = set((folder / "calibration_ids.txt").read_text().split())
    held_claims, cited = set(), set()
    for name in ("claims_dev", "claims_test", "claims_train"):
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if name != "claims_train" or str(row["id"]) in calibration:
                held_claims.add(normalise(row["claim"]))
                cited.update(map(str, row.get("cited_doc_ids", [])))
    assert cited <= sources.held_out_documents(data)
    corpus = [json.loads(x) for x in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    held = {normalise(s) for row in corpus if str(row["doc_id"]) in cited for s in row["abstract"]}
    held = {s for s in held if len(s.split()) > 4}  # "Main results" and the like are no text of anybody's
    for e in made:
        assert normalise(e.hypothesis) not in held_claims
        assert normalise(e.premise) not in held
        assert normalise(e.origin) not in held | held_claims
