"""The TypeScript client's orders, seals and decoded transactions are the Python client's."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated import types
from anchor_client.generated.instructions import INSTRUCTIONS
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market.rental.note import MAX_BYTES, Note, note_in, sealed_notes
from anchor_client.orders import SealedOrder, Workload
from anchor_client.orders.delivery import statement
from anchor_client.sealing import SealKey, seal, unseal
from anchor_client.solana.transactions import MessageVersion
from anchor_client.solana.transactions.message import ComputeBudget, unsigned
from anchor_client.solana.wallet import Wallet
from tests.anchor_client.anchorpy.idl_samples import Samples
from tests.clients.package import Twin
from tests.docs.pages import ROOT

pytestmark = pytest.mark.xdist_group("typescript")

IDL = json.loads((ROOT / "idl/gpu_market.json").read_text())
DEFINITIONS = {each["name"]: each["type"] for each in IDL["types"]}
BUDGET = ComputeBudget(units=200_000, priority_fee=1_234_567, loaded_bytes=65_536)
SIGNATURE_FEE = 7_000
KEY = SealKey.from_bytes(bytes(range(32)))
WORKLOADS: list[tuple[Workload, dict[str, Any]]] = [
    (Workload(), {}),
    (
        Workload.of(
            image="pytorch/pytorch:2.8.0",
            command='echo "é" \\ \t\x01\x7f \u2028',
            ports=({"port": 22}, {"port": 8888, "protocol": "http"}),
            env={"\U0001f600": "astral", "\uffee": "not", "B": "b", "A": "", "AA": "1"},
            ssh_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me@laptop",
            jupyter_token="open sesame",
            keep_workspace="training-data_2",
            checkpoint="python save.py\n",
        ),
        {
            "image": "pytorch/pytorch:2.8.0",
            "command": 'echo "é" \\ \t\x01\x7f \u2028',
            "ports": [{"port": 22}, {"port": 8888, "protocol": "http"}],
            "env": {"\U0001f600": "astral", "\uffee": "not", "B": "b", "A": "", "AA": "1"},
            "sshKey": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB me@laptop",
            "jupyterToken": "open sesame",
            "checkpoint": "python save.py\n",
            "keepWorkspace": {"name": "training-data_2", "key": bytes(KEY.private).hex()},
        },
    ),
]


def test_order__any_workload__has_the_same_bytes_hash_and_statement(twin: Twin) -> None:
    sealed = b"sealed"
    secret = bytes(KEY.private).hex()
    case = {"secret": secret, "sealed": b64encode(sealed).decode(), "signedAt": 1_800_000_000_123}
    told = twin(orders=[{"workload": theirs, **case} for _, theirs in WORKLOADS])["orders"]
    for (workload, _), each in zip(WORKLOADS, told, strict=True):
        document = workload.for_renter(KEY.public, KEY if workload.keep_workspace else None)
        assert b64decode(each["canonical"]) == document.canonical()
        assert each["hash"] == document.order_hash.hex()
        assert each["statement"].encode() == statement(document.order_hash, sealed, 1_800_000_000_123)
        signed = SealedOrder.signed(Wallet(Keypair()), document.order_hash, sealed, 1_800_000_000_123)
        assert signed.signature.verify(signed.renter, each["statement"].encode())


def test_seal__either_way__opens_with_the_key_and_no_other(twin: Twin) -> None:
    messages = ["", "a", "é" * 500]
    mine = [
        {"secret": bytes(KEY.private).hex(), "sealed": b64encode(seal(one.encode(), KEY.public)).decode()}
        for one in messages
    ]
    others = {"secret": bytes(range(1, 33)).hex(), "sealed": mine[1]["sealed"]}
    changed = {"secret": mine[1]["secret"], "sealed": b64encode(b64decode(mine[1]["sealed"])[:-1] + b"\0").decode()}
    short = {"secret": mine[1]["secret"], "sealed": b64encode(bytes(47)).decode()}
    told = twin(
        opened=[*mine, others, changed, short], sealed=[{"to": KEY.public.hex(), "message": one} for one in messages]
    )
    assert told["opened"] == [*messages, *[{"refused": "not_sealed_to_us"}] * 3]
    assert [unseal(bytes.fromhex(one), KEY).decode() for one in told["sealed"]] == messages


def test_note__any_memo__says_the_same(twin: Twin) -> None:
    texts = [
        "No command specified",
        "two\nlines\x1b[2J\u202e <b>",
        "\N{HIRAGANA LETTER A}" * 60,
        "\n",
        "\N{GRINNING FACE}" * 9,
    ]
    memos = [Note(text, KEY.public).memo().data.decode() for text in texts]
    memos.append(f"gpu-market:AAAA; {Note('of another', SealKey.generate().public).memo().data.decode()}; {memos[0]}")
    secret = bytes(KEY.private).hex()
    cases = [{"secret": secret, "notes": [b64encode(one).decode() for one in sealed_notes(memo)]} for memo in memos]
    assert twin(notes=cases)["notes"] == [note_in(memo, KEY) for memo in memos]
    [none, long] = twin(
        notes=[
            {"secret": bytes(range(1, 33)).hex(), "notes": cases[0]["notes"]},
            {"secret": secret, "notes": [b64encode(seal(b"x" * 900, KEY.public)).decode()]},
        ]
    )["notes"]
    assert none == {"refused": "not_sealed_to_us"} and long == "x" * MAX_BYTES


@pytest.mark.parametrize("version", list(MessageVersion))
def test_decode__every_instruction_of_the_program__has_the_same_names_and_arguments(
    twin: Twin, version: MessageVersion
) -> None:
    samples, payer, expected, transactions = Samples(IDL, types), Keypair().pubkey(), [], []
    for each in IDL["instructions"]:
        spec = INSTRUCTIONS[bytes(each["discriminator"])]
        args = {name: samples.value(arg["type"]) for name, arg in zip(spec.args.layouts, each["args"], strict=True)}
        metas = [
            AccountMeta(Pubkey.new_unique(), account.get("signer", False), account.get("writable", False))
            for account in each["accounts"]
        ]
        instruction = Instruction(PROGRAM_ID, spec.encode(args), metas)
        made = unsigned(
            [instruction], payer, Hash.default(), 1, version=version, budget=BUDGET, signature_fee=SIGNATURE_FEE
        )
        transactions.append(made.base64)
        expected.append(
            {
                "version": {"legacy": "legacy", "v0": 0, "v1": 1}[version.value],
                "feePayer": str(payer),
                "signers": sorted(map(str, made.signers)),
                "lookupTables": 0,
                "priorityFee": str(made.fee - len(made.signers) * SIGNATURE_FEE),
                "instruction": {
                    "program": str(PROGRAM_ID),
                    "name": each["name"],
                    "accounts": [
                        {
                            "role": name,
                            "address": str(meta.pubkey),
                            "signer": meta.is_signer,
                            "writable": meta.is_writable,
                        }
                        for name, meta in zip(spec.accounts, metas, strict=True)
                    ],
                    "args": {
                        arg["name"]: _told(arg["type"], args[name])
                        for name, arg in zip(args, each["args"], strict=True)
                    },
                },
            }
        )
    for seen, wanted in zip(twin(transactions=transactions)["transactions"], expected, strict=True):
        *_, instruction = seen.pop("instructions")
        assert seen | {"signers": sorted(seen["signers"]), "instruction": instruction} == wanted


def _told(kind: Any, value: Any) -> Any:
    """A value as the TypeScript client has it, its integers as text."""
    if isinstance(kind, dict) and "defined" in kind:
        shape = DEFINITIONS[kind["defined"]["name"]]
        if shape["kind"] == "struct":
            return {field["name"]: _told(field["type"], getattr(value, field["name"])) for field in shape["fields"]}
        variant = shape["variants"][value if isinstance(value, int) else value.VARIANTS.index(type(value))]
        fields = variant.get("fields", [])
        held = list(value.field_values().values()) if fields else []
        inner = {field["name"]: _told(field["type"], one) for field, one in zip(fields, held, strict=True)}
        return {variant["name"]: inner} if fields else variant["name"]
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, bool | str) else str(value)
