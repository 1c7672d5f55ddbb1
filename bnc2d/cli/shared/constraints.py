"""``--given``: a constraint on instances, in the command's words or in a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel, GivenModel
from bnc2d.base.readers.instances import encode_partial_one
from bnc2d.compile.zeros.constraint import allowed_instances, is_possible, may_be_allowed, violation
from bnc2d.errors import LogicError
from bnc2d.formats.files import MAX_BYTES, decode, read_bytes

if TYPE_CHECKING:
    from bnc2d.cli.shared.instances import Given, Row

Found = TypeVar("Found")

_FILE = "@"


def add_given_option(command: argparse.ArgumentParser) -> None:
    """Add ``--given``."""
    words = "only instances that satisfy this count, as in 'A=1 -> B!=z' or 'possible'; @FILE reads it"
    command.add_argument("--given", metavar="TEXT", help=words)


def read_given(options: argparse.Namespace) -> str | None:
    """Return the text of the constraint, from a file where it starts with ``@``."""
    text: str | None = options.given
    if text is not None and text.startswith(_FILE):
        path = text[len(_FILE) :]
        return decode(read_bytes(path, options.max_bytes or MAX_BYTES), path)
    return text


def check_given(classifier: Classifier, options: argparse.Namespace) -> None:
    """Raise where the constraint of the options cannot be read, before anything takes long."""
    text = read_given(options)
    if text is not None and not is_possible(text):
        _naming_the_file(options, lambda: allowed_instances(classifier, text))


def under(model: CompiledModel, options: argparse.Namespace) -> CompiledModel:
    """Return the model under the constraint of the options, if there is one."""
    text = read_given(options)
    return model if text is None else _naming_the_file(options, lambda: model.given(text))


def allowed_rows(given: Given, found: CompiledModel | Classifier, constraint: object) -> Given:
    """Return rows of which those that violate the constraint have an error; a single one that does is one.

    The constraint is that of a model itself; a classifier must be told.
    """
    allows: Callable[[dict[str, str]], bool]
    if isinstance(found, GivenModel):
        allows = found.allows
    elif isinstance(found, Classifier) and constraint is not None:
        allowed, _ = allowed_instances(found, constraint)

        def allows(instance: dict[str, str]) -> bool:
            return may_be_allowed(allowed, encode_partial_one(found.feature_variables, instance))

    else:
        return given

    def checked(row: Row) -> Row:
        if row.instance is None or allows(row.instance):
            return row
        return replace(row, instance=None, error=str(violation()))

    rows = map(checked, given.rows)
    if not given.single:
        return replace(given, rows=rows)
    (row,) = rows
    if row.error:
        raise violation()
    return replace(given, rows=[row])


def _naming_the_file(options: argparse.Namespace, make: Callable[[], Found]) -> Found:
    """Return what is made of the constraint; its errors name the file that it is from."""
    try:
        return make()
    except LogicError as error:
        place = options.given[len(_FILE) :] if options.given.startswith(_FILE) else "--given"
        raise LogicError(f"{place}: {error}") from None
