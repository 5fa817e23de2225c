"""The file that a running local market leaves for other commands to find it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunningMarket:
    """Addresses of a running local market's services, and paths of its keys."""

    pid: int
    rpc_url: str
    ws_url: str
    api_url: str
    data: str
    database_url: str
    wallet: str
    """Key file of the renter that commands use by default."""
    tokens: dict[str, str]
    """Mint addresses by symbol."""
    metrics: dict[str, str]
    """URL of each service's metrics, by its name."""

    @contextmanager
    def published(self, path: Path) -> Iterator[None]:
        """Writes the file for other commands; it goes in the end, unless another market has replaced it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(asdict(self), indent=2))
        draft.replace(path)
        try:
            yield
        finally:
            if find_running(path) == self:
                path.unlink(missing_ok=True)


def find_running(path: Path) -> RunningMarket | None:
    """The local market running on this machine, if any."""
    try:
        market = RunningMarket(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return market if _alive(market.pid) else None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
