"""Joining what a program's tests print, and running them."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from anchor_idl.codegen.errors import ExtractFailed
from anchor_idl.codegen.extract import extract, join_blocks
from anchor_idl.codegen.parse import parse_idl

PROGRAM = {
    "address": "",
    "metadata": {"name": "example", "version": "0.1.0", "spec": "0.1.0"},
    "instructions": [
        {"name": "refund", "discriminator": [2], "accounts": [], "args": []},
        {"name": "open", "discriminator": [1], "accounts": [], "args": []},
    ],
    "accounts": [],
    "types": [{"type": {"kind": "struct", "fields": []}, "name": "Shared"}],
}
EVENT = {
    "event": {"name": "Opened", "discriminator": [3]},
    "types": [
        {"name": "Opened", "type": {"fields": [], "kind": "struct"}},
        {"name": "Shared", "type": {"kind": "struct", "fields": []}},
    ],
}
BLOCKS = {
    "errors": json.dumps([{"code": 6001, "name": "Late", "msg": "Late"}]),
    "address": "Fg6PaFpoGXkYsidMpWTK6W2BeZ7FEfcYkg476zPFsLnS",
    "program": json.dumps(PROGRAM),
    "event": json.dumps(EVENT),
    "const": json.dumps({"name": "SEED", "type": "bytes", "value": "[1]"}),
}


def printed(blocks: dict[str, str]) -> str:
    lines = ["", "running 5 tests", "successes:"]
    for kind, text in blocks.items():
        lines += [f"---- {kind} stdout ----", f"--- IDL begin {kind} ---", text, f"--- IDL end {kind} ---", ""]
    return "\n".join([*lines, "test result: ok."])


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program's folder, with a cargo on PATH that prints recorded blocks and what it was asked."""
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "3.2.1"\n')
    folder = tmp_path / "programs/example"
    folder.mkdir(parents=True)
    (folder / "Cargo.toml").write_text('[package]\nname = "example"\nversion.workspace = true\n')
    (folder / "printed.txt").write_text(printed(BLOCKS))
    cargo = tmp_path / "bin/cargo"
    cargo.parent.mkdir()
    cargo.write_text('#!/bin/sh\necho "$@" > asked.txt\ncat printed.txt\n')
    cargo.chmod(cargo.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{cargo.parent}:/usr/bin:/bin")
    return folder


def test_join_blocks__all_kinds__are_one_sorted_idl() -> None:
    idl = join_blocks(printed(BLOCKS))

    assert list(idl) == ["address", "metadata", "instructions", "events", "errors", "types", "constants"]
    assert idl["address"] == BLOCKS["address"]
    assert [entry["name"] for entry in idl["instructions"]] == ["open", "refund"]
    assert [entry["name"] for entry in idl["types"]] == ["Opened", "Shared"]
    assert list(idl["types"][0]["type"]) == ["kind", "fields"]
    assert parse_idl(idl).constants[0].value == "[1]"


def test_join_blocks__other_order_of_tests__is_the_same_idl() -> None:
    assert join_blocks(printed(dict(reversed(BLOCKS.items())))) == join_blocks(printed(BLOCKS))


def test_join_blocks__several_error_enums__are_one_list_by_code() -> None:
    more = printed({"errors": json.dumps([{"code": 6000, "name": "Early"}])})

    assert [error["code"] for error in join_blocks(printed(BLOCKS) + more)["errors"]] == [6000, 6001]


@pytest.mark.parametrize("missing", ["address", "program"])
def test_join_blocks__essential_block_missing__is_refused(missing: str) -> None:
    with pytest.raises(ExtractFailed, match="printed no IDL"):
        join_blocks(printed({kind: text for kind, text in BLOCKS.items() if kind != missing}))


def test_join_blocks__block_cut_off__is_refused() -> None:
    with pytest.raises(ExtractFailed, match="the block event has no end"):
        join_blocks(printed(BLOCKS).replace("--- IDL end event ---", "").split("--- IDL begin const ---")[0])


def test_join_blocks__two_types_of_one_name__are_refused() -> None:
    event = EVENT | {"types": [{"name": "Shared", "type": {"kind": "struct", "fields": [{"name": "a", "type": "u8"}]}}]}

    with pytest.raises(ExtractFailed, match="two different types of the program are named Shared"):
        join_blocks(printed(BLOCKS | {"event": json.dumps(event)}))


def test_join_blocks__unknown_block__is_refused() -> None:
    with pytest.raises(ExtractFailed, match="unknown block: views"):
        join_blocks(printed(BLOCKS | {"views": "{}"}))


def test_extract__program__asks_cargo_and_takes_the_workspace_version(program: Path) -> None:
    idl = extract(program)

    assert idl["metadata"]["version"] == "3.2.1"
    assert (program / "asked.txt").read_text().split() == [
        *("test", "--lib", "--features", "idl-build", "__anchor_private_print_idl"),
        *("--", "--show-output", "--quiet", "--test-threads=1"),
    ]


def test_extract__failing_cargo__shows_what_it_printed(program: Path) -> None:
    cargo = program.parents[1] / "bin/cargo"
    cargo.write_text("#!/bin/sh\necho broken\nexit 101\n")

    with pytest.raises(ExtractFailed, match="broken"):
        extract(program)


def test_extract__no_cargo__says_so(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program))

    with pytest.raises(ExtractFailed, match="cargo cannot run"):
        extract(program)
