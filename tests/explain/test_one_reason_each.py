"""One reason for each of many instances: the same as one by one."""

from __future__ import annotations

import numpy as np

from bnc2d.explain.by_regions.many import one_reason_each
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.listing import sufficient_sets
from tests.regions.around.cases import cases


def test_many_instances_have_the_reasons_that_single_ones_have() -> None:
    only = []
    for case in cases(range(700, 712)):
        rows = case.rows[case.labels == case.label][::3]
        comparisons = case.around.comparisons
        for row, found in zip(rows.tolist(), one_reason_each(comparisons, rows), strict=True):
            around = Around(comparisons, row)
            assert found.features == around.one_sufficient()
            assert not found.is_only or list(sufficient_sets(around)) == [found.features]
            only.append(found.is_only)
    assert 0 < np.mean(only) < 1
