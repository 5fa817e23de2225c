"""An open-loop generator of HTTP requests, in a process of its own.

Requests leave when they are due, whether or not earlier ones have been answered, and are timed from when they were due:
a server that falls behind cannot hide it. Arrivals are a Poisson process, as those of many independent clients are.

`python -m benchmarks.load.requests` reads a LoadPlan as JSON from standard input and writes the answers to its output.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector

from benchmarks.load.process import ROOT
from indexer import garbage

TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Route:
    """A kind of request: its share of all of them, and paths to ask for in turn."""

    name: str
    weight: int
    paths: Sequence[str]


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """Requests to send to a server; `rate` is requests a second. Answers of the warm-up are not kept."""

    url: str
    rate: float
    warm_up_seconds: float
    seconds: float
    routes: Sequence[Route]
    seed: int = 1


@dataclass(frozen=True, slots=True)
class LoadAnswer:
    """One request: `seconds` from when it was due to the last byte; `status` is 0 when there was no answer."""

    route: str
    seconds: float
    status: int


async def run_elsewhere(plan: LoadPlan) -> list[LoadAnswer]:
    """Generates a plan's requests from a child process. Raises RuntimeError when it fails."""
    arguments = ("-m", "benchmarks.load.requests")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
    )
    try:
        output, errors = await process.communicate(json.dumps(asdict(plan)).encode())
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        raise RuntimeError(f"the request generator failed: {errors.decode(errors='replace')}")
    return [LoadAnswer(**answer) for answer in json.loads(output)]


async def generate(plan: LoadPlan) -> list[LoadAnswer]:
    """Sends the plan's requests and waits for their answers; no search for garbage delays any."""
    chance = random.Random(plan.seed)
    loop = asyncio.get_running_loop()
    with garbage.kept():
        return await _generate(plan, chance, loop)


async def _generate(plan: LoadPlan, chance: random.Random, loop: asyncio.AbstractEventLoop) -> list[LoadAnswer]:
    async with open_session(plan.url) as session:
        begun = loop.time()
        kept_from = begun + plan.warm_up_seconds
        end = begun + plan.warm_up_seconds + plan.seconds
        due = begun
        sent = list[tuple[float, asyncio.Task[LoadAnswer]]]()
        while due < end:
            await asyncio.sleep(max(0.0, due - loop.time()))
            route = chance.choices(plan.routes, [route.weight for route in plan.routes])[0]
            sent.append((due, asyncio.create_task(_ask(session, route.name, chance.choice(route.paths), due))))
            due += chance.expovariate(plan.rate)
        answers = [(due, await task) for due, task in sent]
    return [answer for due, answer in answers if due >= kept_from]


def open_session(url: str) -> ClientSession:
    """Asks on kept connections, as many beside each other as there are requests without an answer."""
    return ClientSession(url, connector=TCPConnector(limit=0), timeout=ClientTimeout(total=TIMEOUT_SECONDS))


async def _ask(session: ClientSession, route: str, path: str, due: float) -> LoadAnswer:
    loop = asyncio.get_running_loop()
    try:
        async with session.get(path) as answer:
            await answer.read()
            status = answer.status
    except (ClientError, TimeoutError):
        status = 0
    return LoadAnswer(route, loop.time() - due, status)


def main() -> None:
    """The child process."""
    plan = json.load(sys.stdin)
    plan["routes"] = [Route(**route) for route in plan["routes"]]
    json.dump([asdict(answer) for answer in asyncio.run(generate(LoadPlan(**plan)))], sys.stdout)


if __name__ == "__main__":
    main()
