r"""The language of constraints, and its parser; nothing of a text is ever evaluated as Python.

::

    text      = [formula] {(";" | line break) [formula]}           all formulas hold
    formula   = "if" formula "then" formula | iff
    iff       = implies {"<->" implies}
    implies   = or {"->" or}
    or        = xor {"or" xor}
    xor       = and {"xor" and}
    and       = unary {"and" unary}
    unary     = {"not"} ("(" formula ")" | "true" | "false" | atom)
    atom      = name [("=" | "!=") state | ["not"] "in" set {"∪" set} [unit] | sign number [unit]]
              | number sign name [sign number] [unit]
    set       = "{" state {"," state} "}" | ("[" | "(") number "," number ("]" | ")")
    sign      = "<" | "<=" | ">" | ">="

Other spellings::

    not  ! ¬      and  & ∧      or  | ∨      xor  ^      ->  => → implies      <->  <=> ↔ iff
    !=  ≠         in  ∈         not in  ∉    true  ⊤     false  ⊥     <=  ≤     >=  ≥

- ``A`` alone is a feature of two states that read as false and true (0 and 1, no and yes, …).
- ``A -> B -> C`` is ``A -> (B -> C)``, that is ``A and B -> C``; ``A <-> B <-> C`` is ``(A <-> B) <-> C``.
- ``if P then Q`` is ``P -> Q`` and begins a formula: after ``not`` or an operator it needs parentheses. ``Q``
  reaches as far as it can.
- Numbers are compared with features that were made from columns of numbers, at a cut of theirs and on the
  side where the cut is: ``age < 37.5``, ``20 <= age < 50``, ``age in [20, 50)``, ``income >= 20k``. The ends
  ``-∞`` and ``∞`` are none. ``20 <= age`` begins with a number where only one of the two reads as one.
- Names and states are letters, digits and ``_ . - + / %`` (``A->B`` is an arrow all the same); case counts.
  Any others, and those that equal a keyword, are written in quotes, ``'it\'s'`` or ``"a \"b\" \\ c"``, on one
  line; the states true and false need none. Keywords are ``true false not and or xor implies iff if then in``
  in upper or lower case.
- ``#`` begins a comment, to the end of the line.
- A line break ends a formula unless a parenthesis, a brace or an ``if`` without its ``then`` is open, or an
  operand has yet to come, as after an operator.
- Two features cannot be compared.
- A text may have 1 MiB, and 200 parentheses and ``if`` inside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import wrong
from bnc2d.errors import LogicError
from bnc2d.logic.constraints.formula import Atom, Constant, Formula, Gate, Leaf, Not, Operator
from bnc2d.logic.constraints.ranges import Bound, Range, as_number, one_sided
from bnc2d.logic.constraints.tokens import (
    END,
    KEYWORDS,
    NAME,
    NEWLINE,
    Position,
    Token,
    error_at,
    quoted,
    tokenise,
)

Item = TypeVar("Item")

MOST_BYTES = 1 << 20
MOST_NESTED = 200

_TOKENS_BETWEEN_CHECKPOINTS = 1 << 12
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARISONS = tuple(_MIRRORED)
_OPERATORS = {operator.name.lower(): operator for operator in Operator}


class Name(NamedTuple):
    """The name of a feature or state, and where it stands."""

    text: str
    position: Position


# What a feature may be: states, ranges of numbers, or both.
Values: TypeAlias = tuple[Name | Range, ...]
# What makes a leaf of a feature and what it may be; None for a feature that stands alone. It may
# raise ``error_at(name.position, message)``. Of ``A != x`` and ``A not in {x}`` it gets the positive form.
Resolver: TypeAlias = Callable[[Name, Values | None], Leaf]


@dataclass(frozen=True, slots=True)
class Statement(Generic[Leaf]):
    """One of the formulas of a text, where it begins, and how it is written (on one line, no comments)."""

    formula: Formula[Leaf]
    position: Position = field(compare=False)
    text: str = field(compare=False)


def parse_statements(text: str, resolve: Resolver[Leaf]) -> tuple[Statement[Leaf], ...]:
    """Return the formulas of a text, of which all hold; ``resolve`` says what a name and its states mean.

    A text that is no text of this language is a ``LogicError`` that names line and column, what is there and
    what was expected.

    >>> def resolve(name: Name, states: Values | None) -> str:
    ...     return name.text
    >>> parse_statements("if A then B", resolve)[0].formula.operator.name
    'IMPLIES'
    """
    parser = Parser(text, resolve)
    return tuple(Statement(*found) for found in parser.each(parser.formula))


class _Group(Generic[Leaf]):
    """A formula that is not read to its end: the whole, in parentheses, or after ``if`` or ``then``.

    ``chains`` are operators that wait for an operand, each tighter than the one before; ``negated`` says
    whether the next operand is.
    """

    __slots__ = ("chains", "condition", "is_open", "negated", "opener")

    def __init__(self, opener: str, is_open: bool, condition: Formula[Leaf] | None = None) -> None:
        self.opener = opener
        self.is_open = is_open  # whether line breaks mean nothing
        self.condition = condition
        self.chains: list[tuple[Operator, list[Formula[Leaf]]]] = []
        self.negated = False

    def finished(self, operand: Formula[Leaf], operator: Operator | None = None) -> Formula[Leaf]:
        """Return what ends with this operand: all chains, or those that bind tighter than the operator."""
        while self.chains and (operator is None or self.chains[-1][0] > operator):
            tighter, operands = self.chains.pop()
            operand = Gate(tighter, (*operands, operand))
        return operand

    def join(self, operand: Formula[Leaf], operator: Operator) -> None:
        """Add an operand that an operator follows."""
        operand = self.finished(operand, operator)
        if self.chains and self.chains[-1][0] is operator:
            self.chains[-1][1].append(operand)
        else:
            self.chains.append((operator, [operand]))


class Parser(Generic[Leaf]):
    """Reads tokens from left to right; groups are on a stack, so that nothing recurses."""

    def __init__(self, text: str, resolve: Resolver[Leaf]) -> None:
        if not isinstance(text, str):
            raise wrong("a formula", text, "a text", LogicError)
        if len(text) > MOST_BYTES or len(text.encode(errors="surrogatepass")) > MOST_BYTES:
            raise LogicError(
                f"the text of a constraint has more than {MOST_BYTES} bytes (1 MiB), which is the limit"
            )
        self._text = text
        self._tokens = tokenise(text)
        self.token = next(self._tokens)
        self._ahead: Token | None = None
        self._taken: list[Token] = []
        self._count = 0
        self._resolve = resolve
        self._groups: list[_Group[Leaf]] = []

    def take(self) -> Token:
        """Return the token that is next, and go on."""
        self._count += 1
        if not self._count % _TOKENS_BETWEEN_CHECKPOINTS:
            checkpoint()
        token = self.token
        if token.kind != NEWLINE:
            self._taken.append(token)
        self.token = self.after_next()
        self._ahead = None
        return token

    def after_next(self) -> Token:
        """Return the token after the next one; nothing is taken."""
        if self._ahead is None:
            self._ahead = next(self._tokens, self.token)
        return self._ahead

    def expect(self, kind: str, expected: str) -> Token:
        """Return the token that is next, which must be of a kind."""
        if self.token.kind != kind:
            raise self.unexpected(expected)
        return self.take()

    def unexpected(self, expected: str, remedy: str = "") -> LogicError:
        """Return the error that the next token is not what was expected."""
        return error_at(self.token.position, f"found {self.token}, expected {expected}{remedy}")

    def each(self, read: Callable[[], Item]) -> Iterator[tuple[Item, Position, str]]:
        """Yield what ``read`` makes of each statement, where that begins, and how it is written."""
        while self.token.kind != END:
            if self.token.kind in (NEWLINE, ";"):
                self.take()
            else:
                position, self._taken = self.token.position, []
                yield read(), position, self._written()

    def _written(self) -> str:
        """Return the tokens taken as they are written, on one line and without comments."""
        written: list[str] = []
        end = self._taken[0].span[0]
        for token in self._taken:
            written += ["" if token.span[0] == end else " ", self._text[slice(*token.span)]]
            end = token.span[1]
        return "".join(written)

    def formula(self) -> Formula[Leaf]:
        """Return the formula that begins here and ends with its line, or where a ``;`` is."""
        self.begin()
        while True:
            whole = self.after_operand(self.operand())
            if whole is not None:
                return whole

    def begin(self) -> None:
        """Begin a statement: no parenthesis is open."""
        self._groups = [_Group("", is_open=False)]

    def conditions(self) -> list[Formula[Leaf]] | None:
        """Return the conditions of every ``if … then`` so far, where nothing else stands before this."""
        if any(group.chains or group.negated or group.opener not in ("", "then") for group in self._groups):
            return None
        return [group.condition for group in self._groups if group.condition is not None]

    def operand(self) -> Formula[Leaf]:
        """Return the next atom or constant, after opening what comes before it."""
        while True:
            kind = self.token.kind
            group = self._groups[-1]
            if kind == NAME:
                return self.atom()
            if kind in ("true", "false"):
                self.take()
                return Constant(kind == "true")
            if kind == "not":
                group.negated = not group.negated
            elif kind == "(" or (kind == "if" and not group.negated and not group.chains):
                if len(self._groups) > MOST_NESTED:
                    limit = f"{MOST_NESTED} open parentheses and 'if', which is the limit"
                    raise error_at(self.token.position, f"found {self.token} inside {limit}")
                self._groups.append(_Group(kind, is_open=True))
            elif kind != NEWLINE:
                remedy = "; put this 'if … then …' in parentheses" if kind == "if" else self.quotes_remedy()
                raise self.unexpected("a feature, 'not', '(', 'true' or 'false'", remedy)
            self.take()

    def quotes_remedy(self) -> str:
        """Return what to do where a keyword was meant as a name."""
        is_keyword = self.token.text.lower() in KEYWORDS
        return "; a name that is also a keyword is written in quotes" if is_keyword else ""

    def after_operand(self, operand: Formula[Leaf]) -> Formula[Leaf] | None:
        """Close the groups that end here; return the whole statement, or None where an operand is to come."""
        while True:
            group = self._groups[-1]
            if group.negated:
                group.negated = False
                operand = Not(operand)
            while group.is_open and self.token.kind == NEWLINE:
                self.take()
            operator = _OPERATORS.get(self.token.kind)
            if operator is not None:
                self.take()
                group.join(operand, operator)
                return None
            operand = group.finished(operand)
            if group.opener == "if":
                self.expect("then", "an operator or 'then'")
                is_open = self._groups[-2].is_open
                self._groups[-1] = _Group("then", is_open, condition=operand)
                return None
            if group.condition is not None:
                operand = Gate(Operator.IMPLIES, (group.condition, operand))
            elif group.opener == "(":
                self.expect(")", "an operator or ')'")
            elif self.token.kind in (NEWLINE, ";", END):
                return operand
            else:
                raise self.unexpected("an operator, ';' or the end of the line")
            self._groups.pop()

    def atom(self) -> Formula[Leaf]:
        """Return what a name and the states after it mean."""
        name = self.name("a feature")
        kind = self.token.kind
        if kind in _COMPARISONS:
            return self._comparison(name)
        states: Values | None = None
        if kind in ("=", "!="):
            self.take()
            states = (self._state_or_number(),)
        elif kind in ("in", "not in"):
            self.take()
            states = self.union()
        elif kind == "not" and self.token.text.lower() == "not":
            self.take()
            self.expect("in", "'in'")
            states = self.union()
        atom = Atom(self._resolve(name, states), name.position)
        return atom if states is None or kind in ("=", "in") else Not(atom)

    def _state_or_number(self) -> Name | Range:
        """Return a state; with a unit behind it, it is a number alone."""
        state = self.name("a state")
        unit = "" if as_number(state.text) is None else self._unit()
        end = Bound(state.text, True, state.position)
        return Range(end, end, state.position, unit) if unit else state

    def _comparison(self, first: Name) -> Formula[Leaf]:
        """Return what ``age < 50``, ``20 <= age`` or ``20 <= age < 50`` means; its first word is taken."""
        sign = self.take().kind
        second = self.name("a number")
        if as_number(first.text) is None or as_number(second.text) is not None:
            wanted = one_sided(sign, *self._checked_number(second))
            return Atom(self._resolve(first, (wanted._replace(unit=self._unit()),)), first.position)
        wanted = one_sided(_MIRRORED[sign], *first)
        if self.token.kind in _COMPARISONS:
            if self.token.kind[0] != sign[0]:
                raise self.unexpected(f"'{sign[0]}' or '{sign[0]}=', as before")
            other = one_sided(self.take().kind, *self._checked_number(self.name("a number")))
            wanted = Range(wanted.low or other.low, wanted.high or other.high, first.position)
        return Atom(self._resolve(second, (wanted._replace(unit=self._unit()),)), second.position)

    def _checked_number(self, name: Name) -> Name:
        if as_number(name.text) is None:
            raise error_at(name.position, f"found {quoted(name.text)}, expected a number")
        return name

    def _unit(self) -> str:
        """Return the unit that comes next, if one does."""
        words = []
        while self.token.kind == NAME:
            words.append(self.take().text)
        return " ".join(words)

    def union(self) -> Values:
        """Return the states in braces and the ranges in brackets, joined by ``∪``."""
        parts: list[Name | Range] = []
        while not parts or self.token.kind == "∪":
            if parts:
                self.take()
                self.skip_line_breaks()
            parts += [self._range()] if self.token.kind in ("[", "(") else self.state_set()
        if not any(isinstance(part, Range) for part in parts):
            return tuple(parts)
        unit = self._unit()
        return tuple(part._replace(unit=unit) if isinstance(part, Range) else part for part in parts)

    def _range(self) -> Range:
        """Return the numbers between brackets."""
        opened = self.take()
        low = self.name("a number")
        self.expect(",", "','")
        self.skip_line_breaks()
        high = self.name("a number")
        if self.token.kind not in ("]", ")"):
            raise self.unexpected("']' or ')'")
        closed = self.take()
        return Range(
            None if low.text == "-∞" else self._end(low, opened.kind == "["),
            None if high.text in ("∞", "+∞") else self._end(high, closed.kind == "]"),
            opened.position,
        )

    def _end(self, number: Name, closed: bool) -> Bound:
        return Bound(self._checked_number(number).text, closed, number.position)

    def state_set(self) -> tuple[Name, ...]:
        """Return the states in braces."""
        self.expect("{", "'{', '[' or '('")
        states: list[Name] = []
        while not states or self.token.kind == ",":
            if states:
                self.take()
            self.skip_line_breaks()
            states.append(self.name("a state"))
            self.skip_line_breaks()
        self.expect("}", "',' or '}'")
        return tuple(states)

    def skip_line_breaks(self) -> None:
        """Take the line breaks that come next, where they mean nothing."""
        while self.token.kind == NEWLINE:
            self.take()

    def name(self, expected: str) -> Name:
        """Return a name, which may be true or false where only a state can stand."""
        is_state_word = self.token.text.lower() in ("true", "false")
        if self.token.kind != NAME and not is_state_word:
            raise self.unexpected(expected, self.quotes_remedy())
        token = self.take()
        return Name(token.text, token.position)
