"""Two sentences of our own for each phenomenon: those a model gets wrong are the examples in its card.

Evaluation only: too few for a rate, and not seen by the generator of `contrast/`.
"""

from typing import Any

from training.nli.pairs import LABELS
from training.nli.scorer import Scorer

E, N, C = LABELS

EXAMPLES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "background": (
        ("We set out to learn whether beet juice shortens recovery.", "Beet juice shortens recovery.", N),
        ("Garlic is widely believed to repel ticks, which we tested.", "Garlic repels ticks.", N),
    ),
    "causation": (
        ("Households with more books had children with better eyesight.", "Owning books improves eyesight.", N),
        ("Knocking out the gene abolished the tremor.", "The gene is involved in the tremor.", E),
    ),
    "comparison": (
        ("Grade II burns healed faster under honey than under gauze.", "Honey was slower than gauze for them.", C),
        ("Goats shed fewer eggs than sheep.", "Sheep shed more eggs than goats.", E),
    ),
    "conditional": (
        ("The dressing helps only if the wound is clean.", "The dressing helps dirty wounds.", C),
        ("If kept frozen, the enzyme lasts a year.", "The enzyme lasts a year at room temperature.", N),
    ),
    "conjunction": (
        ("The balm eased itching but not pain.", "The balm eased itching and pain.", C),
        ("Both rye and barley carried the fungus.", "Barley carried the fungus.", E),
    ),
    "direction": (
        ("Night shifts shortened sleep by an hour.", "Night shifts lengthened sleep.", C),
        ("Soil acidity dropped after liming.", "Liming lowered soil acidity.", E),
    ),
    "entity-swap": (
        ("Kaolin bound the toxin.", "Bentonite bound the toxin.", N),
        ("Hepatitis E was found in 4% of donors.", "Hepatitis B was found in 4% of donors.", N),
    ),
    "hedging": (
        ("Moss extract might calm the gut.", "Moss extract calms the gut.", N),
        ("It has been shown that bats carry the virus.", "Bats may carry the virus.", E),
    ),
    "irrelevant": (
        ("The clinic has two entrances.", "Cranberries prevent cystitis.", N),
        ("Cranberries were bought from three growers.", "Cranberries prevent cystitis.", N),
    ),
    "lexical-overlap": (
        ("The parasite that the beetle ate killed the moth.", "The beetle killed the moth.", N),
        ("The nurse who advised the surgeon resigned.", "The surgeon resigned.", N),
    ),
    "necessity": (
        ("Calcium is needed for the clot to form.", "Without calcium the clot does not form.", E),
        ("The switch can open without the ligand.", "The ligand is required to open the switch.", C),
    ),
    "negation": (
        ("Lavender oil failed to repel midges.", "Lavender oil repelled midges.", C),
        ("No ewe lost her lamb.", "Some ewes lost their lambs.", C),
    ),
    "numbers": (
        ("Nineteen of the 25 kittens recovered.", "Most of the kittens recovered.", E),
        ("The tide rose by 3.1 metres.", "The tide rose by 1.3 metres.", C),
    ),
    "population": (
        ("In toddlers the syrup stopped coughing.", "The syrup stops coughing in the elderly.", N),
        ("Every patient over 70 improved.", "A 75-year-old patient improved.", E),
    ),
    "quantifiers": (
        ("A few of the ferns survived the frost.", "All ferns survived the frost.", C),
        ("All the hives collapsed.", "Most of the hives collapsed.", E),
    ),
    "role-swap": (
        ("Lynx numbers follow hare numbers.", "Hare numbers follow lynx numbers.", N),
        ("The kinase phosphorylates the receptor.", "The receptor is phosphorylated by the kinase.", E),
    ),
    "significance": (
        ("Weight fell by 0.2 kg (P = 0.61).", "Weight fell significantly.", C),
        ("The ratio was 1.8 (95% CI 1.2 to 2.7).", "The ratio was significantly raised.", E),
    ),
    "synonyms": (
        ("The pill averts migraine.", "The pill prevents migraine.", E),
        ("The rash vanished.", "The rash disappeared.", E),
    ),
    "temporal": (
        ("Fever came a week after the rash.", "The rash came before the fever.", E),
        ("The gain was lost by the second year.", "The gain lasted five years.", C),
    ),
    "units": (
        ("Each capsule holds 50 µg of the hormone.", "Each capsule holds 50 mg of the hormone.", C),
        ("The trial ran for 24 months.", "The trial ran for two years.", E),
    ),
}  # fmt: skip


def known_failures(scorer: Scorer) -> list[dict[str, Any]]:
    """The examples that the model gets wrong, with what it says instead."""
    rows = [(name, *row) for name, examples in EXAMPLES.items() for row in examples]
    scores = scorer.score([(premise, hypothesis) for _, premise, hypothesis, _ in rows])
    return [
        {
            "phenomenon": name,
            "premise": premise,
            "hypothesis": hypothesis,
            "gold": gold,
            "said": LABELS[int(p.argmax())],
            "p": round(float(p.max()), 3),
        }
        for (name, premise, hypothesis, gold), p in zip(rows, scores, strict=True)
        if LABELS[int(p.argmax())] != gold
    ]
