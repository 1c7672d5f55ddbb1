"""Random formulas as trees of this module's own, their truth for an instance, and random texts of them.

A tree is ``("constant", value)``, ``("atom", feature, states)``, ``("not", tree)`` or an operator with two or
more trees. Truth and text are written down directly from what the language says, apart from its parser.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from random import Random
from typing import Any, TypeAlias

from hypothesis import strategies as st

from bnc2d.base.readers.states import false_true
from bnc2d.logic.domain import Domain

Tree: TypeAlias = tuple[Any, ...]

# Names and states that are odd: with quotes, signs, keywords and spaces in them.
DOMAIN = Domain(
    {
        "A": ("0", "1"),
        "it's": ("yes", "no"),
        "And": ("x", 'y "y"', "back\\slash", "->"),
        "b-1.": ("-1", "+2", "true"),
    }
)
SPELLINGS = {
    "not": ("not", "NOT", "!", "¬"),
    "and": ("and", "And", "&", "∧"),
    "or": ("or", "OR", "|", "∨"),
    "xor": ("xor", "Xor", "^"),
    "implies": ("->", "=>", "→", "implies", "IMPLIES"),
    "iff": ("<->", "<=>", "↔", "iff", "Iff"),
}
TIGHTNESS = {"if": 0, "iff": 1, "implies": 2, "or": 3, "xor": 4, "and": 5, "not": 6, "atom": 7, "constant": 7}
OPERATORS = ("and", "or", "xor", "implies", "iff")
KEYWORDS = {"true", "false", "not", "and", "or", "xor", "implies", "iff", "if", "then", "in"}


def seeded(seed: object) -> Random:
    return Random(str(seed))  # noqa: S311 - reproducible test data


def trees(domain: Domain = DOMAIN, max_leaves: int = 10) -> st.SearchStrategy[Tree]:
    atoms = st.sampled_from(range(len(domain))).flatmap(
        lambda feature: st.tuples(
            st.just("atom"),
            st.just(domain.names[feature]),
            st.lists(st.sampled_from(domain.states[feature]), min_size=1, max_size=3, unique=True).map(tuple),
        )
    )
    leaves: st.SearchStrategy[Tree] = st.one_of(atoms, atoms, st.tuples(st.just("constant"), st.booleans()))

    def joined(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        gates = st.tuples(st.sampled_from(OPERATORS), st.lists(parts, min_size=2, max_size=4))
        return st.one_of(gates.map(lambda drawn: (drawn[0], *drawn[1])), st.tuples(st.just("not"), parts))

    return st.recursive(leaves, joined, max_leaves=max_leaves)


def holds(tree: Tree, instance: Mapping[str, str]) -> bool:
    kind, *rest = tree
    if kind == "constant":
        return bool(rest[0])
    if kind == "atom":
        return instance[rest[0]] in rest[1]
    values = [holds(part, instance) for part in rest]
    if kind == "not":
        return not values[0]
    if kind == "implies":  # from the right
        return reduce(lambda then, given: then or not given, reversed(values))
    steps = {
        "and": lambda one, other: one and other,
        "or": lambda one, other: one or other,
        "xor": lambda one, other: one != other,
        "iff": lambda one, other: one == other,
    }
    return bool(reduce(steps[kind], values))


def as_text(tree: Tree, random: Random, domain: Domain = DOMAIN) -> str:
    """Return a text of the tree, with spellings, parentheses, quotes, spaces and comments at random."""
    return spaced(_tokens(tree, random, domain, 0), random)


def name(text: str, random: Random, is_state: bool = False) -> str:
    plain = all(c.isalnum() or c in "_.-+" for c in text)
    keyword = text.lower() in KEYWORDS and not (is_state and text in ("true", "false"))
    if plain and not keyword and random.random() < 0.7:
        return text
    quote = random.choice("'\"")
    both = random.random() < 0.3  # the other quote may be escaped as well
    escaped = "".join(f"\\{c}" if c in ("\\", quote) or (both and c in "'\"") else c for c in text)
    return f"{quote}{escaped}{quote}"


def _tokens(tree: Tree, random: Random, domain: Domain, least: int) -> list[str]:
    """Return the tokens of a tree, in parentheses where it does not bind as tightly as it must."""
    kind, *rest = tree
    tightness = TIGHTNESS[kind]
    if kind == "constant":
        tokens = [random.choice(("true", "TRUE", "⊤") if rest[0] else ("false", "False", "⊥"))]
    elif kind == "atom":
        tokens = _atom(rest[0], rest[1], random, domain)
    elif kind == "not":
        tokens = [random.choice(SPELLINGS["not"]), *_tokens(rest[0], random, domain, TIGHTNESS["not"])]
    elif kind == "implies" and len(rest) == 2 and random.random() < 0.4:
        tightness = TIGHTNESS["if"]
        condition, conclusion = (_tokens(part, random, domain, 0) for part in rest)
        tokens = [random.choice(("if", "IF")), *condition, random.choice(("then", "Then")), *conclusion]
    else:
        tokens = _tokens(rest[0], random, domain, tightness + 1)
        for part in rest[1:]:
            tokens += [random.choice(SPELLINGS[kind]), *_tokens(part, random, domain, tightness + 1)]
    if tightness < least or random.random() < 0.1:
        return ["(", *tokens, ")"]
    return tokens


def _atom(feature: str, states: tuple[str, ...], random: Random, domain: Domain) -> list[str]:
    here = name(feature, random)
    every = domain.states[domain.names.index(feature)]
    others = tuple(state for state in every if state not in states)
    reading = false_true(every)
    choices = [[here, random.choice(("in", "IN", "∈")), *_braces(states, random)]]
    if others:
        choices.append([here, *random.choice((("not", "in"), ("∉",))), *_braces(others, random)])
    if len(states) == 1:
        choices.append([here, "=", name(states[0], random, is_state=True)])
        if reading is not None:
            choices.append([here] if states[0] == reading[1] else [random.choice(SPELLINGS["not"]), here])
    if len(others) == 1:
        choices.append([here, random.choice(("!=", "≠")), name(others[0], random, is_state=True)])
    return random.choice(choices)


def _braces(states: tuple[str, ...], random: Random) -> list[str]:
    tokens = ["{"]
    for state in states:
        tokens += [name(state, random, is_state=True), ","]
    return [*tokens[:-1], "}"]


_CONTINUES = {spelling for several in SPELLINGS.values() for spelling in several} | {"then", "Then"}


def spaced(tokens: list[str], random: Random) -> str:
    """Return the tokens with spaces, and with line breaks and comments where they mean nothing."""
    text, depth = "", 0
    for number, token in enumerate(tokens):
        following = tokens[number + 1] if number + 1 < len(tokens) else ""
        depth += (token in ("(", "{", "if", "IF")) - (token in (")", "}", "then", "Then"))
        inside_atom = following in ("=", "!=", "≠", "in", "IN", "∈", "∉", "{") or token in ("=", "!=", "≠")
        inside_atom |= token.lower() == "not" and following == "in"
        # Between a name and "not in" too: whether it is that is not known here.
        inside_atom |= following.lower() == "not"
        needed = token[-1] not in "(){},=" and following[:1] not in tuple("(){},=")
        gap = random.choice((" ", "  ", "\t") if needed else ("", "", " "))
        if (depth or token in _CONTINUES) and not inside_atom and following and random.random() < 0.15:
            gap += random.choice(("\n", "\r\n", " # a 'comment ( ;\n ", "\n\n\t"))
        text += token + gap
    return text
