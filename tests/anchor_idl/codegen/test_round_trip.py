"""Every type, account, event and instruction against an independent packing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import DiscriminatorMismatch, LayoutTooShort

from .borsh import Reference, field_type
from .conftest import PROGRAMS, Load, read_idl

IDLS = {name: read_idl(name) for name in PROGRAMS}
TAGGED = [
    pytest.param(program, kind, entry, id=f"{program}-{entry['name']}")
    for program in PROGRAMS
    for kind in ("accounts", "events")
    for entry in IDLS[program][kind]
]
STRUCTS = [
    pytest.param(program, definition["name"], id=f"{program}-{definition['name']}")
    for program in PROGRAMS
    for definition in IDLS[program]["types"]
    if definition["type"]["kind"] == "struct"
    and definition["name"] not in {e["name"] for k in ("accounts", "events") for e in IDLS[program][k]}
]
INSTRUCTIONS = [
    pytest.param(program, instruction, id=f"{program}-{instruction['name']}")
    for program in PROGRAMS
    for instruction in IDLS[program]["instructions"]
]


@pytest.mark.parametrize(("program", "kind", "entry"), TAGGED)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_encode__account_or_event__is_discriminator_and_borsh_and_decodes_to_itself(
    load: Load, program: str, kind: str, entry: dict[str, Any], data: st.DataObject
) -> None:
    reference = Reference(IDLS[program])
    fields = reference.types[entry["name"]]["fields"]
    plain = data.draw(reference.fields_values(fields))
    value_class = getattr(load(f"{program}.{kind}"), entry["name"])
    value = value_class(**reference.generated_fields(load(f"{program}.types"), fields, plain))

    encoded = value.encode()

    assert encoded == bytes(entry["discriminator"]) + reference.pack_fields(fields, plain)
    assert value_class.decode(encoded) == value
    assert value_class.decode(encoded + b"tail") == value


@pytest.mark.parametrize(("program", "name"), STRUCTS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_encode__struct__is_borsh_and_decodes_to_itself(
    load: Load, program: str, name: str, data: st.DataObject
) -> None:
    reference = Reference(IDLS[program])
    plain = data.draw(reference.body_values(reference.types[name]))
    value = reference.generated_body(load(f"{program}.types"), name, plain)

    assert value.encode() == reference.pack_body(reference.types[name], plain)
    assert type(value).decode(value.encode()) == value


@pytest.mark.parametrize(("program", "instruction"), INSTRUCTIONS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_decode_instruction__any_arguments__returns_them(
    load: Load, program: str, instruction: dict[str, Any], data: st.DataObject
) -> None:
    reference = Reference(IDLS[program])
    plain = data.draw(reference.fields_values(instruction["args"]))
    packed = bytes(instruction["discriminator"]) + reference.pack_fields(instruction["args"], plain)
    module = load(f"{program}.instructions")
    spec = module.INSTRUCTIONS[bytes(instruction["discriminator"])]
    metas = [AccountMeta(Pubkey.new_unique(), False, False) for _ in spec.accounts]
    program_id = load(f"{program}.program").PROGRAM_ID

    decoded = module.decode_instruction(Instruction(program_id, packed, metas))

    expected = reference.generated_fields(load(f"{program}.types"), instruction["args"], plain)
    assert decoded.name == instruction["name"]
    assert list(decoded.args.values()) == list(expected.values())
    assert spec.encode(decoded.args) == packed
    assert list(decoded.accounts.values()) == [meta.pubkey for meta in metas]


@pytest.mark.parametrize(("program", "kind", "entry"), TAGGED)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_decode__truncated_anywhere__raises_a_named_error(
    load: Load, program: str, kind: str, entry: dict[str, Any], data: st.DataObject
) -> None:
    reference = Reference(IDLS[program])
    fields = reference.types[entry["name"]]["fields"]
    value_class = getattr(load(f"{program}.{kind}"), entry["name"])
    plain = data.draw(reference.fields_values(fields))
    encoded = bytes(entry["discriminator"]) + reference.pack_fields(fields, plain)
    ends = [len(entry["discriminator"])]
    for field, value in zip(fields, plain, strict=True):
        ends.append(ends[-1] + len(reference.pack(field_type(field), value)))
    early = {end for index, end in enumerate(ends) if all("option" in field_type(field) for field in fields[index:])}
    cut = data.draw(st.integers(0, len(encoded) - 1))

    if kind == "events" and cut in early:
        value = value_class.decode(encoded[:cut])
        whole = value_class.decode(encoded)
        for index, name in enumerate(whole.field_values()):
            assert getattr(value, name) == (getattr(whole, name) if ends[index + 1] <= cut else None)
        return
    with pytest.raises(LayoutTooShort if cut >= ends[0] else DiscriminatorMismatch):
        value_class.decode(encoded[:cut])
