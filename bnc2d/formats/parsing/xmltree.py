"""XML into a light tree with line numbers; nothing is fetched, expanded or nested without bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError, UnsupportedError
from bnc2d.formats.files import decode
from bnc2d.formats.parsing.source import XmlSource

MAX_DEPTH = 100
MAX_SIZE = 2**19  # elements and attributes together
MAX_DECLARED = 100  # attributes in the document type: each may add one to every element

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCE = re.compile(rb"&([^;\s]{1,40});")
_OTHER_FORMATS = {
    "bif": '; an XMLBIF file needs format="xmlbif"',
    "smile": '; a GeNIe file needs format="xdsl"',
}
_INVALID_TOKEN, _UNDEFINED = 4, 11  # expat's codes for bytes that are no character and for unknown entities


@dataclass(slots=True)
class Element:
    """A tag with its attributes, line, children and own text in pieces (comments count as a space)."""

    source: XmlSource
    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly inside, that of children left out."""
        return "".join(self.pieces)

    def named(self, tag: str) -> Iterator[Element]:
        """Yield the children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def only(self, found: Sequence[Element], what: str) -> Element:
        """Return the one that was found of what there must be one of inside."""
        if len(found) != 1:
            raise self.error(f"expected one {what}, found {len(found)}")
        return found[0]

    def error(self, message: str) -> FormatError:
        """Return the error that ``message`` describes, with the line of the element."""
        return self.source.error(message, self.line)

    def unsupported(self, message: str) -> UnsupportedError:
        """Return the error for something that is well formed but that bnc2d has no meaning for."""
        return self.source.unsupported(message, self.line)


class _Builder:
    def __init__(self, source: XmlSource) -> None:
        self.source = source
        self.parser = parser = expat.ParserCreate()
        self.root: Element | None = None
        self.open: list[Element] = []
        self.size = self.declared = 0
        parser.buffer_text = True
        parser.buffer_size = 2**16
        parser.StartElementHandler = self._start
        parser.EndElementHandler = lambda _tag: self.open.pop()
        parser.CharacterDataHandler = lambda text: self.open[-1].pieces.append(text)
        parser.CommentHandler = lambda _text: self.open[-1].pieces.append(" ") if self.open else None
        parser.AttlistDeclHandler = self._attlist
        parser.EntityDeclHandler = lambda name, *_: self._refuse("declares the", name)
        parser.SkippedEntityHandler = lambda name, _: self._refuse("uses the undefined", name)
        parser.ExternalEntityRefHandler = lambda _context, _base, system, _public: self._refuse(
            "uses the external", str(system)
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.size += 1 + len(attributes)
        if len(self.open) >= MAX_DEPTH:
            raise self.source.error(f"elements are nested more than {MAX_DEPTH} deep", line)
        if self.size > MAX_SIZE:
            raise self.source.error(f"more than {MAX_SIZE} elements and attributes, the limit", line)
        element = Element(self.source, tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _attlist(self, *declaration: object) -> None:  # noqa: ARG002
        self.declared += 1
        if self.declared > MAX_DECLARED:
            line = self.parser.CurrentLineNumber
            raise self.source.error(f"more than {MAX_DECLARED} declared attributes, the limit", line)

    def _refuse(self, what: str, entity: str) -> NoReturn:
        remedy = "entities are not supported for safety, write their text instead"
        message = f"the file {what} entity {shorten(entity)!r}; {remedy}"
        raise self.source.unsupported(message, self.parser.CurrentLineNumber)


def parse_xml(data: bytes, path: str, tag: str) -> Element:
    """Return the root element, which has this tag or one that is it in upper case.

    The encoding that the file declares is honoured. Raises ``FormatError`` for another tag, for XML that is
    not well formed, for entities, and beyond this module's limits.
    """
    builder = _Builder(XmlSource(path))
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        if error.code == _INVALID_TOKEN and b"encoding" not in data[:200]:
            decode(data, path)  # where the cause is an encoding, this says so
        entity = _REFERENCE.match(data, builder.parser.ErrorByteIndex) if error.code == _UNDEFINED else None
        what = expat.ErrorString(error.code) + (f" {entity[1].decode(errors='replace')!r}" if entity else "")
        raise builder.source.error(f"not well-formed XML: {what}", error.lineno) from None
    except (LookupError, ValueError) as error:
        message = f"cannot decode the file ({shorten(str(error), 200)}); convert it to UTF-8"
        raise builder.source.error(message, 1) from None
    root = builder.root
    if root is None:
        raise FormatError("the file has no XML element", path)
    if tag not in (root.tag, root.tag.upper()):
        hint = _OTHER_FORMATS.get(root.tag.lower(), "")
        raise root.error(f"expected <{tag}>, but the file is a <{shorten(root.tag)}>{hint}")
    return root


def escape(text: str, path: str) -> str:
    """Return ``text`` as XML character data; what XML 1.0 cannot hold raises ``UnsupportedError``."""
    if _NOT_XML.search(text):
        raise UnsupportedError(
            f"XML has no way to write the name {shorten(text)!r} (a control character)", path
        )
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
