"""Rules, read from texts: formulas in the language of constraints, and sentences about two instances.

::

    text      = [statement] {(";" | line break) [statement]}
    statement = formula | {"if" formula "then"} sentence
    sentence  = "class" "does" "not" "depend" "on" names
              | "class" "changes" "by" "at" "most" "one" "step" ["under" "a" "change" "of" names]
                ["in" "the" "order" classes]
              | "raising" names "never" "lowers" "the" "class"
              | "raising" names "never" "leads" "out" "of" "class" state
    names     = name {"," name}

Formulas are those of ``bnc2d.logic.constraints.syntax``. In both, ``class`` may be the target's own name. The
words of sentences are no keywords: features of these names need no quotes, since in a formula no name follows
another. Conditions of sentences are over features alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from bnc2d.base.readers.arguments import items
from bnc2d.base.scales import Label
from bnc2d.errors import LogicError, UnknownNameError, did_you_mean
from bnc2d.explain.whole.rules.claims import (
    PairClaim,
    Rule,
    RuleFormula,
    coherent,
    conjunction,
    independent,
    rising,
)
from bnc2d.logic.constraints.formula import Atom, Constant, Gate, Not, Operator
from bnc2d.logic.constraints.reader import Literal, literal_resolver
from bnc2d.logic.constraints.syntax import Name, Parser, Resolver, Values
from bnc2d.logic.constraints.tokens import END, NAME, NEWLINE, Position, error_at, quoted
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.model.classifier import BaseClassifier

# What the target may be called in a rule, unless a feature has that name.
_CLASS = "class"


def read_rules(
    classifier: BaseClassifier, domain: Domain, given: str | Iterable[str], towards: Label | None = None
) -> list[Rule]:
    """Return the rules of a text, or of several; ``towards`` is the class that all of them are to lead to.

    What is no rule is a ``LogicError`` that says where; of several texts also in which.
    """
    label = None if towards is None else classifier.label(towards)
    read = partial(_read_text, classifier, domain, label=label)
    if isinstance(given, str):
        return read(given)
    rules = []
    texts = items(given, "the rules", "a text or a list of texts", LogicError)
    for number, text in enumerate(texts, start=1):
        try:
            rules += read(text)
        except LogicError as error:
            raise LogicError(f"rule {number}: {error}") from None
    return rules


def _read_text(classifier: BaseClassifier, domain: Domain, text: str, label: int | None) -> list[Rule]:
    parser = _RuleParser(text, classifier, domain, label is not None)
    rules = [Rule(written, where.line, claim) for claim, where, written in parser.each(parser.rule)]
    if label is None:
        return rules
    wanted = Atom(Literal(len(domain), 1 << label), Position(1, 1))
    return [
        Rule(rule.text, rule.line, Gate(Operator.IMPLIES, (rule.claim, wanted)))
        for rule in rules
        if not isinstance(rule.claim, PairClaim)
    ]


class _RuleParser(Parser[Literal]):
    """Reads rules; literals over the target have the position after the last feature."""

    def __init__(self, text: str, classifier: BaseClassifier, domain: Domain, only_features: bool) -> None:
        self._classes = classifier.classes
        self._target = classifier.target
        self._domain = domain
        self._only_features = only_features
        states = dict(zip(domain.names, domain.states, strict=True))
        plain = literal_resolver(Domain({**states, classifier.target: classifier.classes}))
        super().__init__(text, self._resolver(plain))

    def _resolver(self, plain: Resolver[Literal]) -> Resolver[Literal]:
        def resolve(name: Name, states: Values | None) -> Literal:
            is_class = name.text == _CLASS and _CLASS not in self._domain.names
            literal = plain(name._replace(text=self._target) if is_class else name, states)
            if literal.feature == len(self._domain) and self._only_features:
                raise self._about_the_class(name.position, name.text)
            return literal

        return resolve

    def _about_the_class(self, position: Position, found: str) -> LogicError:
        return error_at(
            position,
            f"found {quoted(found)}, expected features only, since towards= says which class is claimed",
        )

    def rule(self) -> RuleFormula | PairClaim:
        """Return what the rule that begins here claims."""
        self.begin()
        while True:
            conditions = self.conditions()
            if conditions:
                self.skip_line_breaks()  # after "then"
            if conditions is not None and self._begins_sentence():
                return self._sentence(conditions)
            whole = self.after_operand(self.operand())
            if whole is not None:
                return whole

    def atom(self) -> RuleFormula:
        """Return what a name and the states after it mean; a sentence is no part of a formula."""
        if self._begins_sentence():
            raise self.unexpected(
                "a formula; a sentence about two instances stands alone or after 'if … then'"
            )
        return super().atom()

    def _begins_sentence(self) -> bool:
        """Return whether two names follow that begin a sentence; a formula has no two names in a row."""
        if self.token.kind != NAME or self.after_next().kind != NAME:
            return False
        return self.token.text.lower() == "raising" or self.after_next().text.lower() in ("does", "changes")

    def _sentence(self, conditions: list[RuleFormula]) -> PairClaim:
        if self._only_features:
            raise self._about_the_class(self.token.position, self.token.text)
        condition = conjunction(conditions)
        for position in _mentions(condition, len(self._domain)):
            raise error_at(
                position, "found the class, expected features only in the condition of a rule about pairs"
            )
        claim = self._rising(condition) if self._is_word("raising") else self._about_class(condition)
        if self.token.kind not in (NEWLINE, ";", END):
            raise self.unexpected("';' or the end of the line")
        return claim

    def _rising(self, condition: RuleFormula | None) -> PairClaim:
        self.words("raising")
        features = self.features()
        self.words("never")
        if self._is_word("lowers"):
            self.words("lowers the class")
            return rising(len(self._classes), features, None, condition)
        if not self._is_word("leads"):
            raise self.unexpected("'lowers' or 'leads'")
        self.words("leads out of class")
        return rising(len(self._classes), features, self.class_label(), condition)

    def _about_class(self, condition: RuleFormula | None) -> PairClaim:
        if self.token.text not in (_CLASS, self._target):
            raise self.unexpected(f"'class' or the target {quoted(self._target)}")
        self.take()
        if self._is_word("does"):
            self.words("does not depend on")
            return independent(len(self._classes), self.features(), condition)
        self.words("changes by at most one step")
        features: Iterable[FeatureId] = range(len(self._domain))
        if self._is_word("under"):
            self.words("under a change of")
            features = self.features()
        order: Iterable[int] = range(len(self._classes))
        if self.token.kind == "in":
            self.words("in the order")
            position = self.token.position
            order = self.several(self.class_label)
            if sorted(order) != list(range(len(self._classes))):
                message = f"found another list, expected every class of {quoted(self._target)} once"
                raise error_at(position, message)
        return coherent(list(order), features, condition)

    def _is_word(self, word: str) -> bool:
        return self.token.text.lower() == word

    def words(self, expected: str) -> None:
        """Take these words."""
        for word in expected.split():
            if not self._is_word(word):
                raise self.unexpected(f"'{word}', as in '{expected}'")
            self.take()

    def features(self) -> list[FeatureId]:
        """Return the features named here."""
        return self.several(self.feature)

    def several(self, read: Callable[[], int]) -> list[int]:
        """Return what is read, once or more, with commas in between."""
        found = [read()]
        while self.token.kind == ",":
            self.take()
            self.skip_line_breaks()
            found.append(read())
        return found

    def feature(self) -> FeatureId:
        """Return the feature named here."""
        name = self.name("a feature")
        try:
            return self._domain.index(name.text)
        except UnknownNameError:
            hint = did_you_mean(name.text, self._domain.names)
            raise error_at(name.position, f"found {quoted(name.text)}, expected a feature{hint}") from None

    def class_label(self) -> int:
        """Return the position of the class named here."""
        name = self.name("a class")
        if name.text not in self._classes:
            hint = did_you_mean(name.text, self._classes)
            raise error_at(
                name.position,
                f"found {quoted(name.text)}, expected a class of {quoted(self._target)}{hint}",
            )
        return self._classes.index(name.text)


def _mentions(formula: RuleFormula | None, feature: FeatureId) -> Iterator[Position]:
    """Yield where a formula mentions a feature."""
    pending = [] if formula is None else [formula]
    while pending:
        here = pending.pop()
        if isinstance(here, Atom):
            if here.meaning.feature == feature:
                yield here.position
        elif isinstance(here, Not):
            pending.append(here.operand)
        elif not isinstance(here, Constant):
            pending += here.operands
