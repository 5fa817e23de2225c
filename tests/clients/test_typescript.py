"""The TypeScript client: on a running market, in Node's own test runner, and against what it is generated from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.package import SOURCES, built, published, run
from tests.e2e.seeded import UpProcess

WEB_SOCKETS = ("--experimental-websocket", "--no-warnings")
"""Node 20 has them behind a flag that later ones still take."""

pytestmark = pytest.mark.xdist_group("typescript")


def test_readme__its_example__is_the_one_that_is_run() -> None:
    example = (SOURCES / "examples/rent.ts").read_text()
    assert f"```ts\n{example}```" in (SOURCES / "README.md").read_text()


@pytest.mark.exhaustive
def test_example__market_that_runs__rents_opens_the_connection_and_stops(
    client: Path, up: UpProcess, tmp_path: Path
) -> None:
    """With the package as published, installed where nothing of the checkout is."""
    project, tools = published(tmp_path), client / "node_modules"
    options = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--types", "node")
    types = ("--typeRoots", str((tools / "@types").resolve()))
    run(project, str(tools / "typescript/bin/tsc"), *options, *types, "rent.ts")
    assert {file.name for file in (project / "node_modules/gpu-market").iterdir()} == {
        "dist",
        "README.md",
        "package.json",
    }
    said = run(project, "rent.js", up.ready["api_url"], up.ready["wallet"])
    states = [line.split()[0] for line in said.splitlines()]
    assert "running" in states
    assert "password: '" in said
    assert states[-1] == "cost"


@pytest.mark.exhaustive
@pytest.mark.parametrize("transport", ["lines", "sockets"])
def test_client__market_that_runs__does_all_that_a_renter_does(
    client: Path, up: UpProcess, tmp_path: Path, transport: str
) -> None:
    key = tmp_path / "mine.json"
    up.console.run("wallet", "new", str(key))
    for amount in (("10",), ("20", "--token", "GPUM")):
        up.console.run("wallet", "airdrop", *amount, "--keypair", str(key))
    arguments = (up.ready["api_url"], str(key), str(tmp_path / "keys"), transport)
    assert run(client, *WEB_SOCKETS, "build/test/live.js", *arguments) == "done\n"


@pytest.mark.exhaustive
def test_types__description_of_the_api__follow_it(client: Path) -> None:
    run(client, "scripts/generate.mjs", "--check")


@pytest.mark.exhaustive
def test_types__sources_and_tests__are_sound(tmp_path: Path) -> None:
    built(tmp_path, typed=True)


def test_node__its_own_tests__pass(client: Path) -> None:
    tests = sorted(str(file.relative_to(client)) for file in client.glob("build/test/*.test.js"))
    assert tests
    run(client, "--test", *tests)
