"""A page's section, typed command by command against a running `gpu-market up`, and what the test checks between."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import MappingProxyType

from tests.docs.pages import ROOT, commands_under
from tests.e2e.pages.page_reader import PROGRAM, Agent, Reader, Where, simulated_agent
from tests.e2e.seeded import UpProcess


class Walk:
    """The section's commands in its order. The test tells how each begins, so that it knows what it checks."""

    def __init__(self, reader: Reader, heading: str, places: dict[str, str]) -> None:
        self.reader = reader
        self.places = places
        """Words in place of those that the page's reader fills in."""
        self._left = commands_under(reader.page, heading)

    async def types(self, beginning: str) -> str:
        """Runs the next command, which must end well; what it printed."""
        return await self.reader.run(self.skips(beginning), self.places)

    def skips(self, beginning: str) -> list[str]:
        """Takes the next command as it stands, without running it."""
        assert self._left, f"the page does not have `{beginning}`"
        words = self._left.pop(0)
        said = shlex.join(words).removeprefix(f"{PROGRAM} ")
        assert said.startswith(beginning), f"the page has `{said}` where the test has `{beginning}`"
        return words

    def ends(self) -> None:
        """Asserts that the test has come to the section's end."""
        assert self._left == [], "the page has more than the test"


@asynccontextmanager
async def walking(
    page: str,
    heading: str,
    up: UpProcess,
    folder: Path,
    *,
    agent: Agent = simulated_agent,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[Walk]:
    """Somebody in a folder of their own, who shares the user's directories with `up`, as on one computer.

    `agent` runs the page's `host run`.
    """
    where = Where(up.ready["rpc_url"], up.ready["api_url"], agent, environment=environment)
    keys = Path(up.ready["data"]) / "keys"
    places = {f"~/.local/share/gpu-market/localnet/keys/{key.name}": str(key) for key in keys.glob("*.json")}
    async with AsyncExitStack() as stack:
        walk = Walk(Reader((ROOT / page).read_text(), folder, where, stack, up.console), heading, places)
        yield walk
        walk.ends()
