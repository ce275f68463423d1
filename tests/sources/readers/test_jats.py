from __future__ import annotations

import time
from pathlib import Path

import pytest

from epoche.errors import DocumentError
from epoche.sources.readers import jats
from epoche.types import Document, Role

pytest.importorskip("defusedxml")

ARTICLE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.3//EN" "JATS-archive.dtd">
<article article-type="research-article" xmlns:mml="http://www.w3.org/1998/Math/MathML">
 <front>
  <journal-meta><journal-title>Journal of Rivers</journal-title></journal-meta>
  <article-meta>
   <article-id pub-id-type="pmid">111</article-id>
   <article-id pub-id-type="pmc">222</article-id>
   <title-group>
    <article-title>Willow bark in <italic>Salmo trutta</italic><xref ref-type="fn" rid="f1">*</xref></article-title>
    <subtitle>a field trial</subtitle>
   </title-group>
   <pub-date pub-type="pmc-release"><year>2016</year></pub-date>
   <pub-date pub-type="ppub"><month>3</month><year>2019</year></pub-date>
   <pub-date pub-type="epub"><year>2018</year></pub-date>
   <abstract>
    <sec><title>Importance</title><p>Trout fall ill in warm rivers.</p></sec>
    <sec sec-type="results"><title>What we saw</title><p>Fever fell by 2&#160;°C.</p></sec>
   </abstract>
   <trans-abstract xml:lang="fr"><p>Les truites.</p></trans-abstract>
  </article-meta>
 </front>
 <body>
  <sec sec-type="intro"><label>1</label><title>Introduction</title>
   <p>Bark helps carp [<xref ref-type="bibr" rid="r1">1</xref>, <xref ref-type="bibr" rid="r2">2</xref>].
      It calms eels<sup><xref ref-type="bibr" rid="r1">1</xref>–<xref ref-type="bibr" rid="r2">2</xref></sup>, as
      <xref ref-type="bibr" rid="r3">Brook (2001)</xref> saw in 10<sup>5</sup> fish.</p>
  </sec>
  <sec><title>Materials and methods</title>
   <sec><title>Fish</title><p>We fed H<sub>2</sub>O and bark <fig id="g1"><label>Figure 1</label>
     <caption><title>Fever by week.</title><p>Bars are errors.</p></caption><graphic/></fig>to trout.</p>
     <table-wrap><label>Table 1</label><caption><p>Doses of bark.</p></caption>
      <table><tr><td>9 mg</td></tr></table>
      <table-wrap-foot><fn><p>By weight.</p></fn></table-wrap-foot></table-wrap>
   </sec>
   <p>Nobody was blinded.</p>
   <list><list-item><p>First river.</p></list-item><list-item><p>Second river.</p></list-item></list>
  </sec>
  <sec sec-type="results|discussion"><title>Findings in trout</title>
   <p>Fever fell <inline-formula><alternatives><mml:math><mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mn>2</mml:mn>
     </mml:math><tex-math>\\usepackage{x}</tex-math></alternatives></inline-formula> degrees.</p></sec>
 </body>
 <back>
  <ack><p>We thank the river.</p></ack>
  <ref-list><title>References</title>
   <ref id="r1"><label>1</label>
    <mixed-citation><name><surname>Pike</surname></name>. Bark. 1999.</mixed-citation></ref>
   <ref id="r2"><element-citation><source>Eels</source><year>2000</year></element-citation></ref>
  </ref-list>
 </back>
 <sub-article><body><p>The reviewers object.</p></body></sub-article>
</article>
"""


def parts(document: Document) -> list[tuple[str, str, Role]]:
    return [(s.title, document.text[s.start : s.end], s.role) for s in document.sections]


def test_an_article_with_its_parts() -> None:
    (document,), unread = jats.read(ARTICLE.encode(), "a.xml")
    assert unread == []
    assert (document.id, document.year, document.study) == ("a.xml", 2018, "research-article")
    assert document.title == "Willow bark in Salmo trutta: a field trial"
    assert not document.retracted
    assert parts(document) == [
        ("Importance", "Trout fall ill in warm rivers.", Role.BACKGROUND),
        ("What we saw", "Fever fell by 2 °C.", Role.RESULTS),
        (
            "Introduction",
            "Bark helps carp. It calms eels, as Brook (2001) saw in 105 fish.",
            Role.BACKGROUND,
        ),
        ("Fish", "We fed H2O and bark to trout.", Role.METHODS),
        ("Figure 1", "Fever by week.\n\nBars are errors.", Role.CAPTION),
        ("Table 1", "Doses of bark.\n\nBy weight.", Role.CAPTION),
        ("Materials and methods", "Nobody was blinded.\n\nFirst river.\n\nSecond river.", Role.METHODS),
        ("Findings in trout", "Fever fell x=2 degrees.", Role.RESULTS),
        ("Acknowledgements", "We thank the river.", Role.OTHER),
        ("References", "Pike. Bark. 1999.\n\nEels 2000", Role.REFERENCES),
    ]
    assert "reviewers" not in document.text


def article(front: str = "", body: str = "<p>Fever fell.</p>", attributes: str = "") -> bytes:
    meta = f"<front><article-meta>{front}</article-meta></front>"
    return f"<article {attributes}>{meta}<body>{body}</body></article>".encode()


def one(raw: bytes) -> Document:
    (document,), unread = jats.read(raw, "a.xml")
    assert unread == []
    return document


@pytest.mark.parametrize(
    ("front", "attributes"),
    [
        ("", 'article-type="retraction"'),
        ('<related-article related-article-type="retracted-article"/>', ""),
        ('<related-article related-article-type="retraction-forward"/>', ""),
        ("<title-group><article-title>RETRACTED: Bark</article-title></title-group>", ""),
    ],
)
def test_retractions(front: str, attributes: str) -> None:
    assert one(article(front, attributes=attributes)).retracted


def test_other_related_articles_are_no_retraction() -> None:
    assert not one(article('<related-article related-article-type="corrected-article"/>')).retracted


def test_an_abstract_in_one_paragraph_with_labels() -> None:
    front = "<abstract><p><bold>Methods:</bold> We fed trout. <bold>Results:</bold> Fever fell.</p></abstract>"
    assert parts(one(article(front, body="<p>More.</p>"))) == [
        ("Methods", "We fed trout.", Role.METHODS),
        ("Results", "Fever fell.", Role.RESULTS),
        ("", "More.", Role.OTHER),
    ]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("It fell <xref ref-type='bibr'>3</xref>.", "It fell."),
        ("It fell (<xref ref-type='bibr'>3</xref>; <xref ref-type='bibr'>4-6</xref>) fast.", "It fell fast."),
        ("It <xref ref-type='bibr'>[3]</xref> fell.", "It fell."),
        ("It fell (ref. <xref ref-type='bibr'>3</xref>).", "It fell."),
        ("It fell (see <xref ref-type='bibr'>3</xref>).", "It fell (see)."),
        ("It fell (<xref ref-type='bibr'>Pike 2001</xref>).", "It fell (Pike 2001)."),
        ("It fell (<xref ref-type='fig'>3</xref>).", "It fell (3)."),
        ("It fell<fn><p>Twice.</p></fn> fast.", "It fell fast.\n\nTwice."),
        ("It fell<break/>fast.", "It fell fast."),
        ("<!-- no -->It <?x y?>fell.", "It fell."),
    ],
)
def test_inline_markup(inside: str, text: str) -> None:
    assert one(article(body=f"<p>{inside}</p>")).text == text


def test_names_of_characters_that_publishers_declare() -> None:
    raw = b'<!DOCTYPE article SYSTEM "x.dtd"><article><body><p>TNF-&alpha; fell.</p></body></article>'
    assert one(raw).text == "TNF-α fell."


def test_a_default_namespace_is_no_obstacle() -> None:
    assert one(article(attributes='xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/"')).text == "Fever fell."


def test_a_set_of_pmc_has_ids_of_services() -> None:
    ids = '<article-id pub-id-type="{}">{}</article-id>'
    articles = [
        article(ids.format("pmid", "7") + ids.format("pmc", "8")),
        article(ids.format("pmcid", "PMC9")),
        article(ids.format("doi", "10.1/ABC")),
        article(ids.format("pmc", "10"), body=""),
        article(ids.format("pmcid", "PMC9")),
    ]
    documents, unread = jats.read(b"<pmc-articleset>" + b"".join(articles) + b"</pmc-articleset>", "s.xml")
    assert [d.id for d in documents] == ["pmid:7", "pmcid:PMC9", "doi:10.1/abc"]
    assert [(u.document, u.why) for u in unread] == [
        ("pmcid:PMC10", "PMC gives no text of it: give the PDF"),
        ("pmcid:PMC9", "it stands twice in s.xml, and the first is read: remove one"),
    ]


PUBMED = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN"
 "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">
<PubmedArticleSet>
 <PubmedArticle><MedlineCitation><PMID Version="1">41</PMID><Article>
   <Journal><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate></JournalIssue></Journal>
   <ArticleTitle>Bark in <i>Salmo</i> trout.</ArticleTitle>
   <Abstract>
    <AbstractText Label="WHY" NlmCategory="OBJECTIVE">To cool trout.</AbstractText>
    <AbstractText Label="METHODS AND FINDINGS" NlmCategory="UNASSIGNED">H<sub>2</sub>O.</AbstractText>
    <AbstractText Label="MEANING" NlmCategory="CONCLUSIONS">Bark cools.</AbstractText>
    <CopyrightInformation>© River Press</CopyrightInformation>
   </Abstract>
   <PublicationTypeList><PublicationType>Journal Article</PublicationType>
    <PublicationType>Review</PublicationType><PublicationType>Randomized Controlled Trial</PublicationType>
    <PublicationType>Research Support, Non-U.S. Gov't</PublicationType></PublicationTypeList>
  </Article></MedlineCitation></PubmedArticle>
 <PubmedArticle><MedlineCitation><PMID>42</PMID><Article>
   <Journal><JournalIssue><PubDate><Year>2003</Year></PubDate></JournalIssue></Journal>
   <ArticleTitle>Eels.</ArticleTitle><Abstract><AbstractText>Eels swim. They rest.</AbstractText></Abstract>
   <PublicationTypeList><PublicationType>Journal Article</PublicationType></PublicationTypeList></Article>
   <CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"/></CommentsCorrectionsList>
  </MedlineCitation></PubmedArticle>
 <PubmedArticle><MedlineCitation><PMID>43</PMID><Article><ArticleTitle>Carp.</ArticleTitle></Article>
  </MedlineCitation></PubmedArticle>
 <PubmedArticle><MedlineCitation><PMID>44</PMID><Article><ArticleTitle>Roach.</ArticleTitle>
   <Abstract><AbstractText>Roach dive.</AbstractText></Abstract><PublicationTypeList>
   <PublicationType>Retracted Publication</PublicationType></PublicationTypeList></Article>
  </MedlineCitation></PubmedArticle>
 <PubmedBookArticle><BookDocument><PMID>45</PMID><Book><PubDate><Year>2010</Year></PubDate></Book>
   <ArticleTitle>Trout fever</ArticleTitle><PublicationType>Review</PublicationType>
   <Abstract><AbstractText>A chapter.</AbstractText></Abstract></BookDocument></PubmedBookArticle>
</PubmedArticleSet>
"""


@pytest.mark.parametrize("read", [jats.read, jats.pubmed_articles])
def test_records_of_pubmed(read: object) -> None:
    assert callable(read)
    documents, unread = read(PUBMED.encode(), "p.xml")
    facts = [(d.id, d.title, d.year, d.study, d.retracted) for d in documents]
    assert facts == [
        ("pmid:41", "Bark in Salmo trout.", 1998, "Randomized Controlled Trial", False),
        ("pmid:42", "Eels.", 2003, "", True),
        ("pmid:44", "Roach.", None, "", True),
        ("pmid:45", "Trout fever", 2010, "Review", False),
    ]
    assert parts(documents[0]) == [
        ("WHY", "To cool trout.", Role.AIM),
        ("METHODS AND FINDINGS", "H2O.", Role.RESULTS),
        ("MEANING", "Bark cools.", Role.CONCLUSION),
    ]
    assert (documents[1].text, documents[1].sections) == ("Eels swim. They rest.", ())
    assert [(u.document, u.sentences, u.why) for u in unread] == [
        ("pmid:43", None, "PubMed holds no abstract of it: give the paper")
    ]


LAUGHS = """<!DOCTYPE article [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><article><body><p>&c;</p></body></article>"""
OUTSIDE = '<!DOCTYPE article [<!ENTITY x SYSTEM "{}">]><article><body><p>&x;</p></body></article>'
PARAMETER = '<!DOCTYPE article [<!ENTITY % x SYSTEM "{}"> %x;]><article><body><p>A.</p></body></article>'


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, PARAMETER])
def test_entities_are_refused(text: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The key is 7.", encoding="utf-8")
    with pytest.raises(DocumentError, match="declares entities") as caught:
        jats.read(text.replace("{}", secret.as_uri()).encode(), "a.xml")
    assert "key" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "a.xml is empty"),
        (b" \n", "a.xml is empty"),
        (ARTICLE.encode()[:1500], "is not whole XML"),
        (b"<article><body><p>&nosuch;</p></body></article>", "is not whole XML"),
        (b"%PDF-1.7", "is not whole XML"),
        (b"\x00\x01\x02", "is not whole XML"),
        ("<article><body><p>é</p></body></article>".encode("cp1252"), "is not whole XML"),
        (b'<?xml version="1.0" encoding="klingon"?><article/>', "is not whole XML"),
        (b'<?xml version="1.0" encoding="utf-7"?><article/>', "is not whole XML"),
        (b"<html><body>Hello</body></html>", "root is <html>, which is not read: of .xml it reads JATS"),
        (b"<article/>", "holds no text of its article"),
        (b"<PubmedArticleSet/>", "holds no article"),
        (b"<pmc-articleset><error>no</error></pmc-articleset>", "holds no article"),
    ],
)
def test_what_cannot_be_read_says_so(raw: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        jats.read(raw, "a.xml")
    assert caught.value.source == "a.xml"


def test_only_records_of_pubmed_where_these_are_asked_for() -> None:
    with pytest.raises(DocumentError, match="not PubmedArticleSet"):
        jats.pubmed_articles(article(), "answer")


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252"])
def test_declared_encodings(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><article><body><p>Fièvre.</p></body></article>'
    assert one(text.encode(encoding)).text == "Fièvre."


@pytest.mark.parametrize("tag", ["sec", "p", "italic", "list", "ref-list", "boxed-text", "fig", "xref", "ref"])
def test_deep_nesting_ends(tag: str) -> None:
    depth = 100_000
    opening = f"<{tag} ref-type='bibr'>" if tag == "xref" else f"<{tag}>"
    started = time.monotonic()
    document = one(article(body=opening * depth + "A rose." + f"</{tag}>" * depth + "<p>B fell.</p>"))
    assert document.text.endswith("B fell.")
    assert time.monotonic() - started < 20


def test_much_of_one_thing_takes_no_longer_than_its_length() -> None:
    started = time.monotonic()
    for piece in ("<xref ref-type='bibr'>1</xref>", "[<xref ref-type='bibr'>1</xref>, ", "<sec><p>A.</p></sec>"):
        one(article(body=f"<p>A {piece * 50_000}</p>"))
    one(article(body=f"<p><xref ref-type='bibr'>{'1' * 1_000_000}x</xref></p>"))
    assert time.monotonic() - started < 20
