"""Long sweeps, of which `make test` takes a sample; `make test-exhaustive` runs the rest.

`make nightly` runs what only repeats them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Cases to parametrize a test by: the first and each `every`-th after it always run, the others as long sweeps.

    A case of several values is a tuple.
    """
    return [exhaustive(case) if place % every else case for place, case in enumerate(cases)]


def exhaustive(case: Any) -> Any:
    """A case that runs as a long sweep."""
    return _marked(case, pytest.mark.exhaustive)


def nightly(case: Any) -> Any:
    """A case that repeats others with another seed or a finer step: `make nightly` alone runs it."""
    return _marked(case, pytest.mark.nightly)


def _marked(case: Any, mark: pytest.MarkDecorator) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=mark)
