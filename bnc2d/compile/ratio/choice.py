"""Whether decisions in one dimension pay for a classifier, before anything large is made or loaded."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from bnc2d.base.masks import mask_of, positions
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.elimination import components

if TYPE_CHECKING:
    from bnc2d.compile.ratio.factors import Groups

# Where the target separates features into groups, an instance of a group takes as long as labelling this many
# cells; the general method starts no faster than this many instances of groups are done.
_CELLS_PER_INSTANCE = 10_000
_FEW_INSTANCES = 200
# Elsewhere, a feature takes as long as at least this many cells.
_CELLS_PER_FEATURE = 125_000


def groups_of(classifier: BaseClassifier, prepared: Prepared) -> Groups | None:
    """Return the groups of tables where two classes are decided faster by intervals, else None."""
    if len(classifier.classes) != 2:
        return None
    separated = _is_separated(prepared)
    if not separated and classifier.instance_count < _CELLS_PER_FEATURE * len(classifier.features):
        return None
    from bnc2d.compile.ratio.factors import Groups
    from bnc2d.compile.ratio.outline import pays

    groups = Groups(classifier)
    return groups if groups.fit and (separated or pays(classifier, groups)) else None


def _is_separated(prepared: Prepared) -> bool:
    """Return whether the target separates features into groups that are small in comparison to all."""
    target, features = 1 << prepared.target_id, mask_of(prepared.feature_ids)
    parts = components([scope & ~target for scope in prepared.scopes])
    instances = [prod(prepared.sizes[v] for v in positions(part & features)) for part in parts]
    few = _FEW_INSTANCES + prod(instances) // _CELLS_PER_INSTANCE
    return len(parts) > 1 and sum(instances) <= few
