"""The TypeScript client, and a market that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.package import Twin, built
from tests.e2e.conftest import up

__all__ = ["up"]


@pytest.fixture(scope="package")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, compiled without a look at its types."""
    return built(tmp_path_factory.mktemp("typescript"), typed=False)


@pytest.fixture(scope="package")
def twin(client: Path) -> Twin:
    """The client as one that answers."""
    return Twin(client)
