"""Steps of a run, in the order in which they start where there is room."""

from __future__ import annotations

from dataclasses import dataclass

from .inputs import CALLER, DASHBOARD, MOVED, PROGRAM, PROOFS


@dataclass(frozen=True, slots=True)
class CiStep:
    """One command of a run."""

    name: str
    command: str
    """For `sh`, in the checkout."""
    load: int = 100
    """Percent of a core that it keeps busy: a suite that mostly waits runs beside one that computes."""
    after: tuple[str, ...] = ()
    """Names of steps that must have passed before."""
    ports: int = 0
    """Block of ports that its tests take first; see tests/processes/ports.py."""
    inputs: tuple[str, ...] = ()
    """Files of the checkout that it reads, as git takes paths; skipped while they are unchanged since it passed."""
    tools: tuple[str, ...] = ()
    """Programs whose versions count as inputs."""
    apart: bool = False
    """True: it runs in a network of its own, which reaches nothing and which no Docker engine changes."""


def chosen(marks: str) -> str:
    """Command of the tests with these marks."""
    return f"uv run pytest -n 0 -m '{marks}' --durations=40 tests/dashboard"


def suite(target: str) -> str:
    """Command of a suite that also prints its slowest tests."""
    return f"make -s {target} ARGS='--durations=40'"


def everything() -> str:
    """Command of `make test` and `make test-exhaustive` in one run: what they share is collected and set up once."""
    left_out = "validator or docker or browser or kafka or faults or rehearsal or nightly"
    return f"make -s test ARGS='-m \"not ({left_out})\" --durations=40'"


STEPS = (
    CiStep("environment", "make -s environment", load=200),
    CiStep("docker tests", suite("test-docker"), load=40, after=("environment",), ports=4),
    CiStep("validator tests", suite("test-validator"), load=40, after=("environment",), ports=3),
    # Before what is single-threaded: after it, it would have to wait for two cores at once.
    CiStep("all other tests", everything(), load=160, after=("environment",)),
    CiStep("kafka tests", suite("test-kafka"), load=60, after=("environment",), ports=5),
    CiStep("dashboard check", "python3 scripts/dashboard.py check", after=("environment",)),
    CiStep("browser tests", chosen("browser and not validator"), after=("dashboard check",), apart=True),
    CiStep(
        "browser on validator",
        chosen("browser and validator"),
        load=40,
        after=("dashboard check", "validator tests"),
        apart=True,
    ),
    CiStep("check", "make -s check", after=("environment",)),
    CiStep("rust tests", "cargo test --quiet -p gpu_market", after=("check",)),
    CiStep("generated files", "make -s generate-check", after=("rust tests",)),
    CiStep(
        "program",
        "python3 scripts/sbf/program.py verify",
        after=("environment",),
        inputs=PROGRAM,
        tools=("/usr/bin/rustc",),
    ),
    CiStep(
        "moved program",
        "python3 scripts/sbf/program.py moved",
        after=("program",),
        inputs=MOVED,
        tools=("/usr/bin/rustc",),
    ),
    CiStep(
        "caller program",
        "python3 scripts/sbf/program.py caller",
        after=("program",),
        inputs=CALLER,
        tools=("/usr/bin/rustc",),
    ),
    CiStep(
        "dashboard build",
        "python3 scripts/dashboard.py verify",
        after=("dashboard check",),
        inputs=DASHBOARD,
        tools=("node", "npm"),
    ),
    CiStep("proofs", "make -s prove", load=200, after=("environment",), inputs=PROOFS, tools=("python3",)),
    CiStep("lowest versions", "make -s lowest", after=("environment",), ports=2),
    CiStep("guided fuzzing", 'make -s fuzz-guided ARGS="--seconds 30 --corpus $(mktemp -d)"', after=("program",)),
)
