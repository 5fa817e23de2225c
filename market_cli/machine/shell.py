"""A login shell on a job's machine as long as the job has it, also across restarts of the host's agent."""

from __future__ import annotations

import shlex

from market_cli.errors import MachineLost
from market_cli.machine.reach import SSH_FAILED, JobReach, reach_again, run_ssh
from market_cli.session import CliSession


async def keep_shell(session: CliSession, machine: JobReach) -> int:
    """A shell on this terminal, and another one whenever its connection is lost. Returns its exit code, or ssh's own if
    it cannot connect at first. MachineLost once the job has ended. A shell that itself exits with ssh's code counts as
    lost: the two look the same.
    """
    mark = machine.folder / "connected"
    mark.unlink(missing_ok=True)
    noting = f"touch {shlex.quote(str(mark))}".replace("%", "%%")
    while True:
        code = await run_ssh(machine, ["-o", "PermitLocalCommand=yes", "-o", f"LocalCommand={noting}", machine.place])
        if code != SSH_FAILED or not mark.exists():
            return code
        machine = await reach_again(session, machine, MachineLost("The connection to the machine is lost"))
