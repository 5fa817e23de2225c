"""A copy of the checkout that is changed, built and tested."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .failure import Failure
from .listed import ROOT

PROGRAM = "localnet/program/gpu_market.so"
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not validator and not docker", "--tb=line", "-rfE")
"""Exhaustive tests as well, if they are named."""
LONGEST_SECONDS = 1_800


class Copy:
    """All runs share build products."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self._products = folder / "target"

    def fill(self) -> None:
        """Copies the files that git tracks or would add."""
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.root / name)

    @contextmanager
    def changed(self, files: Mapping[str, str]) -> Iterator[None]:
        """Replaces the text of files within the block."""
        originals = {name: (self.root / name).read_text() for name in files}
        try:
            self._write(files)
            yield
        finally:
            self._write(originals)

    def build(self) -> bytes:
        """The built program. Failure if it does not compile."""
        code, output = self._run(sys.executable, "scripts/sbf/program.py", "build")
        if code:
            raise Failure(f"the program does not build:\n{output[-4000:]}")
        return self.program

    @property
    def program(self) -> bytes:
        """The program that the tests run."""
        return (self.root / PROGRAM).read_bytes()

    @program.setter
    def program(self, program: bytes) -> None:
        (self.root / PROGRAM).write_bytes(program)

    def failing(self, tests: Sequence[str]) -> set[str]:
        """The tests, or test files, in which something fails. Failure if they could not run."""
        code, output = self._run(*PYTEST, *tests)
        lines = output.splitlines()
        if code not in (0, 1) or any(line.startswith("ERROR ") for line in lines):
            last = "\n".join(line[:240] for line in lines[-20:])
            raise Failure(f"the tests did not run:\n{last}")
        failed = [line.removeprefix("FAILED ") for line in lines if line.startswith("FAILED ")]
        return {test for test in tests if any(_is_within(line, test) for line in failed)}

    def _write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).write_text(text)

    def _run(self, *command: str) -> tuple[int, str]:
        """Exit code and output. If this process is stopped, so is everything the command has started."""
        environment = os.environ | {
            "COLUMNS": "1000",
            "HYPOTHESIS_PROFILE": "ci",
            "PYTHONPATH": str(self.root),
            "SBF_TARGET_DIR": str(self._products),
        }
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=LONGEST_SECONDS)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise Failure(f"{' '.join(command[:4])} took longer than {LONGEST_SECONDS} s") from error
                raise
        return process.returncode, output


@contextmanager
def working_copy() -> Iterator[Copy]:
    """A copy at a fixed path, since build products record theirs. It is removed at the end."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(os.environ.get("SBF_CACHE") or caches / "sbf-toolchain") / "mutate"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"another run works in {folder}") from None
        copy = Copy(folder)
        shutil.rmtree(copy.root, ignore_errors=True)
        try:
            copy.fill()
            yield copy
        finally:
            shutil.rmtree(copy.root, ignore_errors=True)


def _is_within(failed: str, test: str) -> bool:
    """True where a line of pytest's summary belongs to this test or file."""
    return failed == test or any(failed.startswith(test + end) for end in ("::", "[", " "))
