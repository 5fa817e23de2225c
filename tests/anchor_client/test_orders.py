"""The order document: its limits, its one encoding, its sealing and its templates."""

from __future__ import annotations

import dataclasses
import json
import stat
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.keypair import Keypair

from anchor_client.connection import Connection
from anchor_client.errors import (
    BadKeyFile,
    InvalidOrder,
    KeyFileExists,
    OrderNotSealed,
    OrderNotSigned,
    TemplateMissing,
)
from anchor_client.orders import (
    MAX_COMMAND_CHARACTERS,
    MAX_SEALED_BYTES,
    KeyDirectory,
    OrderDocument,
    PortForward,
    SealedOrder,
    TemplateDirectory,
    Workload,
)
from anchor_client.orders.document import MAX_SSH_KEY_CHARACTERS
from anchor_client.sealing import SEAL_OVERHEAD, SealKey, seal, unseal
from anchor_client.solana.wallet import Wallet

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me@here"
KEY = SealKey.generate()
WORKSPACE_KEY = SealKey.from_bytes(bytes(range(1, 33)))
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)

LONGEST_IMAGE = f"{'i' * 237}:{'t' * 128}@sha256:{'0' * 64}"
IMAGES = ["alpine", "a/b__c/d--e:1", "localhost/a", "registry:5000/a", "A-b.Example/a:T_1", LONGEST_IMAGE]
NO_IMAGES = [
    *("a b", "a..b", "a.-b", "a___b", "a--", "-/x", "A/x", "..:1/x", "-a.b/x", "a..b/x", "a-.b/x", "a:/x", "a:1:2"),
    *("a@sha256:0", "a//b", "a/", ":1", "i" * 238, f"registry.example/{'i' * 221}"),
]
"""Names that a Docker engine does not read."""


def full() -> Workload:
    return Workload.of(
        image="ghcr.io/acme/train:1.2",
        command="python train.py --epochs 3",
        ports=(PortForward(port=22), PortForward(port=8_888, protocol="http")),
        env={"B": "2", "A": "ü"},
        ssh_key=SSH_KEY,
        jupyter_token="secret",
        keep_workspace="data",
        checkpoint="python save.py",
    )


def document_of(workload: Workload, renter_key: bytes = KEY.public) -> OrderDocument:
    return workload.for_renter(renter_key, WORKSPACE_KEY if workload.keep_workspace else None)


def test_canonical__an_order__is_sorted_compact_utf8_and_hashed() -> None:
    document = document_of(full(), bytes(range(32)))
    expected = (
        '{"checkpoint":"python save.py","command":"python train.py --epochs 3","env":{"A":"ü","B":"2"},'
        '"image":"ghcr.io/acme/train:1.2",'
        '"jupyter_token":"secret","keep_workspace":"data","ports":[{"port":22,"protocol":"tcp"},{"port":8888,"protocol":"http"}],'
        f'"renter_key":"{bytes(range(32)).hex()}","ssh_key":"{SSH_KEY}","version":1,'
        f'"workspace_key":"{bytes(range(1, 33)).hex()}"}}'
    ).encode()
    assert document.canonical() == expected
    assert document.order_hash == sha256(expected).digest()
    assert document.renter_public_key == bytes(range(32))
    assert document.workspace_public_key == WORKSPACE_KEY.public and bytes(range(1, 33)).hex() not in repr(document)


@settings(deadline=None)
@given(env=st.dictionaries(TEXT.filter(lambda name: name and "=" not in name), TEXT, max_size=8), command=TEXT)
def test_canonical__any_order__parses_back_to_itself(env: dict[str, str], command: str) -> None:
    document = Workload.of(env=env, command=command).for_renter(KEY.public)
    assert OrderDocument.parse(document.canonical(), document.order_hash) == document


def test_parse__same_order_in_another_encoding__is_refused() -> None:
    document = document_of(full())
    loose = json.dumps(json.loads(document.canonical())).encode()
    with pytest.raises(InvalidOrder, match="canonical"):
        OrderDocument.parse(loose)


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"\xff", b'{"command":"\xff"}', b'{"command":"\\ud800"}', b'{"version":2}', b"[" * 100_000],
    ids=range(7),
)
def test_parse__what_is_no_order__is_refused(text: bytes) -> None:
    with pytest.raises(InvalidOrder):
        OrderDocument.parse(text)


def test_workload__made_without_a_check__is_refused_past_a_limit() -> None:
    with pytest.raises(InvalidOrder, match="command"):
        Workload(command="c" * (MAX_COMMAND_CHARACTERS + 1))
    with pytest.raises(InvalidOrder, match=r"ports\.0\.port"):
        Workload(ports=(PortForward(port=0),)).for_renter(KEY.public)


def test_parse__another_orders_hash__is_refused() -> None:
    with pytest.raises(InvalidOrder, match="not the one"):
        OrderDocument.parse(document_of(full()).canonical(), bytes(32))


@pytest.mark.parametrize(
    "parts",
    [
        *({"image": image} for image in IMAGES),
        {"ports": tuple(PortForward(port=port) for port in (1, 2, 3, 4, 65_535))},
        {"env": {"n" * 128: "v" * 1_536}},
        {"env": {"n": "v" * (1_536)} | {f"k{i}": "v" * 1_400 for i in range(7)}},
        {"command": "c" * MAX_COMMAND_CHARACTERS},
        {"jupyter_token": "t" * 256},
        {"keep_workspace": "w" * 64},
        {"checkpoint": "c" * 2_000},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_parts__at_their_limits__are_taken(parts: dict[str, Any]) -> None:
    assert Workload.of(**parts)


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"image": ""}, "image"),
        ({"image": "UPPER/Case"}, "image"),
        *(({"image": image}, "image") for image in NO_IMAGES),
        ({"ports": tuple(PortForward(port=port) for port in range(1, 7))}, "ports"),
        ({"ports": ({"port": 22}, {"port": 22, "protocol": "http"})}, "ports"),
        ({"ports": ({"port": 0},)}, "ports.0.port"),
        ({"ports": ({"port": 65_536},)}, "ports.0.port"),
        ({"ports": ({"port": 22, "protocol": "udp"},)}, "ports.0.protocol"),
        ({"env": {"n" * 129: ""}}, "env"),
        ({"env": {"n": "v" * 1_537}}, "env"),
        ({"env": {"": "v"}}, "env"),
        ({"env": {"a=b": "v"}}, "env"),
        ({"env": {"a": "b\0"}}, "env"),
        ({"env": {f"k{i}": "v" * 1_536 for i in range(8)}}, "env"),
        ({"command": "c" * (MAX_COMMAND_CHARACTERS + 1)}, "command"),
        ({"command": "a\0b"}, "command"),
        ({"ssh_key": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "ssh_key"),
        ({"ssh_key": SSH_KEY + "\nssh-rsa AAAA"}, "ssh_key"),
        ({"jupyter_token": ""}, "jupyter_token"),
        ({"keep_workspace": "w" * 65}, "keep_workspace"),
        ({"keep_workspace": "../evil"}, "keep_workspace"),
        ({"keep_workspace": "-"}, "keep_workspace"),
        ({"checkpoint": ""}, "checkpoint"),
        ({"checkpoint": "c" * 2_001}, "checkpoint"),
        ({"gpu": "h100"}, "gpu"),
        ({"image": 5}, "image"),
        ({"image": "alpine\n"}, "image"),
        ({"command": "\udcff"}, "command"),
        ({"env": {"a": 1}}, "env"),
        ({"env": {"a": "\udcff"}}, "env.a"),
        ({"keep_workspace": "data\n"}, "keep_workspace"),
        ({"ports": ({"port": True},)}, "ports.0.port"),
        ({"ports": ({"port": 22, "host": "a"},)}, "ports.0.host"),
    ],
    ids=str,
)
def test_parts__past_a_limit__name_what_is_wrong_in_one_line(parts: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidOrder) as raised:
        Workload.of(**parts)
    assert raised.value.message.startswith(f"The order's {named}")
    assert "\n" not in raised.value.message


def test_env__twelve_thousand_characters_as_json__is_the_limit() -> None:
    base = {f"k{i}": "v" * 1_500 for i in range(7)}
    room = 12_000 - len(json.dumps(base | {"z": ""}, separators=(",", ":")))
    assert Workload.of(env=base | {"z": "v" * room})
    with pytest.raises(InvalidOrder, match="12001"):
        Workload.of(env=base | {"z": "v" * (room + 1)})


def test_port__text__is_parsed_or_refused() -> None:
    assert PortForward.parse("22") == PortForward.parse("22/tcp") == PortForward(port=22)
    assert PortForward.parse("8888/http") == PortForward(port=8_888, protocol="http")
    for text in ("", "ssh", "22/udp", "99999/tcp", "-1"):
        with pytest.raises(InvalidOrder):
            PortForward.parse(text)


@pytest.mark.parametrize(("name", "key"), [("data", None), (None, WORKSPACE_KEY)])
def test_document__workspace_with_a_name_or_a_key_alone__is_refused(name: str | None, key: SealKey | None) -> None:
    with pytest.raises(InvalidOrder, match="needs a name and a key"):
        Workload.of(keep_workspace=name).for_renter(KEY.public, key)


def test_workspace_key__of_a_wallet__follows_from_the_wallet_and_the_name() -> None:
    mine, other = Wallet(Keypair()), Wallet(Keypair())
    keys = [SealKey.of_workspace(wallet, name).public for wallet in (mine, other) for name in ("a", "b")]
    assert len({*keys, SealKey.of_wallet(mine).public}) == 5
    assert SealKey.of_workspace(Wallet(mine.keypair), "a").public == keys[0]


def test_sealed__to_a_host__only_that_host_opens_it() -> None:
    document, host = document_of(full()), SealKey.generate()
    sealed = document.sealed(host.public)
    assert document.canonical() not in sealed
    assert OrderDocument.opened(sealed, host, document.order_hash) == document
    with pytest.raises(OrderNotSealed):
        OrderDocument.opened(sealed, SealKey.generate(), document.order_hash)
    with pytest.raises(OrderNotSealed):
        OrderDocument.opened(sealed[:-1] + bytes([sealed[-1] ^ 1]), host, document.order_hash)


def test_max_sealed_bytes__largest_document__just_fits() -> None:
    wide = "\N{ROCKET}"
    env = {f"{i}": wide * 1_536 for i in range(7)}
    room = 12_000 - len(json.dumps(env | {"z": ""}, separators=(",", ":"), ensure_ascii=False))
    largest = Workload.of(
        image=LONGEST_IMAGE,
        command="\1" * MAX_COMMAND_CHARACTERS,
        ports=tuple(PortForward(port=port, protocol="http") for port in range(65_531, 65_536)),
        env=env | {"z": wide * room},
        ssh_key=SSH_KEY + "\1" * (MAX_SSH_KEY_CHARACTERS - len(SSH_KEY)),
        jupyter_token="\1" * 256,
        keep_workspace="w" * 64,
        checkpoint="\1" * 2_000,
    )
    sealed = document_of(largest).sealed(KEY.public)
    assert MAX_SEALED_BYTES - 1_024 < len(sealed) <= MAX_SEALED_BYTES
    assert len(seal(b"", KEY.public)) == SEAL_OVERHEAD


def test_sealed_order__signed_by_its_renter__holds_for_this_very_order_alone() -> None:
    wallet = Wallet(Keypair())
    order = SealedOrder.signed(wallet, bytes(range(32)), b"sealed", 1_800_000_000_000)
    assert order.renter == wallet.pubkey
    order.verify()
    statement = (
        f"gpu-market order {bytes(range(32)).hex()}\nsealed {sha256(b'sealed').hexdigest()}\nsigned at 1800000000000"
    )
    assert order.signature == wallet.keypair.sign_message(statement.encode())
    for changes in (
        {"renter": Keypair().pubkey()},
        {"order_hash": bytes(32)},
        {"sealed": b"other"},
        {"signed_at": 1_800_000_000_001},
    ):
        with pytest.raises(OrderNotSigned):
            dataclasses.replace(order, **changes).verify()


def test_connection__sealed_to_the_renter__opens_with_any_of_his_keys() -> None:
    connection = Connection(host="n1.example.net", port=20_000, user="root", password="p" * 24)
    sealed = connection.sealed(KEY.public)
    assert Connection.opened(sealed, [SealKey.generate(), KEY]) == connection


@pytest.mark.parametrize(("host", "url"), [("gpu.test", "https://gpu.test:20001/"), ("::1", "https://[::1]:20001/")])
def test_connection__http_ports__have_urls_and_a_fingerprint_that_browsers_show(host: str, url: str) -> None:
    pin = b64encode(bytes(range(32))).decode().rstrip("=")
    connection = Connection(host=host, port=1, password="p", https={8888: 20_001}, certificate=pin)
    assert connection.urls == {8888: url}
    assert connection.fingerprint == ":".join(f"{byte:02X}" for byte in range(32))
    assert Connection(host=host, port=1, password="p", https={8888: 20_001}).fingerprint is None


def test_connection__too_long_for_the_chain__is_refused() -> None:
    with pytest.raises(InvalidOrder, match="640"):
        Connection(host="h" * 250, port=1, password="ü" * 200).sealed(KEY.public)


@pytest.mark.parametrize(
    "text",
    [
        b"hello",
        b"\xff",
        b'{"host":"n","port":0,"password":"p"}',
        b'{"host":"n","port":1,"password":"p","more":1}',
        b'{"host":"n","port":1,"password":"p","certificate":"' + b"A" * 43 + b'\\n"}',
    ],
    ids=range(5),
)
def test_connection__sealed_text_that_is_none__is_refused(text: bytes) -> None:
    with pytest.raises(InvalidOrder):
        Connection.opened(seal(text, KEY.public), KEY)


@pytest.mark.parametrize(
    "part",
    [
        {"host": 'a"\n  ProxyCommand "touch /tmp/owned'},
        {"host": "a\n"},
        {"host": "-oProxyCommand=true"},
        {"host": "a; true"},
        {"host": "a b"},
        {"host": "a/../b"},
        {"host": "$(true)"},
        {"host": "%h"},
        {"user": "-oProxyCommand=true;"},
        {"user": "root\nProxyCommand x"},
        {"user": "`true`"},
        {"host_key": "ssh-ed25519 AAAA\n* ssh-ed25519 AAAA"},
        {"host_key": "@cert-authority * ssh-ed25519 AAAA"},
    ],
    ids=str,
)
def test_connection__that_would_write_commands_of_ssh__is_refused(part: dict[str, str]) -> None:
    text = json.dumps({"host": "a.test", "port": 1, "password": "p"} | part).encode()
    with pytest.raises(InvalidOrder):
        Connection.opened(seal(text, KEY.public), KEY)


@pytest.mark.parametrize("host", ["203.0.113.7", "2001:db8::1", "::1", "gpu_3.example.net", "localhost"])
def test_connection__address_of_any_kind__is_taken(host: str) -> None:
    sealed = Connection(host=host, port=1, password="p", host_key="ssh-ed25519 AAAAC3Nz+/==").sealed(KEY.public)
    assert Connection.opened(sealed, KEY).host == host


def test_connection__past_a_limit__is_not_sealed() -> None:
    with pytest.raises(InvalidOrder, match="cannot be read"):
        Connection(host="", port=1, password="p").sealed(KEY.public)


def test_seal__key_of_another_length__is_refused() -> None:
    with pytest.raises(BadKeyFile):
        seal(b"x", bytes(31))
    with pytest.raises(OrderNotSealed):
        unseal(b"short", KEY)


def test_templates__saved__come_back_without_the_rentals_key(tmp_path: Path) -> None:
    templates = TemplateDirectory(tmp_path / "templates")
    path = templates.save("train", document_of(full()))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "renter_key" not in path.read_text()
    assert templates.load("train") == full()
    assert templates.names() == ["train"]
    templates.remove("train")
    assert templates.names() == []


def test_templates__missing_wrong_or_outside__are_named(tmp_path: Path) -> None:
    templates = TemplateDirectory(tmp_path)
    with pytest.raises(TemplateMissing):
        templates.load("none")
    with pytest.raises(TemplateMissing):
        templates.remove("none")
    (tmp_path / "broken.json").write_text("{}]")
    with pytest.raises(InvalidOrder):
        templates.load("broken")
    for name in ("../evil", "", "a/b", ".hidden"):
        with pytest.raises(InvalidOrder):
            templates.save(name, full())


def test_key_directory__kept__is_found_by_the_orders_hash_and_never_replaced(tmp_path: Path) -> None:
    keys, order_hash = KeyDirectory(tmp_path / "keys"), bytes(range(32))
    assert keys.find(order_hash) is None
    keys.keep(order_hash, KEY)
    found = keys.find(order_hash)
    assert found is not None and found.public == KEY.public
    with pytest.raises(KeyFileExists):
        keys.keep(order_hash, SealKey.generate())
    assert repr(KEY) == f"SealKey(public={KEY.public.hex()})"
