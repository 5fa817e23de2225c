"""Rust sources with several mutations, one of which is chosen in the built program.

Building the program takes ten times as long as a mutation's tests. So each function to mutate gets a second body beside
its own, and a byte in the built program selects which of them runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .failure import Failure
from .items import Span
from .listed import Mutation

MARK = b"mutation chosen:"
MOST = 255
SWITCH = """
pub mod mutation {
    #[used]
    static CHOSEN: [u8; 17] = *b"mutation chosen:\\0";

    #[inline(never)]
    pub fn chosen() -> u8 {
        // SAFETY: a reference to a static; volatile, since the byte is written once the program is built.
        unsafe { core::ptr::read_volatile(&CHOSEN[16]) }
    }
}
"""


def groups(mutations: Iterable[Mutation], sources: Mapping[str, str]) -> list[list[Mutation]]:
    """Mutations that share a build: no two in one function. One outside any function is alone."""
    alone: list[list[Mutation]] = []
    together: list[dict[tuple[str, Span], Mutation]] = []
    for each in mutations:
        body = _body_of(each, sources[each.file])
        if body is None:
            alone.append([each])
            continue
        key = (each.file, body)
        group = next((group for group in together if key not in group and len(group) < MOST), None)
        if group is None:
            together.append(group := {})
        group[key] = each
    return [list(group.values()) for group in together] + alone


def weave(group: list[Mutation], sources: Mapping[str, str]) -> dict[str, str]:
    """The changed files of a group: its mutations numbered from one, or just the one that is alone."""
    changed: dict[str, str] = {}
    places: dict[str, list[tuple[Span, int, Mutation]]] = {}
    for number, each in enumerate(group, 1):
        body = _body_of(each, sources[each.file])
        if body is None:
            return {each.file: each.apply(sources[each.file])}
        places.setdefault(each.file, []).append((body, number, each))
    for file, found in places.items():
        source = sources[file]
        for (start, end), number, each in sorted(found, key=lambda place: place[0], reverse=True):
            own = source[start:end]
            other = own.replace(each.old, each.new)
            both = f"{{ match crate::mutation::chosen() {{ {number} => {other}, _ => {own} }} }}"
            source = source[:start] + both + source[end:]
        changed[file] = source
    return changed


def is_switched(group: list[Mutation], sources: Mapping[str, str]) -> bool:
    """True where the group's build has a switch; that of a lone mutation may have none."""
    return all(_body_of(each, sources[each.file]) is not None for each in group)


def choose(program: bytes, number: int) -> bytes:
    """The program with a mutation chosen, zero for none. Failure if it has no switch."""
    if program.count(MARK) != 1:
        raise Failure(f"the built program has {program.count(MARK)} switches instead of one")
    place = program.index(MARK) + len(MARK)
    return program[:place] + bytes([number]) + program[place + 1 :]


def _body_of(mutation: Mutation, source: str) -> Span | None:
    """The body to mutate; None where the text is in no function's, or in a const one's."""
    item, start = mutation.place(source)
    if item.body is None or start < item.body[0]:
        return None
    return item.body
