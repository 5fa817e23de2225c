"""A host's note to one renter, sealed in a public memo."""

from __future__ import annotations

import pytest

from anchor_client.errors import BadKeyFile
from anchor_client.market.rental.note import MAX_BYTES, MEMO_PROGRAM, Note, note_in, sealed_notes
from anchor_client.sealing import SealKey

KEY = SealKey.generate()


def told(text: str) -> str:
    """The memo as nodes tell it, with its length before it."""
    memo = Note(text, KEY.public).memo()
    assert memo.program_id == MEMO_PROGRAM and not memo.accounts
    return f"[{len(memo.data)}] {memo.data.decode()}"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("No command specified", "No command specified"),
        ("two\nlines\x1b[2J\u202e", "two lines [2J"),
        ("x" * MAX_BYTES, "x" * MAX_BYTES),
        ("x" * (MAX_BYTES + 1), "x" * 40 + "..." + "x" * (MAX_BYTES - 43)),
        ("\N{HIRAGANA LETTER A}" * 60, "\N{HIRAGANA LETTER A}" * 13 + "..." + "\N{HIRAGANA LETTER A}" * 39),
    ],
)
def test_note__of_any_text__is_one_bounded_line_for_whoever_has_the_key(text: str, read: str) -> None:
    memo = told(text)
    assert note_in(memo, KEY) == read
    assert note_in(memo, SealKey.generate()) is None
    assert read not in memo


def test_note_in__among_other_memos_and_forged_ones__is_found() -> None:
    sealed_to_another = Note("not mine", SealKey.generate().public).memo().data.decode()
    memos = f"[5] hello; [20] gpu-market:AAAA; [9] gpu-market:A=; [99] {sealed_to_another}; {told('mine')}"
    assert note_in(memos, KEY) == "mine"
    assert [len(each) for each in sealed_notes(memos)] == [3, len("not mine") + 48, len("mine") + 48]
    assert note_in("[5] hello", KEY) is None


def test_memo__no_key__is_refused() -> None:
    with pytest.raises(BadKeyFile):
        Note("why", b"short").memo()
