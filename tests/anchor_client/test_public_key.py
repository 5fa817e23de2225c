"""SSH public keys as people have them: read as the machine's SSH server will, or refused before anything is paid."""

from __future__ import annotations

from base64 import b64encode

import asyncssh
import pytest

from anchor_client.errors import InvalidOrder
from anchor_client.orders import Workload
from anchor_client.orders.public_key import TYPES, read_public_key

BLOB = "AAAAC3NzaC1lZDI1NTE5AAAAI" + "B" * 43
KEY = f"ssh-ed25519 {BLOB}"


def string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def line(kind: str, *fields: bytes) -> str:
    return f"{kind} {b64encode(b''.join(map(string, (kind.encode(), *fields)))).decode()}"


POINT = bytes.fromhex(
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
)
"""The base point of nistp256."""
OFF = POINT[:-1] + b"\xf4"
SECURITY_KEYS = (
    line("sk-ssh-ed25519@openssh.com", b"k" * 32, b"ssh:"),
    line("sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", POINT, b"ssh:"),
)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"\ufeff{KEY} me\n", f"{KEY} me"),
        (f"ssh-ed25519  {BLOB} me\r\n", f"{KEY} me"),
        (f"\tssh-ed25519\t{BLOB}\tme  and you ", f"{KEY} me  and you"),
        (f"# mine\n\n{KEY}", KEY),
        *((key, key) for key in SECURITY_KEYS),
    ],
)
def test_public_key__written_otherwise__is_read(text: str, read: str) -> None:
    assert read_public_key(text) == Workload.of(ssh_key=text).ssh_key == read


@pytest.mark.parametrize("kind", TYPES[:5])
def test_public_key__of_each_type__is_what_the_server_compares(kind: str) -> None:
    made = asyncssh.generate_private_key(kind).export_public_key().decode()
    assert read_public_key(made).split(" ")[:2] == made.split()[:2]
    assert tuple(key.split()[0] for key in SECURITY_KEYS) == TYPES[5:]


CERTIFICATE = "ssh-ed25519-cert-v01@openssh.com AAAA"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("ssh-ed25519", "no key"),
        (f"ssh-ed25519 {BLOB[:-8]} me", "cut short"),
        (f"ssh-ed25519 {BLOB[:-1]} me", "cut short"),
        (f"ssh-rsa {BLOB} me", "says ssh-rsa"),
        ("hello AAAA", "'hello' is not a type"),
        (CERTIFICATE, "certificate"),
        (f"no-pty {KEY}", "not a type"),
        (f"ssh-dss {BLOB}", "not a type"),
        (f"{KEY}\n{KEY}", "2 lines"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", "private"),
        ("PuTTY-User-Key-File-3: ssh-ed25519", "private"),
        ("---- BEGIN SSH2 PUBLIC KEY ----", "ssh-keygen -i"),
        (line("ssh-ed25519", b"k" * 31), "31 bytes"),
        (line("ssh-ed25519", b"k" * 32, b""), "more bytes"),
        (line("ssh-rsa", b"\1\0\1", b"\0" + b"\xff" * 64), "512 bits"),
        (line("ssh-rsa", b"\1\0\1", b"\xff" * 128), "not an RSA key"),
        (line("ssh-rsa", b"", b""), "not an RSA key"),
        (line("ecdsa-sha2-nistp256", b"nistp384", b"\4" + b"k" * 64), "curve nistp256"),
        (line("ecdsa-sha2-nistp256", b"nistp256", b"\2" + b"k" * 32), "curve nistp256"),
        (line("ecdsa-sha2-nistp256", b"nistp256", OFF), "curve nistp256"),
        (line("ecdsa-sha2-nistp256", b"nistp256", b"\4" + bytes(64)), "curve nistp256"),
        (line("ecdsa-sha2-nistp521", b"nistp521", b"\4" + b"\1" * 132), "curve nistp521"),
        (line("sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", OFF, b"ssh:"), "curve nistp256"),
        (line("sk-ssh-ed25519@openssh.com", b"k" * 32, b"a\0b"), "NUL"),
        (line("ssh-rsa", b"\1\0\1", b"\1" + bytes(2_047) + b"\1"), "16385 bits"),
        ("ssh-ed25519 " + BLOB.replace("/", "_")[:-4] + "____", "base64"),
        (f"ssh-ed25519 {b64encode(bytes(3)).decode()}", "cut short"),
    ],
)
def test_public_key__that_lets_nobody_in__is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_public_key(text)
    with pytest.raises(InvalidOrder, match="ssh_key"):
        Workload.of(ssh_key=text)
