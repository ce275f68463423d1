"""Lexicon: small closed lists of English words, and the verbs of scientific prose.

Lists only; what is done with them is in `grammar`. A word that is missing costs a split or a
smoother sentence, never a fact: everything built on these lists falls back to the whole text.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS = _words("it they he she we you i this these those that")
#: Pronouns that need no antecedent in the text.
PERSONAL = _words("we you i one")
#: Words that point out of their clause, so that it cannot stand alone.
ANAPHORA = _words(
    "it its itself they them their theirs themselves he him his himself she her hers herself "
    "this these those such former latter others another other same ones thereby thus therefore however "
    "latter's former's so here there"
)
ARTICLES = _words("a an the")
DETERMINERS = ARTICLES | _words(
    "this these those another each every some any no all both either neither its their his her our my your"
)
PREPOSITIONS = _words(
    "about above across after against along amid among amongst around as at before behind below beneath "
    "beside besides between beyond by despite during except for from in inside into like near of off on "
    "onto out outside over past per post prior regarding since than through throughout till to toward "
    "towards under until unlike up upon via vs versus with within without worth concerning including "
    "following given"
)
CONJUNCTIONS = _words("and or but nor yet")
SUBORDINATORS = _words(
    "if unless whether when whenever while whilst because since although though whereas where wherever "
    "until till once provided lest whereby"
)
RELATIVES = _words("that which who whom whose where whereby")
MODALS = _words("can could may might must shall should will would cannot")
BE = _words("is are was were am")
HAVE = _words("has have had")
DO = _words("do does did")
AUXILIARIES = MODALS | BE | HAVE | DO
#: Contracted auxiliaries, spelled without the apostrophe, and what they stand for.
CONTRACTED = {
    "isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "don't": "do", "doesn't": "does",
    "didn't": "did", "can't": "can", "couldn't": "could", "shouldn't": "should", "won't": "will",
    "wouldn't": "would", "hasn't": "has", "haven't": "have", "hadn't": "had", "mustn't": "must",
    "mightn't": "might", "shan't": "shall",
}  # fmt: skip
WH_WORDS = _words("what which who whom whose why how when where")
NEGATIONS = _words("not no never none neither nor without cannot nothing nobody n't") | frozenset(CONTRACTED)
HEDGES = _words(
    "possibly probably perhaps potentially likely unlikely apparently presumably seemingly putatively "
    "generally usually typically often sometimes rarely seldom partially partly mainly mostly largely "
    "predominantly almost nearly approximately about around roughly suggest suggests suggested appear "
    "appears appeared seem seems seemed tend tends tended potential"
)
COMPARISONS = _words(
    "more less fewer greater smaller higher lower larger longer shorter better worse stronger weaker faster "
    "slower earlier later older younger most least best worst highest lowest largest smallest than twice "
    "half double equal equally same similar different superior inferior before after prior"
)
QUANTIFIERS = _words(
    "all some most many few several every only any alone always never none exclusively solely half majority "
    "minority least"
)
#: Verbs and adverbs that make a coordinated subject or object one thing.
COLLECTIVE = _words(
    "together jointly simultaneously synergistically synergistic synergy combined combination combine "
    "combines combining interact interacts interaction cooperate cooperates compete competes between among "
    "amongst mutual mutually collectively concurrently coordinately ratio difference differences share shares "
    "correlate correlates correlation related identical similar different differ differs same respective "
    "alternatively alternating additive co-operate versus vs pair pairs plus coupled mixture union "
    "intersection association relationship link balance comparison crosstalk cross-talk concomitant"
)
ADVERBS = _words(
    "not also still really always ever never even only just now then often sometimes usually significantly "
    "independently already further generally rather quite very truly actually indeed both therefore thus "
    "well less more most least so too almost nearly subsequently directly indirectly strongly"
)
NOT_ADVERBS = _words(
    "family elderly anomaly anomalies assembly early daily weekly monthly yearly fly butterfly supply reply "
    "apply rely imply comply multiply july italy friendly likely unlikely only ply jelly belly lily"
)
NOUN_LIKE = _words("elderly family anomaly assembly supply reply fly")

#: Verbs whose base form is hardly ever a noun.
VERBS = _words(
    "abolish absorb accelerate accept accompany accumulate achieve acquire activate adapt add adhere affect "
    "agree aggravate alleviate allow alter ameliorate amplify antagonize appear apply arise arrest assess "
    "assist associate attenuate avoid be become begin believe belong bind bring build capture carry catalyze "
    "characterize choose circulate cleave coincide collaborate colonize compare compensate complicate "
    "comprise concentrate confer confirm consist constitute consume contain continue contribute convert "
    "correlate counteract create cure damage decline degrade deliver demonstrate depend deplete derive "
    "deserve destroy detect deteriorate determine develop diagnose die differ differentiate diminish disappear "
    "discriminate disrupt distinguish do downregulate down-regulate drive elevate elicit eliminate emerge "
    "enable encode encourage engage enhance enlarge enrich ensure enter eradicate establish evaluate evolve "
    "exacerbate exceed excrete exert exhibit exist expand experience explain express extend facilitate fail "
    "find fluctuate follow forget forego form foster function gain generate get give go govern grow harbor "
    "harbour have help hinder hydrolyze hypothesize identify ignore impair implement improve include "
    "incorporate indicate induce infect infer infiltrate inform inhibit initiate integrate interact interfere "
    "intervene invade invert involve irritate keep know lack lead learn lengthen lessen lie limit localize "
    "locate lose lower maintain manage matter maximize mediate metabolize migrate mimic minimize miss mitigate "
    "mobilize modify modulate mutate need neutralize normalize obtain occur offer operate outweigh "
    "overcome overexpress overestimate participate pass penetrate perceive perform persist phosphorylate "
    "play polarize possess potentiate precede predict predispose prefer preserve prevent proceed produce "
    "progress prohibit proliferate prolong promote propagate protect prove provide provoke qualify quantify "
    "raise reach react receive recognize recover recruit reduce reflect regenerate regulate relate relieve "
    "rely remain remodel remove render repair repress reproduce require resemble reside resist resolve "
    "respond restore restrict retain reveal reverse save secrete sensitize separate serve shorten simplify "
    "solve speak spend spread stabilize stem stimulate strengthen stimulate suffer suggest suppress surpass "
    "survive sustain synthesize take tell tend terminate think tolerate transcribe transduce translate transmit "
    "transform trigger undergo understand underestimate underlie upregulate up-regulate utilize "
    "vary warrant weaken widen withstand worsen write yield accentuate "
    "accelerate acidify adjust advance aggregate agonize alleviate anticipate appreciate assemble attend "
    "attract bypass calcify cause coexist collapse combat commit confound contradict converge "
    "cooperate cope deacetylate deliver dephosphorylate desensitize destabilize deviate dimerize disassemble "
    "dissociate divide downmodulate efface eject engulf entail enforce evade evoke exclude exploit expose "
    "fertilize heal hamper harm harness heighten hybridize immunize impede inactivate indicate ingest inherit "
    "innervate intensify internalize interpret investigate justify kill methylate mature merit obey oligomerize "
    "oppose optimize originate oscillate outperform oxidize perpetuate permit persuade polymerize preclude "
    "prescribe presuppose prime prompt purify reactivate realize reassure recapitulate reprogram rescue "
    "restrain resume rewire scavenge sequester shrink silence skew slow soften "
    "specify standardize stiffen stratify subside supplement suffice swallow tether thicken "
    "thrive tighten traffic transactivate transfer ubiquitinate unfold uphold vaccinate validate "
    "vanish visualize withdraw acetylate adopt afford aid announce answer arrive bear bleed breathe broaden "
    "clarify cluster coordinate decelerate decrease deem define delay diagnose disclose display disturb "
    "dominate donate eat elongate embody endanger endure equal escape exceed extract fall feel feed flatten "
    "fluoresce fragment fuse halt hasten hold hydrolyse improve inhabit inject insert jeopardize join lengthen "
    "lighten live localise meet metabolise minimise maximise mobilise move multiply negate normalise "
    "nourish occlude occupy offset omit open optimise orchestrate overlap owe peak prolong pursue "
    "quit recede recur reinforce relapse relax relocate replace replicate reply resorb return rise rupture "
    "say see seek seem segregate send sense sequence share show shed smell stabilise stay stop stretch "
    "submit substitute succeed summarize surround swell thrombose throw tolerate utilise want wear "
    "welcome win wish characterise recognise catalyse synthesise sensitise neutralise polarise oxidise "
    "analyse analyze read ask check train enroll enrol"
)
#: Verbs whose base form is as often a noun or an adjective.
NOUN_VERBS = _words(
    "abuse access account act age aim alarm amount appeal approach attack attempt balance base benefit block boost "
    "branch break buffer burden call care center challenge change claim close clot coat code combine compete "
    "complement compound concern conduct conflict contact contrast control cost count couple cover cross cut "
    "cycle damage deal decay decrease demand design diet direct disease dose double drain drop drug effect "
    "end estimate exercise exit export face favor favour feature fight filter fit fix flow focus force frame "
    "fuel gate grade group guarantee guide halve harbor head impact import increase index influence "
    "initial injure interest interfere invite label last launch leak level lesion light limit link load "
    "look loss mark mask mean measure mediate model monitor mount name note object order outcome outnumber "
    "parallel pattern phase place plan plate point pool pose position practice present pressure process "
    "profile program project pump purpose question range rank rate ratio record reform reform register "
    "release report request research reserve respect rest result risk role root round route run sample "
    "scale score screen search sense separate set shape shift shield sign signal size sort source split stage "
    "stand start state stimulate store strain stress study subject suit supply support surface target taste "
    "team test tie time touch trace track transport trap travel treat trial tumor turn type use value view "
    "visit walk warm wash waste weight work worry wound attribute drink sleep smoke fast lower mutant complete "
    "mature push pull block "
    "delay decrease rise cause need play help function form test find show share damage decline gain lack "
    "lead matter offer progress reverse return stem stay stop supplement train answer aid escape extract "
    "fall feel feed fragment harm lower mature merit move peak permit prime prompt release repair rescue "
    "rupture sense sequence shed silence slow smell spread stretch traffic transfer trigger want wish "
    "yield associate aggregate moderate coordinate cluster replicate experience exhibit overlap display "
    "exploit divide offset mimic harness arrest average bias capture combat debate discharge drive "
    "encounter equal excess grant hit hold mate mix notice pay pick reach read regard relapse reward send "
    "skew switch trust twist win complete clean dry empty open prime wear swell run bear answer wash coat"
)
#: Past tense and past participle of irregular verbs.
IRREGULAR = {
    "arise": ("arose", "arisen"), "be": ("was", "been"), "bear": ("bore", "borne"),
    "become": ("became", "become"), "begin": ("began", "begun"), "bind": ("bound", "bound"),
    "bleed": ("bled", "bled"), "break": ("broke", "broken"), "breed": ("bred", "bred"),
    "bring": ("brought", "brought"), "build": ("built", "built"), "choose": ("chose", "chosen"),
    "come": ("came", "come"), "cost": ("cost", "cost"), "cut": ("cut", "cut"), "deal": ("dealt", "dealt"),
    "do": ("did", "done"), "drink": ("drank", "drunk"), "drive": ("drove", "driven"), "eat": ("ate", "eaten"),
    "fall": ("fell", "fallen"), "feed": ("fed", "fed"), "feel": ("felt", "felt"),
    "fight": ("fought", "fought"), "find": ("found", "found"), "forego": ("forewent", "foregone"),
    "forget": ("forgot", "forgotten"), "get": ("got", "got"), "give": ("gave", "given"),
    "go": ("went", "gone"), "grow": ("grew", "grown"), "have": ("had", "had"), "hit": ("hit", "hit"),
    "hold": ("held", "held"), "keep": ("kept", "kept"), "know": ("knew", "known"), "lead": ("led", "led"),
    "leave": ("left", "left"), "lie": ("lay", "lain"), "lose": ("lost", "lost"), "make": ("made", "made"),
    "mean": ("meant", "meant"), "meet": ("met", "met"), "outgrow": ("outgrew", "outgrown"),
    "overcome": ("overcame", "overcome"), "put": ("put", "put"), "quit": ("quit", "quit"),
    "read": ("read", "read"), "rise": ("rose", "risen"), "run": ("ran", "run"), "say": ("said", "said"),
    "see": ("saw", "seen"), "seek": ("sought", "sought"), "send": ("sent", "sent"), "set": ("set", "set"),
    "shed": ("shed", "shed"), "show": ("showed", "shown"), "shrink": ("shrank", "shrunk"),
    "sleep": ("slept", "slept"), "speak": ("spoke", "spoken"), "spend": ("spent", "spent"),
    "split": ("split", "split"), "spread": ("spread", "spread"), "stand": ("stood", "stood"),
    "swell": ("swelled", "swollen"), "take": ("took", "taken"), "teach": ("taught", "taught"),
    "tell": ("told", "told"), "think": ("thought", "thought"), "throw": ("threw", "thrown"),
    "undergo": ("underwent", "undergone"), "underlie": ("underlay", "underlain"),
    "understand": ("understood", "understood"), "uphold": ("upheld", "upheld"), "wear": ("wore", "worn"),
    "win": ("won", "won"), "withdraw": ("withdrew", "withdrawn"), "withstand": ("withstood", "withstood"),
    "write": ("wrote", "written"),
}  # fmt: skip
#: Verbs that double their last consonant before -ed and -ing.
DOUBLING = _words(
    "stop drop plan permit commit submit omit admit occur recur refer transfer infer prefer control ban trap "
    "cut fit get put run set shed split quit win clot skip tap pin rid map cap grip step strip stem outfit "
    "program reprogram compel expel propel enrol"
)
#: Verbs that take a clause: what follows is reported, not stated.
REPORTING = _words(
    "suggest show indicate demonstrate report believe hypothesize think find predict confirm reveal imply argue "
    "claim conclude propose assume estimate say tell know expect suspect note state"
)
ADJECTIVES = _words(
    "able absent accurate adequate aware bad beneficial better big blind careful certain clear close common "
    "comparable compatible complete consistent constant correct costly crucial dangerous dead deep dependent "
    "desirable detectable different difficult distinct due early easy effective efficacious efficient "
    "equal equivalent essential evident exact feasible fit free frequent full good great hard harmful healthy "
    "helpful high ill immune important inadequate indicative inferior insufficient intact justifiable "
    "justified key large late likely long low major mandatory mild minor necessary needed negative new "
    "normal obsolete obvious old optimal overestimated painful poor positive possible practical precise "
    "predictive present prognostic protective prone rare ready realistic reasonable redundant reliable "
    "relevant representative resistant responsible responsive robust safe same satisfactory satisfying "
    "scarce secondary sensitive severe short sick significant similar simple small sound specific stable "
    "strong subject successful sufficient suitable superior susceptible tolerable toxic true typical unable "
    "uncommon unlikely unnecessary unsafe unstable useful useless valid valuable vulnerable weak worth "
    "worthwhile worse young alive alone appropriate advisable applicable acceptable sterile adherent "
    "erosive lethal fatal viable worthwhile contraindicated underrecognised overused underused aggressive "
    "sicker safer higher lower greater less more fewer larger smaller longer shorter earlier later older "
    "younger stronger weaker faster slower cheaper easier harder thicker thinner deficient "
    "cost-effective non-inferior noninferior well-tolerated increased decreased reduced elevated"
)
ADJECTIVE_ENDINGS = ("able", "ible", "ful", "less", "ous", "ive", "ical", "ial", "ant", "ent", "ic", "al", "ary")
#: Nouns with the ending of an adjective.
NOT_ADJECTIVES = _words(
    "patient patients treatment agent antigen hospital trial clinic interval survival disposal approval removal "
    "referral signal mammal animal individual potential antibiotic topic metric additive adjuvant implant "
    "transplant infant participant determinant variant mutant parent content component event extent moment "
    "accident student resident adolescent gradient nutrient cent percent assessment management measurement "
    "involvement development improvement enhancement impairment enrollment recruitment movement environment "
    "table variable cable vegetable dental epidemic pandemic arsenic music narcotic diuretic statistic "
    "arrival rehearsal denial material mineral renal canal journal vial dial proposal chemical withdrawal "
    "oral plant applicant pollutant inhibitor relative native motive detective incentive initiative "
    "alternative objective perspective fragment segment ligament element supplement complement "
    "document instrument experiment equipment adjustment replacement displacement placement requirement "
    "agreement statement payment employment deployment attachment engagement sediment pigment filament "
    "detergent solvent reagent constituent incident recipient ingredient client precedent "
    "january february library dictionary summary salary boundary secretary mortuary anal"
)
#: Nouns that can be the whole predicate in the plural ("are margins predictors?").
PREDICATE_NOUNS = _words(
    "contraindication predictor marker biomarker indicator determinant factor carrier candidate cause "
    "contraindications predictors markers biomarkers indicators determinants factors carriers candidates causes"
)
ANIMATE = _words(
    "patients patient women men children people persons subjects individuals mice rats animals cells adults "
    "infants neonates newborns adolescents participants students smokers survivors mothers boys girls "
    "physicians nurses doctors residents veterans volunteers cohorts couples families pedestrians"
)
#: Plurals that do not end in -s, and nouns in -s that are singular.
PLURALS = _words(
    "mice men women children people bacteria data criteria phenomena fungi nuclei mitochondria media "
    "stimuli loci foci teeth feet lice alveoli bronchi thrombi emboli metastases larvae vertebrae alleles "
    "police cattle viscera ova"
)
SINGULARS = _words(
    "diabetes measles mumps rabies herpes news series species biceps triceps sepsis pancreas pus plus virus "
    "caries lens gas bias ascites pertussis syphilis kudzu as this is was has its thus yes us arthritis "
    "consensus campus status corpus ductus lupus citrus fetus foetus thymus uterus humerus anus abscess"
)
#: What follows these verbs or nouns with these words belongs to them.
FUNCTION = (
    PRONOUNS | DETERMINERS | PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS | RELATIVES | AUXILIARIES | WH_WORDS
    | _words("be been being also not there as so than then too very much own such yet just s t")
)  # fmt: skip
