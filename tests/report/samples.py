"""Certificates of every kind of outcome, written for these tests."""

from __future__ import annotations

from collections.abc import Callable

from epoche.certificate import Certificate
from epoche.policy import Policy, Promise, Target, promising
from epoche.types import Condition, Kind, Obstacle, Reason, Unread
from tests.report.builder import PROVENANCE, Source, evidence_of, scored, sha, unscored, whole

CLAIM, QUESTION = Kind.CLAIM, Kind.QUESTION

VITAMIN = "Vitamin D supplementation prevents acute respiratory infection."
TRIAL = Source(
    "trial-1",
    (
        "We randomised 412 adults with low serum 25(OH)D to vitamin D3 or placebo for 18 months.",
        "Acute respiratory infection occurred in 21% with vitamin D and in 34% of controls (P = .004).",
        "Supplementation with vitamin D prevented acute respiratory infection.",
        "No serious adverse events were attributed to the supplement.",
    ),
    title="Daily vitamin D3 and infection: a randomised trial",
)
REVIEW = Source(
    "review-2",
    (
        "Five trials with 2,130 participants were pooled.",
        "Vitamin D had no effect on acute respiratory infection (OR 0.99, 95% CI 0.91 to 1.08).",
    ),
    title="Vitamin D and infection: pooled analysis",
)
METFORMIN = "Metformin lowers fasting glucose and body weight in adults with prediabetes."
COHORT = Source(
    "cohort",
    (
        "Fasting glucose fell by 0.6 mmol/L under metformin and did not change under placebo.",
        "Body weight was recorded at baseline only.",
        "Adherence was 82% at month 12.",
    ),
)


def condition(text: str, critical: bool, why: str) -> Condition:
    return Condition(text=text, critical=critical, origin="rules", why=why)


def supported() -> Certificate:
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence_of([TRIAL]), [{1: (0.714, 0.006), 2: (0.9123, 0.003)}])


def refuted_with_conflict() -> Certificate:
    return scored(
        CLAIM,
        VITAMIN,
        [whole(VITAMIN)],
        evidence_of([TRIAL, REVIEW]),
        [{2: (0.95, 0.004), 5: (0.003, 0.94)}],
    )


def not_enough_evidence() -> Certificate:
    return scored(
        CLAIM,
        METFORMIN,
        [
            condition("Metformin lowers fasting glucose in adults with prediabetes.", True, "first of two facts"),
            condition("Metformin lowers body weight in adults with prediabetes.", True, "second of two facts"),
            whole(METFORMIN, critical=False, why="the conditions cover it"),
        ],
        evidence_of([COHORT]),
        [{0: (0.881, 0.004)}, {1: (0.312, 0.07)}, {0: (0.5496, 0.02), 1: (0.1, 0.1)}],
    )


def yes() -> Certificate:
    text = "Does vitamin D supplementation prevent acute respiratory infection?"
    policy = Policy(name="mine", windows=(1, 2), tau=0.5)
    return scored(
        QUESTION,
        text,
        [whole(VITAMIN)],
        evidence_of([TRIAL], pairs=True),
        [{1: (0.61, 0.01), 2: (0.9, 0.003), 4: (0.58, 0.01), 5: (0.972, 0.002), 6: (0.86, 0.004)}],
        policy=policy,
    )


def no() -> Certificate:
    text = "Does vitamin D prevent acute respiratory infection?"
    return scored(QUESTION, text, [whole(VITAMIN)], evidence_of([REVIEW]), [{1: (0.0003, 0.9996)}])


def maybe() -> Certificate:
    text = "Does metformin lower body weight in adults with prediabetes?"
    hypothesis = "Metformin lowers body weight in adults with prediabetes."
    return scored(QUESTION, text, [whole(hypothesis)], evidence_of([COHORT]), [{1: (0.05, 0.41)}])


def below_threshold() -> Certificate:
    policy = promising(Policy(name="calibrated", tau=0.8, confidence="min_margin"), [promise()])
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence_of([TRIAL]), [{2: (0.712, 0.021)}], policy=policy)


def promise() -> Promise:
    return Promise(
        method="Clopper–Pearson with fixed sequence",
        target=Target.DECISIVE,
        alpha=0.1,
        delta=0.05,
        n=300,
        answered=180,
        errors=9,
        interval=(0.023, 0.093),
        nli_sha256=PROVENANCE.nli.sha256,
        decomposer="rules 1",
        splitter="scientific 1",
        data_sha256=sha("data made for these tests"),
        policy_sha256="0" * 64,
    )


def nothing_promised() -> Certificate:
    policy = Policy(name="calibrated", tau=None)
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence_of([TRIAL]), [{2: (0.93, 0.002)}], policy=policy)


def evidence_conflict() -> Certificate:
    policy = Policy(name="careful", on_conflict="abstain", yes_needs="all")
    scores = [{2: (0.95, 0.004), 5: (0.003, 0.94)}]
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence_of([TRIAL, REVIEW]), scores, policy=policy)


def evidence_truncated() -> Certificate:
    why = "more than 4 sentences: those that share most words with the conditions were read"
    unread = [
        Unread(document="review-2", sentences=2, why=why),
        Unread(document="scan.pdf", sentences=None, why="not UTF-8 (byte 0): save it as UTF-8"),
    ]
    evidence = evidence_of([TRIAL], unread=unread)
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence, [{2: (0.93, 0.002)}])


def retracted_only() -> Certificate:
    sources = [
        Source("withdrawn-3", TRIAL.sentences, title="Vitamin D3 and infection", retracted=True),
        Source("cohort", COHORT.sentences),
    ]
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence_of(sources), [{2: (0.93, 0.002)}])


def no_evidence() -> Certificate:
    obstacle = Obstacle(reason=Reason.NO_EVIDENCE, detail="the evidence holds no sentence to read")
    return unscored(CLAIM, VITAMIN, obstacle=obstacle, conditions=[whole(VITAMIN)])


def not_decomposable() -> Certificate:
    detail = "the statement is empty: write the claim or question to check"
    return unscored(CLAIM, " \t", obstacle=Obstacle(reason=Reason.NOT_DECOMPOSABLE, detail=detail))


def unsupported_language() -> Certificate:
    detail = "the statement is in another language (fr) than the NLI model reads (en)"
    text = "La vitamine D prévient-elle les infections respiratoires aiguës chez l’adulte ?"
    return unscored(QUESTION, text, obstacle=Obstacle(reason=Reason.UNSUPPORTED_LANGUAGE, detail=detail))


def failure() -> Certificate:
    return unscored(
        CLAIM,
        VITAMIN,
        failure=("BackendError", "pair 3 could not be scored: the model returned 2 columns, not 3"),
        conditions=[whole(VITAMIN)],
        evidence=evidence_of([TRIAL]),
    )


def long_sentence() -> Certificate:
    """One sentence in parts, one proposed condition dropped, more support than is shown."""
    table = (
        "Outcomes by arm were as follows: infection in 43 of 205 (vitamin D) and in 70 of 207 (placebo), "
        "hospital admission in 4 and in 9, days of illness 5.1 and 6.8, and antibiotic use in 22 and in 41, "
        "with all analyses adjusted for age, sex, season and baseline 25(OH)D."
    )
    sentences = (*TRIAL.sentences, table, *("Infection was rarer with vitamin D than with placebo.",) * 3)
    windows: dict[int, tuple[float, float]] = {2: (0.91, 0.003), 5: (0.67, 0.02)}
    windows |= dict.fromkeys((8, 9, 10), (0.83, 0.004))
    return scored(
        CLAIM,
        VITAMIN,
        [whole(VITAMIN, why="the decomposition dropped a condition")],
        evidence_of([Source(TRIAL.id, sentences, TRIAL.title)], parts={4: 4}),
        [windows],
        dropped=["Vitamin D is cheap. (the statement does not entail it)"],
        note="one of two proposed conditions was used",
    )


HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> </blockquote></main> # heading",
    "![pixel](https://evil.example/p.png) [go](javascript:alert(3)) <https://evil.example> www.evil.example",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J back\x08space, \u202egnp.exe\u202c\u2066 hidden\u200b mark",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\n- list\n1. one\n```sh\nrm -rf /\n```\n===\n---",
    "Pneumonoultramicroscopicsilicovolcanoconiosis" * 4 + " is one word; 👩\u200d🔬 found β-caténin at 5 µM.",
    "@everyone see #1, GH-2 or mail a@evil.example about $x$ at 1:100:10 &amp; &lt;b&gt; \\*not\\* **bold**"
    " ~~no~~ `x`",
)


def hostile() -> Certificate:
    text = HOSTILE[0] + " " + HOSTILE[1]
    sources = [
        Source("<b>id</b>|`x`\x1b[2J@me", HOSTILE[:3], title="[t](https://evil.example) \u202eeltit"),
        Source("# d\n2", HOSTILE[3:], title="<i>"),
    ]
    unread = [Unread(document="*u*\x1b[1m", sentences=3, why="<u>why</u> [x](y)")]
    return scored(
        CLAIM,
        text,
        [condition(HOSTILE[5], True, "<em>why</em>\x1b[5m"), whole(text, critical=False, why="# covered")],
        evidence_of(sources, unread=unread),
        [{0: (0.9, 0.01), 1: (0.8, 0.01), 2: (0.7, 0.01), 4: (0.6, 0.01)}, {3: (0.01, 0.97)}],
        policy=Policy(name="<p>*policy*"),
        dropped=["1. <b>dropped</b> \x1b[0m"],
        note="- **note** https://evil.example",
    )


def greek_and_numbers() -> Certificate:
    """Decomposed letters, units, superscripts, and a number that would round onto its threshold."""
    text = "β-catenine\u0301 falls at ≤ 5 µM, not at 5 mM."
    source = Source("β", ("β-catenine\u0301 fell at 5 µM (10⁻⁶ M).", "ΔG was −3.2 ± 0.4 kJ·mol⁻¹."))
    policy = Policy(name="paper", tau=0.541)
    return scored(CLAIM, text, [whole(text)], evidence_of([source]), [{0: (0.5512, 0.0098)}], policy=policy)


def nothing_cited() -> Certificate:
    """Scores without a single window that the policy reads near a threshold."""
    return scored(CLAIM, VITAMIN, [whole(VITAMIN)], evidence_of([COHORT]), [{}])


SAMPLES: dict[str, Callable[[], Certificate]] = {
    make.__name__: make
    for make in (
        supported,
        refuted_with_conflict,
        not_enough_evidence,
        yes,
        no,
        maybe,
        below_threshold,
        nothing_promised,
        evidence_conflict,
        evidence_truncated,
        retracted_only,
        no_evidence,
        not_decomposable,
        unsupported_language,
        failure,
        long_sentence,
        hostile,
        greek_and_numbers,
        nothing_cited,
    )
}
