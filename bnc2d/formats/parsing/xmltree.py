"""XML into a light tree with line numbers; nothing is fetched, expanded or nested without bound."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
_INVALID_TOKEN, _UNDEFINED = 4, 11  # expat's codes for bytes that are no character and for unknown entities


class Element:
    """A tag with its attributes, children, own text (comments count as a space) and line."""

    __slots__ = ("_pieces", "attributes", "children", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str] | None, line: int) -> None:
        self.tag = tag
        self.attributes = attributes or {}
        self.children: list[Element] | tuple[()] = ()
        self._pieces: list[str] | tuple[()] = ()
        self.line = line

    def add(self, child: Element) -> None:
        """Append a child."""
        if isinstance(self.children, tuple):
            self.children = []
        self.children.append(child)

    def add_text(self, piece: str) -> None:
        """Append to the text."""
        if isinstance(self._pieces, tuple):
            self._pieces = []
        self._pieces.append(piece)

    @property
    def text(self) -> str:
        """The text directly inside, that of children left out."""
        return "".join(self._pieces)

    def named(self, tag: str) -> Iterator[Element]:
        """Yield the children with this tag."""
        return (child for child in self.children if child.tag == tag)


class _Builder:
    def __init__(self, source: XmlSource) -> None:
        self.source = source
        self.parser = parser = expat.ParserCreate()
        self.root: Element | None = None
        self.open: list[Element] = []
        self.size = 0
        self.declared = 0
        parser.buffer_text = True
        parser.buffer_size = 2**16
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.AttlistDeclHandler = self._attlist
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped
        parser.ExternalEntityRefHandler = self._external

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.size += 1 + len(attributes)
        if len(self.open) >= MAX_DEPTH:
            raise self.source.error(f"elements are nested more than {MAX_DEPTH} deep", line)
        if self.size > MAX_SIZE:
            raise self.source.error(f"more than {MAX_SIZE} elements and attributes, the limit", line)
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].add(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:  # noqa: ARG002 - expat has matched it
        self.open.pop()

    def _text(self, piece: str) -> None:
        self.open[-1].add_text(piece)

    def _comment(self, text: str) -> None:  # noqa: ARG002
        if self.open:
            self.open[-1].add_text(" ")

    def _attlist(self, *declaration: object) -> None:  # noqa: ARG002
        self.declared += 1
        if self.declared > MAX_DECLARED:
            line = self.parser.CurrentLineNumber
            raise self.source.error(f"more than {MAX_DECLARED} declared attributes, the limit", line)

    def _entity(self, name: str, *declaration: object) -> None:  # noqa: ARG002
        raise self._refused(f"declares the entity {shorten(name)!r}")

    def _skipped(self, name: str, is_parameter: int) -> None:  # noqa: ARG002
        raise self._refused(f"uses the undefined entity {shorten(name)!r}")

    def _external(self, context: str, base: object, system: str | None, public: object) -> int:  # noqa: ARG002
        raise self._refused(f"uses the external entity {shorten(str(system))!r}")

    def _refused(self, what: str) -> UnsupportedError:
        message = f"the file {what}; entities are not supported for safety, write their text instead"
        return self.source.unsupported(message, self.parser.CurrentLineNumber)


def parse_xml(data: bytes, path: str) -> Element:
    """Return the root element; the encoding that the file declares is honoured.

    Raises ``FormatError`` for XML that is not well formed, for entities, and beyond this module's limits.
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
    if builder.root is None:
        raise FormatError("the file has no XML element", path)
    return builder.root


def escape(text: str, path: str) -> str:
    """Return ``text`` as XML character data; what XML 1.0 cannot hold raises ``UnsupportedError``."""
    if _NOT_XML.search(text):
        raise UnsupportedError(
            f"XML has no way to write the name {shorten(text)!r} (a control character)", path
        )
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
