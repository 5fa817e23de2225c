"""A machine's trial: an order as a renter would use it, and the health of its GPUs before and after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Listing
from anchor_client.machine.reach import Reach
from host_agent.detect.health import MachineHealth, gpu_health
from host_agent.detect.load import GpuLoad, watched_load
from host_agent.docker.engine import Engine
from host_agent.docker.rehearsal import answering_ports, left_over, reach_of, rehearsed
from host_agent.errors import MachineFault, OrderRefused
from host_agent.identity import MachineIdentity
from host_agent.settings.machine import MachineSettings
from market_cli.machine.check import MachineFinding, compare
from market_cli.machine.questions import MachineAnswers, MachineUnreachable, ask

NETWORK = "network, "
"""Beginning of findings about the line to this computer, which is the machine itself."""


@dataclass(slots=True)
class Trial:
    """Findings in order, and the machine's answers if it gave any."""

    findings: list[MachineFinding] = field(default_factory=list)
    answers: MachineAnswers | None = None

    @property
    def is_passed(self) -> bool:
        """True if the order ran and nothing is less than expected."""
        return self.answers is not None and all(each.agrees is not False for each in self.findings)

    def add(self, what: str, expected: str, found: str, agrees: bool | None) -> None:
        """Adds a finding."""
        self.findings.append(MachineFinding(what, expected, found, agrees))


Outside = Callable[[Reach], Awaitable[Sequence[int]]]
"""Tries ports from outside; the ports that were reached. GpuMarketError."""


async def tried(
    engine: Engine,
    machine: MachineSettings,
    identity: MachineIdentity,
    listing: Listing,
    *,
    image: str,
    download: str | None,
    outside: Outside,
) -> Trial:
    """Runs the trial, and wipes the machine. MachineFault if it cannot be wiped."""
    trial = Trial()
    trial.findings += _health(await gpu_health(machine.gpus), "at rest")
    try:
        async with rehearsed(engine, machine, identity, image) as rehearsal:
            trial.add("order", "starts", f"after {rehearsal.start_seconds:.1f} s", True)
            async with watched_load(machine.gpus) as load:
                answers = await ask(rehearsal.connection, download)
            trial.add("SSH", "opens", "logged in", True)
            trial.findings += [each for each in compare(listing, answers) if not each.what.startswith(NETWORK)]
            trial.findings += _computing(listing, machine, answers, load)
            ports = await answering_ports(rehearsal)
            silent = [str(port) for port, answers_ in ports.items() if not answers_]
            said = f"no answer at {', '.join(silent)}" if silent else f"{len(ports)} of {len(ports)}"
            trial.add("ports, from here", f"{len(ports)} answer", said, not silent)
            trial.findings.append(await _from_outside(reach_of(rehearsal, machine.address), outside))
            trial.answers = answers
    except (OrderRefused, MachineFault, MachineUnreachable) as error:
        trial.add("order", "runs and is wiped", error.message, False)
    else:
        left = await left_over(engine, machine)
        trial.add("wipe", "nothing is left", ", ".join(left) or "nothing is left", not left)
    trial.findings += _health(await gpu_health(machine.gpus), "after the load")
    return trial


async def _from_outside(reach: Reach, outside: Outside) -> MachineFinding:
    asked = [reach.ssh, *reach.plain, *reach.tls]
    expected = f"{len(asked)} answer"
    try:
        reached = await outside(reach)
    except GpuMarketError as error:
        return MachineFinding("ports, from outside", expected, f"not tried: {error.message}")
    silent = [str(port) for port in asked if port not in reached]
    said = f"not reached: {', '.join(silent)}" if silent else f"{len(asked)} of {len(asked)}"
    return MachineFinding("ports, from outside", expected, said, not silent)


def _computing(
    listing: Listing, machine: MachineSettings, answers: MachineAnswers, load: Mapping[str, GpuLoad]
) -> Iterator[MachineFinding]:
    """Each card must have computed in the container, if the driver's are given to orders."""
    if not machine.gpus:
        return
    found = len(answers.figures.gpus)
    reason = "" if answers.figures.reason is None else f": {answers.figures.reason}"
    yield MachineFinding("GPUs that compute", str(listing.gpu_count), f"{found}{reason}", found >= listing.gpu_count)
    for each in load.values():
        yield MachineFinding(f"GPU {each.bus}, under load", "full link and clocks", str(each), each.is_full)


def _health(health: MachineHealth, when: str) -> Iterator[MachineFinding]:
    for gpu in health.gpus:
        degrees = gpu.number("temperature.gpu")
        told = "no fault" if degrees is None else f"no fault, {degrees} °C"
        yield MachineFinding(f"GPU {gpu.bus}, {when}", "no fault", "; ".join(gpu.faults) or told, not gpu.faults)
    if health.toolkit_fault is not None:
        yield MachineFinding(f"container toolkit, {when}", "no fault", health.toolkit_fault, False)
    if health.gpus and not health.reads_log:
        yield MachineFinding(f"Xid errors, {when}", "none", "unknown: /dev/kmsg cannot be read", None)
