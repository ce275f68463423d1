"""Word tables: verbs with their forms, opposites and synonyms, populations, lead-ins."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """A transitive finding verb: its forms, direction (+1, 0, −1), an opposite and near synonyms (lemmas)."""

    base: str
    third: str
    past: str
    participle: str
    ing: str
    direction: int
    opposite: str
    synonyms: tuple[str, ...]


def _forms(base: str, direction: int, opposite: str, synonyms: str) -> Verb:
    """Regular forms; doubling and irregular verbs are spelt out in the table."""
    lemma, _, irregular = base.partition("|")
    head, _, particle = lemma.partition(" ")
    tail = f" {particle}" if particle else ""
    third = head + ("es" if head.endswith(("s", "sh", "ch", "x")) else "s")
    past = head + ("d" if head.endswith("e") else "ed")
    ing = (head[:-1] if head.endswith("e") else head) + "ing"
    participle = past
    if irregular:
        past, participle, ing = irregular.split("/")
    words = tuple(s.strip() for s in synonyms.split(",") if s.strip())
    return Verb(lemma, third + tail, past + tail, participle + tail, ing + tail, direction, opposite, words)


_TABLE = (
    ("increase", 1, "decrease", "raise, elevate"),
    ("raise", 1, "lower", "increase, elevate"),
    ("elevate", 1, "lower", "raise, increase"),
    ("enhance", 1, "impair", "strengthen"),
    ("strengthen", 1, "weaken", "enhance"),
    ("promote", 1, "inhibit", "favour"),
    ("favour", 1, "inhibit", "promote"),
    ("improve", 1, "worsen", ""),
    ("worsen", -1, "improve", ""),
    ("stimulate", 1, "suppress", ""),
    ("activate", 1, "inhibit", "switch on"),
    ("switch on", 1, "switch off", "activate"),
    ("switch off", -1, "switch on", ""),
    ("induce", 1, "suppress", "trigger"),
    ("trigger", 1, "suppress", "induce"),
    ("upregulate", 1, "downregulate", "increase"),
    ("downregulate", -1, "upregulate", "decrease"),
    ("augment", 1, "diminish", "increase, boost"),
    ("boost", 1, "diminish", "augment"),
    ("accelerate", 1, "slow", "speed up"),
    ("speed up|sped/sped/speeding", 1, "slow", "accelerate"),
    ("slow", -1, "accelerate", ""),
    ("decrease", -1, "increase", "reduce, lower"),
    ("reduce", -1, "increase", "decrease, lower"),
    ("lower", -1, "raise", "decrease, reduce"),
    ("diminish", -1, "boost", "reduce"),
    ("inhibit", -1, "promote", "suppress"),
    ("suppress", -1, "stimulate", "inhibit"),
    ("repress", -1, "activate", "suppress"),
    ("attenuate", -1, "augment", "weaken, blunt"),
    ("weaken", -1, "strengthen", "attenuate"),
    ("blunt", -1, "augment", "attenuate"),
    ("impair", -1, "improve", "compromise"),
    ("compromise", -1, "improve", "impair"),
    ("block", -1, "promote", "prevent"),
    ("prevent", -1, "promote", "avert"),
    ("avert", -1, "promote", "prevent"),
    ("abolish", -1, "restore", "eliminate"),
    ("eliminate", -1, "restore", "abolish"),
    ("restore", 1, "abolish", ""),
    ("delay", -1, "accelerate", "slow"),
    ("cause", 1, "prevent", "give rise to"),
    ("give rise to|gave/given/giving", 1, "prevent", "cause"),
    ("lead to|led/led/leading", 1, "prevent", "give rise to"),
    ("result in", 1, "prevent", "lead to"),
    ("contribute to", 1, "prevent", ""),
    ("protect against", -1, "promote", ""),
    ("exacerbate", -1, "alleviate", "worsen, aggravate"),
    ("aggravate", -1, "alleviate", "exacerbate"),
    ("alleviate", 1, "aggravate", "ease"),
    ("ease", 1, "aggravate", "alleviate"),
    ("ameliorate", 1, "aggravate", "alleviate"),
    ("facilitate", 1, "hinder", "aid"),
    ("aid", 1, "hinder", "facilitate"),
    ("hinder", -1, "facilitate", "hamper"),
    ("hamper", -1, "facilitate", "hinder"),
    ("disrupt", -1, "preserve", "disturb"),
    ("disturb", -1, "preserve", "disrupt"),
    ("preserve", 1, "disrupt", "maintain"),
    ("maintain", 1, "disrupt", "preserve"),
    ("drive|drove/driven/driving", 1, "prevent", "promote"),
    ("prolong", 1, "shorten", "extend, lengthen"),
    ("extend", 1, "shorten", "prolong, lengthen"),
    ("lengthen", 1, "shorten", "prolong"),
    ("shorten", -1, "prolong", "cut short"),
    ("cut short|cut short/cut short/cutting short", -1, "prolong", "shorten"),
    ("stabilize", 1, "destabilize", ""),
    ("destabilize", -1, "stabilize", ""),
    ("phosphorylate", 0, "dephosphorylate", "add phosphate groups to"),
    ("add phosphate groups to", 0, "dephosphorylate", ""),
    ("dephosphorylate", 0, "phosphorylate", ""),
    ("potentiate", 1, "attenuate", "strengthen"),
    ("limit", -1, "promote", "restrict"),
    ("restrict", -1, "promote", "limit"),
    ("regulate", 0, "", "control, affect"),
    ("control|controlled/controlled/controlling", 0, "", "regulate"),
    ("affect", 0, "", "influence, alter"),
    ("influence", 0, "", "affect"),
    ("modulate", 0, "", "alter, affect"),
    ("alter", 0, "", "change, affect"),
    ("change", 0, "", "alter"),
    ("disable", -1, "activate", "inactivate"),
    ("inactivate", -1, "activate", "disable"),
    ("silence", -1, "activate", "repress"),
    ("kill", -1, "protect", ""),
    ("protect", 1, "harm", ""),
    ("harm", -1, "protect", ""),
)
VERBS: dict[str, Verb] = {v.base: v for v in (_forms(*row) for row in _TABLE)}
_REPLACEMENTS = (
    "favour, blunt, speed up, switch on, switch off, avert, give rise to, slow, ease, cut short, aid, "
    "add phosphate groups to, control, change, harm, protect, disable, lower"
)
EXTRACTED = tuple(v for v in VERBS if v not in _REPLACEMENTS.split(", "))
"""Verbs looked for in sentences; the others occur only as replacements."""

LEAD_INS = (
    r"(?:here|in this (?:study|work|paper|report|trial|article)|in the present study|in our study|in addition|"
    r"moreover|"
    r"furthermore|additionally|finally|together|taken together|collectively|overall|thus|therefore|hence|"
    r"in conclusion|in summary|conclusions?|interestingly|importantly|notably|remarkably|surprisingly|"
    r"consistently|accordingly|mechanistically|strikingly|however|conversely|in contrast|indeed|similarly|"
    r"also|as expected|unexpectedly|in turn|consequently|as a result|results?|findings|specifically|"
    r"on the other hand|by contrast|likewise|we conclude|subsequently|to this end)\s*[,:]?\s+"
)
REPORTING = (
    r"(?:(?:we|our (?:\w+ )?(?:results?|data|findings|study|studies|work|analys[ei]s|experiments|observations)|"
    r"(?:the|these|this|the present|the current) (?:\w+ )?(?:results?|data|findings|study|studies|observations|"
    r"experiments|evidence|analysis|trial|work)|it (?:is|was|has been)|authors|investigators)\s+"
    r"(?:(?:also|further|now|clearly|strongly|here|recently|previously|then|have|has) )*"
    r"(?:show|shows|showed|shown|demonstrate[sd]?|find|finds|found|report|reports|reported|reveal|reveals|revealed|"
    r"indicate[sd]?|establish|establishes|established|confirm|confirms|confirmed|observed?|conclude[sd]?|"
    r"provide[sd]? evidence|identified|discovered|prove[sd]?|identify|document|document(?:s|ed)|known|noted)\s+"
    r"(?:that|how)\s+)"
)
SPECULATIVE = (
    r"\b(?:may|might|could|can|would|should|will|possibl[ey]|potential(?:ly)?|likely|unlikely|perhaps|"
    r"presumabl[ey]|"
    r"suggest\w*|propos\w*|hypothes\w*|whether|unclear|unknown|controversial|speculat\w*|believed|thought|"
    r"assum\w*|appear\w*|seem\w*|putative\w*|if|predict\w*|aim\w*|sought|plausibl\w*|expected|implicat\w*)\b"
)
NEGATIVE = (
    r"\b(?:not|no|never|neither|nor|none|without|fail\w*|lack\w*|cannot|n't|unable|absence|unchanged|except|unless|"
    r"only|rather than|instead|hardly|barely|although|despite|but)\b|n't\b"
)
FINITE = (
    r"\b(?:is|are|was|were|be|been|being|has|have|had|having|do|does|did|that|which|who|whose|whom|when|while|"
    r"whereas|"
    r"because|since|although|though|if|we|they|it|this|these|those|there|he|she|you|I|our|their|its|his|her|may|"
    r"might|can|"
    r"could|will|would|should|must|as|than|show\w*|demonstrat\w*|found|finds?|reveal\w*|indicat\w*|report\w*|"
    r"becom\w*|became|led|leads?|results? in|resulted|remain\w*|occur\w*|appear\w*|exhibit\w*|display\w*|"
    r"used|using|uses|determin\w*|investigat\w*|examin\w*|assess\w*|evaluat\w*|identif\w*|observ\w*|contribut\w*|"
    r"play(?:s|ed)?|follow(?:s|ed|ing)|caus(?:es|ed)|suggest\w*|such|including|both|either|neither|not|no|same|"
    r"here|thus|also|how|what|where|why|then|one|other|another|them|itself|themselves|whether|until|provides?|"
    r"provided|according|based|due|related|compared|associated with|up to|releases?|produces?|satisfy|achieve|"
    r"undergo|requires?|includes?|contains?|represents?|enables?|allows?|makes?|gives?|ability to)\b"
)
FUNCTION = set(
    "a an the of in on at to by for with from into and or nor but as via per between among during after before "
    "under over "
    "both either more most less least very highly significantly markedly strongly further also only even still "
    "not no "
    "than through against within without across upon about around towards toward respectively thereby thus then "
    "this that these those which who its their our some any each every all is are was were".split()
)
ADVERBS = (
    r"(?:significantly|markedly|strongly|dramatically|substantially|further|specifically|directly|also|greatly|"
    r"potently|effectively|selectively|efficiently|robustly|dose-dependently|rapidly|profoundly|consistently|"
    r"clearly|independently|modestly|slightly|moderately|partially|completely|progressively|synergistically|"
    r"negatively|positively|subsequently|actively|preferentially|indirectly|severely|transiently|simultaneously|"
    r"considerably|similarly|drastically|remarkably)"
)
MODALS = r"(?:may|might|could)"

# Populations by kind: a finding in one says nothing about another.
POPULATIONS: tuple[tuple[str, ...], ...] = (
    ("men", "women"),
    ("boys", "girls"),
    ("children", "adults", "older adults", "adolescents", "infants"),
    ("mice", "rats", "patients", "zebrafish", "monkeys", "healthy volunteers"),
    ("pregnant women", "postmenopausal women", "elderly men"),
)
# (special, general): what holds in a sample of the special one holds in some of the general one.
NARROWER: dict[str, str] = {
    "mice": "rodents",
    "rats": "rodents",
    "women": "humans",
    "men": "humans",
    "children": "humans",
    "adults": "humans",
    "infants": "children",
    "adolescents": "young people",
    "rodents": "animals",
    "monkeys": "primates",
    "boys": "children",
    "girls": "children",
}
SYNONYMS: tuple[tuple[str, str], ...] = (
    ("tumour", "neoplasm"),
    ("tumor", "neoplasm"),
    ("tumors", "neoplasms"),
    ("tumours", "neoplasms"),
    ("hypertension", "high blood pressure"),
    ("myocardial infarction", "heart attack"),
    ("renal", "kidney"),
    ("hepatic", "liver"),
    ("pulmonary", "lung"),
    ("cardiac", "heart"),
    ("mortality", "the death rate"),
    ("obesity", "excessive body weight"),
    ("hyperglycemia", "high blood glucose"),
    ("hypoglycemia", "low blood glucose"),
    ("apoptosis", "programmed cell death"),
    ("angiogenesis", "the formation of new blood vessels"),
    ("neurogenesis", "the generation of neurons"),
    ("phagocytosis", "the engulfment of particles"),
    ("cancer", "malignancy"),
    ("neurons", "nerve cells"),
    ("platelets", "thrombocytes"),
    ("erythrocytes", "red blood cells"),
    ("leukocytes", "white blood cells"),
    ("adipocytes", "fat cells"),
    ("hepatocytes", "liver cells"),
    ("cardiomyocytes", "heart muscle cells"),
    ("infants", "babies"),
    ("elderly", "older"),
    ("smoking", "tobacco use"),
    ("stroke", "cerebrovascular accident"),
    ("fever", "raised body temperature"),
    ("breast cancer", "mammary carcinoma"),
    ("inflammation", "inflammatory responses"),
    ("proliferation", "cell division"),
    ("longevity", "lifespan"),
    ("lifespan", "life expectancy"),
    ("diabetes", "diabetes mellitus"),
    ("depression", "depressive illness"),
    ("weight loss", "a fall in body weight"),
    ("bleeding", "haemorrhage"),
    ("metastasis", "the spread of tumours"),
    ("thrombosis", "clot formation"),
    ("alcohol", "ethanol"),
    ("SARS-CoV-2", "the virus that causes COVID-19"),
    ("physical activity", "exercise"),
    ("physicians", "doctors"),
    ("autophagy", "the degradation of cell components in lysosomes"),
    ("glucose uptake", "the uptake of glucose"),
    ("insulin resistance", "a weakened response to insulin"),
    ("insulin sensitivity", "the response to insulin"),
    ("cell death", "the death of cells"),
    ("tumor growth", "the growth of tumours"),
    ("gene expression", "the expression of genes"),
    ("cell proliferation", "the proliferation of cells"),
    ("cell migration", "the migration of cells"),
    ("bone loss", "loss of bone mass"),
    ("weight gain", "a rise in body weight"),
    ("food intake", "the amount of food eaten"),
    ("blood pressure", "arterial pressure"),
)
