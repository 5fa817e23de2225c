"""The binary says whom to tell about a weakness, in the form that explorers read."""

from __future__ import annotations

from pathlib import Path

from .harness.cluster import PROGRAM_BINARY

BEGIN, END = b"=======BEGIN SECURITY.TXT V1=======\0", b"=======END SECURITY.TXT V1=======\0"
ROOT = Path(__file__).parents[2]


def test_security_txt__in_the_binary__has_what_explorers_need() -> None:
    data = PROGRAM_BINARY.read_bytes()
    assert data.count(BEGIN) == data.count(END) == 1
    parts = data[data.index(BEGIN) + len(BEGIN) : data.index(END)].decode().split("\0")
    assert parts.pop() == ""
    told = dict(zip(parts[::2], parts[1::2], strict=True))
    assert {"name", "project_url", "contacts", "policy"} <= told.keys()
    assert told["name"] == "gpu-market"
    assert told["contacts"].startswith("link:https://") and told["policy"].endswith("/SECURITY.md")
    assert (ROOT / "SECURITY.md").is_file()
