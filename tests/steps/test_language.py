from __future__ import annotations

import json
from pathlib import Path

import pytest

from epoche.steps.language import foreign

FOREIGN = {
    "fr": [
        "Est-ce que la vitamine D prévient les infections respiratoires aiguës chez les enfants ?",
        "Les statines n'augmentent pas le risque de cancer du sein.",
    ],
    "de": [
        "Verhindert die Gabe von Vitamin D akute Atemwegsinfektionen bei Kindern?",
        "Rauchen verursacht Lungenkrebs und erhöht das Risiko für Schlaganfälle.",
    ],
    "es": ["El tabaco aumenta el riesgo de cáncer de pulmón en mujeres."],
    "it": ["Il fumo aumenta il rischio di tumore del polmone nelle donne."],
    "pt": ["O tabagismo aumenta o risco de câncer de pulmão em mulheres."],
    "nl": ["Roken verhoogt het risico op longkanker bij vrouwen en mannen."],
    "pl": ["Palenie zwiększa ryzyko raka płuc u kobiet i mężczyzn."],
    "tr": ["Sigara içmek kadınlarda akciğer kanseri riskini önemli ölçüde artırır."],
    "ru": ["Курение повышает риск рака легких у женщин."],
    "zh": ["吸烟会增加女性患肺癌的风险。"],
    "ja": ["ビタミンDは子どもの急性呼吸器感染症を予防する。"],
    "ar": ["التدخين يزيد من خطر الإصابة بسرطان الرئة لدى النساء."],
    "ko": ["비타민 D는 어린이의 급성 호흡기 감염을 예방한다."],
    "el": ["Η βιταμίνη D προλαμβάνει τις οξείες λοιμώξεις του αναπνευστικού στα παιδιά."],
}


@pytest.mark.parametrize(("code", "text"), [(c, t) for c, texts in FOREIGN.items() for t in texts])
def test_case_24_another_language_is_recognised(code: str, text: str) -> None:
    assert foreign(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PTEN regulates AKT1 via PIP3.",
        "miR-21 targets PDCD4 mRNA.",
        "Tau phosphorylation impairs axonal transport.",
        "Escherichia coli Candida albicans Staphylococcus aureus Pseudomonas aeruginosa Homo sapiens",
        "β-Catenin/TCF4 α-SMA TGF-β1 κB",
        "alpha " * 500,
        "5 µM ± 0.2 (n = 6)",
    ],
)
def test_case_24_symbols_species_and_short_claims_are_not(text: str) -> None:
    assert foreign(text) is None


def test_no_english_claim_question_or_abstract_is_taken_for_another_language(data: Path) -> None:
    texts = []
    for line in (data / "scifact" / "claims_train.jsonl").read_text(encoding="utf-8").splitlines():
        texts.append(json.loads(line)["claim"])
    for line in (data / "scifact" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[::5]:
        texts.append(" ".join(json.loads(line)["abstract"]))
    items = json.loads((data / "pubmedqa" / "pqal_train.json").read_text(encoding="utf-8"))
    texts += [item["QUESTION"] for item in items.values()]
    assert [t for t in texts if foreign(t)] == []
