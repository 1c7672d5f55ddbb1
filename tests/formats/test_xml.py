from pathlib import Path

import pytest

from bnc2d.errors import FormatError, UnsupportedError
from tests.formats.reading import entries, read_text

DOCTYPE = """<?xml version="1.0" encoding="{}"?>
<!-- DTD for the XMLBIF 0.3 format -->
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT VARIABLE ( NAME, ( OUTCOME | PROPERTY )* ) >
  <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
"""
BIF = """<BIF VERSION="0.3"><NETWORK><NAME> d&#233;mo </NAME><PROPERTY>x</PROPERTY>
<VARIABLE TYPE="nature"><NAME>A</NAME><OUTCOME>a0</OUTCOME><OUTCOME>a1</OUTCOME><PROPERTY/></VARIABLE>
<VARIABLE><NAME>B</NAME><OUTCOME>&lt;5</OUTCOME><OUTCOME>bé</OUTCOME><OUTCOME>b2</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>X</NAME><OUTCOME>x0</OUTCOME><OUTCOME>x1</OUTCOME></VARIABLE>
<DEFINITION><FOR>A</FOR><TABLE>0.5 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>B</FOR><TABLE>0.2<!-- a comment -->0.3 <![CDATA[0.5]]></TABLE></DEFINITION>
<DEFINITION><FOR> X </FOR><GIVEN>A</GIVEN><GIVEN>B</GIVEN><TABLE>0.01 0.99 0.02 0.98 0.03 0.97
 0.04 0.96 0.05 0.95 0.06 0.94</TABLE></DEFINITION></NETWORK></BIF>"""
EXPECTED = [0.01, 0.99, 0.02, 0.98, 0.03, 0.97, 0.04, 0.96, 0.05, 0.95, 0.06, 0.94]


def lower(text: str) -> str:
    for tag in ("BIF", "NETWORK", "NAME", "VARIABLE", "OUTCOME", "FOR", "GIVEN", "TABLE", "TYPE"):
        text = text.replace(f"<{tag}", f"<{tag.lower()}").replace(f"</{tag}", f"</{tag.lower()}")
    return text.replace("TYPE=", "type=")


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16", "windows-1252"])
@pytest.mark.parametrize("text", [BIF, lower(BIF), BIF.replace("DEFINITION", "PROBABILITY")])
def test_xmlbif(text: str, encoding: str, tmp_path: Path) -> None:
    net = read_text(tmp_path, "x.xml", (DOCTYPE.format(encoding) + text).encode(encoding))
    assert net.name == "démo"
    assert net.variable("B").states == ("<5", "bé", "b2")
    assert entries(net, "B") == [0.2, 0.3, 0.5]
    assert net.parents("X") == ("A", "B")
    assert entries(net, "X") == EXPECTED


def bif(inside: str) -> str:
    return f"<BIF>\n<NETWORK>\n{inside}\n</NETWORK>\n</BIF>"


V = "<VARIABLE><NAME>A</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE>\n"


def definition(table: str = "<TABLE>1 0</TABLE>", scope: str = "<FOR>A</FOR>") -> str:
    return bif(f"{V}<DEFINITION>{scope}{table}</DEFINITION>")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<BIF>\n<a></b></BIF>", 2, "not well-formed XML: mismatched tag"),
        ("<BIF>", 1, "not well-formed XML: no element found"),
        ("<foo/>", 1, "expected <BIF>, but the file is a <foo>"),
        ("<smile/>", 1, 'a GeNIe file needs format="xdsl"'),
        ("<BIF/>", 1, "expected one <NETWORK> in <BIF>, found 0"),
        ("<BIF>\n\xe9</BIF>".encode("latin-1"), 2, "byte 0xe9 is not UTF-8; convert"),
        ('<?xml version="1.0" encoding="klingon"?><BIF/>', 1, "unknown encoding: klingon"),
        ("<BIF>&nope;</BIF>", 1, "undefined entity 'nope'"),
        ("<a>" * 500, 1, "nested more than 100 deep"),
        (bif("<FOO/>"), 3, "unexpected <FOO> in <NETWORK>"),
        (bif("<VARIABLE/>"), 3, "expected one <NAME> in <VARIABLE>, found 0"),
        (bif("<VARIABLE><NAME>A</NAME></VARIABLE>"), 3, "variable 'A' has no states"),
        (bif(V), 3, "variable 'A' has no table"),
        (definition(scope=""), 4, "a table without <FOR>"),
        (definition(table=""), 4, "expected one <TABLE> for 'A', found 0"),
        (definition("<TABLE>1</TABLE>"), 4, "has 1 entries, expected 2"),
        (definition("\n<TABLE>1 inf</TABLE>"), 5, "'inf' is not a finite decimal number"),
        (definition(scope="<FOR>A</FOR><GIVEN>a</GIVEN>"), 4, "unknown variable 'a'; did you mean 'A'?"),
    ],
)
def test_what_is_wrong_in_xmlbif_and_where(
    text: str | bytes, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, "x.xmlbif", text)
    assert message in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (bif(V.replace("<VARIABLE>", '<VARIABLE TYPE="decision">')), "variable 'A' is a 'decision' variable"),
        (bif(V.replace("<VARIABLE>", '<VARIABLE TYPE="utility">')), "variable 'A' is a 'utility' variable"),
        (definition(scope="<FOR>A</FOR><FOR>B</FOR>"), "a table for 'A' and 'B' together"),
        (definition("<TABLE><ENTRY/></TABLE>"), "<ENTRY> in the table of 'A'"),
        ('<!DOCTYPE BIF [<!ENTITY lol "lol">]><BIF>&lol;</BIF>', "declares the entity 'lol'"),
        ('<!DOCTYPE BIF [<!ENTITY % p SYSTEM "file:///x">%p;]><BIF/>', "declares the entity 'p'"),
        ('<!DOCTYPE BIF [<!ENTITY x SYSTEM "file:///x">]><BIF>&x;</BIF>', "declares the entity 'x'"),
        ('<!DOCTYPE BIF SYSTEM "x.dtd"><BIF>&x;</BIF>', "uses the undefined entity 'x'"),
    ],
)
def test_what_has_no_meaning_in_xmlbif(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        read_text(tmp_path, "x.xml", text)


@pytest.mark.parametrize(
    "text",
    [
        f"<BIF>{'<a/>' * 600_000}</BIF>",
        f"<!DOCTYPE BIF [<!ATTLIST BIF {' '.join(f'a{i} CDATA #IMPLIED' for i in range(101))}>]><BIF/>",
    ],
)
def test_xml_beyond_the_limits(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the limit"):
        read_text(tmp_path, "x.xml", text)


XDSL = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="demo" numsamples="1000"><nodes>
<cpt id="A" target="true"><state id="a0" /><state id="a1" fault="true" /><property id="p">x</property>
<probabilities>0.5 0.5</probabilities></cpt>
<cpt id="B"><property id="bnc2d_name">the B </property>
<property id="bnc2d_states">["&lt;5", "\\u00e9", "c"]</property><state id="_5" />
<state id="_2"/><state id="c"/><probabilities>0.2 0.3 0.5</probabilities></cpt>
<cpt id="X"><state id="x0" /><state id="x1" /><parents>A B</parents>
<probabilities>0.01 0.99 0.02 0.98 0.03 0.97 0.04 0.96 0.05 0.95 0.06 0.94</probabilities></cpt>
</nodes><extensions><genie><node id="A"><name>A</name></node></genie></extensions></smile>"""


def test_xdsl(tmp_path: Path) -> None:
    net = read_text(tmp_path, "x.xdsl", XDSL)
    assert net.name == "demo"
    assert net.names == ("A", "the B ", "X")
    assert net.variable("the B ").states == ("<5", "é", "c")
    assert net.parents("X") == ("A", "the B ")
    assert entries(net, "X") == EXPECTED


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("<smile", "<smiley", 2, "mismatched tag"),
        (XDSL[39:], "<BIF/>", 2, 'an XMLBIF file needs format="xmlbif"'),
        (' id="B"', "", 5, "<cpt> has no id"),
        ('<state id="x0" />', "<state/>", 8, "<state> has no id"),
        (' id="B"', ' id="A"', 5, "two nodes have the id 'A'"),
        ("<parents>A B", "<parents>A b", 8, "table of 'X': unknown parent 'b'; did you mean 'B'?"),
        ("<probabilities>0.5 0.5</probabilities>", "", 3, "expected one <probabilities> for 'A', found 0"),
        ("0.5 0.5", "0.5 0.5 0", 3, "has 3 entries, expected 2"),
        ("0.5 0.5", "0.5 x", 4, "'x' is not a finite decimal number"),
        ('"c"]', '"c"', 6, "not a JSON list of 3 texts"),
        ('"c"]', "3]", 6, "not a JSON list of 3 texts"),
        ('["&lt;5",', "[", 6, "not a JSON list of 3 texts"),
        ('["&lt;5",', "[" * 100_000, 6, "not a JSON list of 3 texts"),
        ("the B ", "X", 8, "variable 'X' is declared twice"),
    ],
)
def test_what_is_wrong_in_xdsl_and_where(old: str, new: str, line: int, message: str, tmp_path: Path) -> None:
    text = XDSL.replace(old, new, 1)
    assert text != XDSL
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, "x.xdsl", text)
    assert message in str(caught.value)
    assert caught.value.line == line or message == "mismatched tag"


@pytest.mark.parametrize(
    "kind", ["deterministic", "decision", "utility", "mau", "noisymax", "noisyadder", "equation"]
)
def test_other_kinds_of_nodes_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=rf"x\.xdsl:3: node 'Z' is a <{kind}>"):
        read_text(tmp_path, "x.xdsl", XDSL.replace("<nodes>\n", f'<nodes>\n<{kind} id="Z"/>'))


def test_dynamic_networks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="<dynamic>"):
        read_text(tmp_path, "x.xdsl", XDSL.replace("<extensions>", "<dynamic/><extensions>"))
