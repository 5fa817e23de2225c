"""Text about a failure on a host's machine that is safe to show to renters."""

from __future__ import annotations

import re
from typing import Final

from anchor_client.service.redaction import HIDDEN, scrub

_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-fA-F:]*:[0-9a-fA-F:]*\](?::\d+)?")
_PATH: Final = re.compile(r"(?<![\w./:-])/(?:data|etc|home|media|mnt|opt|root|run|srv|tmp|var)\b[^\s:'\"]*")
"""Paths that machines have; those of programs, such as /bin/sh, are the image's."""


def for_renters(text: str) -> str:
    """The engine's message without paths and addresses of the machine; URLs are reduced to their host."""
    return _PATH.sub(HIDDEN, _ADDRESS.sub(HIDDEN, scrub(text)))
