"""``bnc2d.load``: compiled models back from their files."""

from __future__ import annotations

import os

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel, GivenModel
from bnc2d.compile.store import MAX_BYTES, load_model


def load(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> CompiledModel:
    """Read a model that ``CompiledModel.save`` wrote; a damaged, foreign or newer file is refused.

    A model that was saved under a constraint comes back under it, as a ``GivenModel``. ``max_bytes`` bounds
    the file, packed and unpacked.
    """
    stored = load_model(path, max_bytes=max_bytes)
    model = CompiledModel.of(stored.model)
    model.classifier = Classifier.of(model.classifier)
    return model if stored.constraint is None else GivenModel(model, stored.constraint)
