"""One browser for all pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.machine import find_browser
from tests.report.browser import Browser


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    assert program is not None
    with Browser(program, tmp_path_factory.mktemp("profile")) as running:
        yield running
