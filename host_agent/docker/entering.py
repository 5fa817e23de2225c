"""Common code of all processes in a container other than its command."""

from __future__ import annotations

from contextlib import AbstractContextManager

from host_agent.docker.failures import engine_errors


def entering() -> AbstractContextManager[None]:
    """Raises MachineFault where the engine does not let a container be entered."""
    return engine_errors(failed="The container cannot be entered")
