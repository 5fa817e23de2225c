"""Failures on a host's machine, in words that its renters may read."""

from __future__ import annotations

import pytest

from host_agent.words import for_renters


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The engine refuses the order: No command specified", "The engine refuses the order: No command specified"),
        ('exec: "/bin/sh": stat /bin/sh: no such file', 'exec: "/bin/sh": stat /bin/sh: no such file'),
        ("mkdir /var/lib/docker/overlay2/ab: no space left", "mkdir ***: no space left"),
        ("Bind for 0.0.0.0:20001 failed: port is already allocated", "Bind for *** failed: port is already allocated"),
        ("lookup nope.example on [fd00::1]:53: no such host", "lookup nope.example on ***: no such host"),
        ('Get "https://r.example/v2/token?account=me": denied', 'Get "https://r.example/***": denied'),
        ("The image ghcr.io/a/tmp/b:1.2.3 cannot be had", "The image ghcr.io/a/tmp/b:1.2.3 cannot be had"),
    ],
)
def test_for_renters__what_engines_say__without_what_is_the_machines_own(said: str, told: str) -> None:
    assert for_renters(said) == told
