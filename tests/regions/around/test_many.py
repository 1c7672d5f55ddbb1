"""One reason for each of many instances: the same as one by one."""

from __future__ import annotations

import numpy as np

from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.many import sufficient_each
from tests.regions.around.cases import cases


def test_many_instances_have_the_reasons_that_single_ones_have() -> None:
    for case in cases(range(700, 712)):
        some = np.flatnonzero(case.labels != NO_CLASS)[::3]
        rows, labels = case.rows[some], case.labels[some]
        kept = sufficient_each(case.bounds, rows, labels, case.around.fixed)
        for row, label, found in zip(rows.tolist(), labels.tolist(), kept, strict=True):
            around = Around(case.bounds.of_class(label), row, case.around.fixed)
            assert np.flatnonzero(found).tolist() == around.one_sufficient()
