"""scripts/mutation: what it builds of several mutations, and what it says of each."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.mutation import listed
from scripts.mutation.copy import PROGRAM, Copy
from scripts.mutation.failure import Failure
from scripts.mutation.items import item_around, items
from scripts.mutation.judge import LIBRARY, Verdict, judge_all
from scripts.mutation.listed import Mutation, mutations, redundant, require_one_place
from scripts.mutation.weave import MARK, choose, groups, weave

SOURCE = """
const LIMIT: u8 = 1; // fn { not code
const _: () = assert!(LIMIT > 0);
pub const fn bound() -> u8 { 7 }
/// A thing.
#[derive(Clone)]
pub struct Thing<'a> { pub field: &'a [u8; 2] }
impl<'a> Thing<'a> {
    fn first(&self, of: impl Fn(u8) -> u8) -> [u8; 2] {
        let brace = ("}", '}');
        require!(one);
        [1, 2]
    }

    pub fn second(&self) -> Result<()> where Self: Sized {
        let inner = || { two() };
        three()
    }
}
impl From<Thing<'_>> for other::Wide<u8> {
    fn from(of: Thing) -> Self { four() }
}
table! { five: 5; }
mod tests {
    fn sixth() { six() }
}
"""
PYTHON = """
import first
LIMIT: int = 1

@cache
def second():
    inner = 2

class Third:
    field = 3

    async def method(self):
        return 4
"""
LISTED = """
[[STK-1]]
name = "a check is gone"
at = "a.py::Third::method"
old = "return 4"
tests = ["t"]
"""


def mutation(old: str, new: str = "", file: str = "a.rs", tests: tuple[str, ...] = ("t",)) -> Mutation:
    source = SOURCE if file == "a.rs" else old
    item = item_around(items(file, source), source.index(old), source.index(old) + len(old))
    assert item is not None
    return Mutation("STK-1", f"{old} of {file}", f"{file}::{item.path}", old, tests, new)


@pytest.mark.parametrize(
    ("file", "piece", "path", "has_body"),
    [
        ("a.rs", "require!(one);", "Thing::first", True),
        ("a.rs", '("}"', "Thing::first", True),
        ("a.rs", "two()", "Thing::second", True),
        ("a.rs", "where Self", "Thing::second", True),
        ("a.rs", "four()", "Wide::from", True),
        ("a.rs", "six()", "sixth", True),
        ("a.rs", "7", "bound", False),
        ("a.rs", "LIMIT: u8", "LIMIT", False),
        ("a.rs", "LIMIT > 0", "_", False),
        ("a.rs", "#[derive(Clone)]", "Thing", False),
        ("a.rs", "pub field", "Thing", False),
        ("a.rs", "five: 5", "table", False),
        ("a.py", "LIMIT", "LIMIT", False),
        ("a.py", "@cache", "second", False),
        ("a.py", "inner = 2", "second", False),
        ("a.py", "field = 3", "Third::field", False),
        ("a.py", "return 4", "Third::method", False),
        ("a.py", "import first", None, False),
    ],
)
def test_items__piece__is_in_its_item(file: str, piece: str, path: str | None, has_body: bool) -> None:
    source = SOURCE if file == "a.rs" else PYTHON
    start = source.index(piece)
    item = item_around(items(file, source), start, start + len(piece))
    assert (item and item.path) == path
    assert bool(item and item.body) is has_body
    if item and item.body:
        assert source[item.body[0]] == "{" and source[item.body[1] - 1] == "}"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one mutation of one Python file."""
    monkeypatch.setattr(listed, "ROOT", tmp_path)
    monkeypatch.setattr(listed, "LIST", tmp_path / "mutations.toml")
    listed.LIST.write_text(LISTED)
    (tmp_path / "a.py").write_text(PYTHON)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "a.py"], cwd=tmp_path, check=True)
    return tmp_path


def test_place__item_moves_and_others_get_the_same_text__is_found(checkout: Path) -> None:
    before, third, after = PYTHON.partition("class Third")
    moved = "import first\n" + third + after + before + "\ndef fourth():\n    return 4\n"
    (checkout / "a.py").write_text(moved)
    require_one_place(mutations())
    changed = mutations()[0].apply(moved)
    assert changed == moved.replace("return 4", "", 1)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("a.py", PYTHON.replace("return 4", "return 5"), "has 0 places .*; no file has such text"),
        (
            "a.py",
            PYTHON.replace("return 4", "return 4\n        return 4"),
            "has 2 places .* now at a.py::Third::method",
        ),
        ("a.py", PYTHON.replace("Third", "Other"), "has 0 places .*; such text is now at a.py::Other::method$"),
        ("b.py", PYTHON, "has 0 places .*; such text is now at b.py::Third::method$"),
    ],
)
def test_require_one_place__none_or_two__says_where_it_is(checkout: Path, file: str, text: str, message: str) -> None:
    subprocess.run(["git", "mv", "-k", "a.py", file], cwd=checkout, check=True)
    (checkout / file).write_text(text)
    with pytest.raises(Failure, match=message):
        require_one_place(mutations())


def test_mutations__entry_of_another_form__names_it_and_the_form(checkout: Path) -> None:
    listed.LIST.write_text(LISTED.replace("[[STK-1]]", "[[mutation]]").replace("at =", "file ="))
    with pytest.raises(
        Failure, match=r"'a check is gone' stands under \[\[mutation\]\] with name, file.* under the id"
    ):
        mutations()


def test_redundant__no_test_of_its_own__is_named() -> None:
    first, second = mutation("one", tests=("t",)), mutation("two()", tests=("t", "u"))
    assert redundant([first, second]) == [first]
    assert redundant([second]) == []


def test_groups__one_function_twice__is_in_two_builds() -> None:
    first, again, second, bound = (mutation(old) for old in ("require!(one);", "[1, 2]", "three()", "7"))
    assert groups([first, again, second, bound], {"a.rs": SOURCE}) == [[first, second], [again], [bound]]


def test_weave__two_functions__have_a_second_body_each() -> None:
    group = [mutation("three()", "4()"), mutation("require!(one);")]
    woven = weave(group, {"a.rs": SOURCE})["a.rs"]
    assert "match crate::mutation::chosen() { 2 => {" in woven.partition("fn second")[0]
    assert "match crate::mutation::chosen() { 1 => {" in woven.partition("fn second")[2]
    assert woven.count("three()") == woven.count("4()") == woven.count("require!(one);") == 1


def test_weave__outside_of_functions__is_just_changed() -> None:
    assert weave([mutation("7", "8")], {"a.rs": SOURCE}) == {"a.rs": SOURCE.replace("7", "8")}


def test_choose__one_switch__sets_its_byte() -> None:
    assert choose(b"code" + MARK + b"\0more", 5) == b"code" + MARK + b"\5more"


@pytest.mark.parametrize("program", [b"code", MARK + b"\0" + MARK + b"\0"])
def test_choose__no_single_switch__is_a_failure(program: bytes) -> None:
    with pytest.raises(Failure, match="switches"):
        choose(program, 1)


class FakeCopy(Copy):
    """Builds fail with `broken` in the source; `outcome` says by number of the mutation which tests fail."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.outcome: dict[int, set[str]] = {}
        self.broken = "no such text"
        self.builds = 0
        for name, content in (("a.rs", SOURCE), (LIBRARY, ""), (PROGRAM, "\0")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(content)

    def build(self) -> bytes:
        self.builds += 1
        if self.broken in (self.root / "a.rs").read_text():
            raise Failure("does not build")
        return MARK + b"\0"

    def failing(self, tests: Sequence[str]) -> set[str]:
        failed = self.outcome.get(self.program[-1], set())
        if "crash" in failed:
            raise Failure("the tests did not run")
        return failed & set(tests)


@pytest.fixture
def copy(tmp_path: Path) -> FakeCopy:
    return FakeCopy(tmp_path)


def judged(copy: FakeCopy, *found: Mutation) -> list[tuple[str, str]]:
    return [(result.verdict, result.detail) for result in judge_all(found, copy)]


def test_judge__tests_fail__is_caught_when_all_do(copy: FakeCopy) -> None:
    both = ("t", "u")
    copy.outcome = {1: {"t", "u"}, 2: {"t"}}
    found = judged(copy, mutation("require!(one);", tests=both), mutation("three()", tests=both))
    assert found == [(Verdict.CAUGHT, ""), (Verdict.SURVIVED, "u")]
    assert (copy.root / "a.rs").read_text() == SOURCE


def test_judge__tests_cannot_run__is_not_caught(copy: FakeCopy) -> None:
    copy.outcome = {1: {"t", "crash"}}
    assert judged(copy, mutation("three()")) == [(Verdict.NOT_RUN, "the tests did not run")]


def test_judge__one_does_not_build__the_others_do(copy: FakeCopy) -> None:
    copy.outcome, copy.broken = {1: {"t"}}, "broken()"
    found = judged(copy, mutation("require!(one);"), mutation("three()", "broken()"))
    assert found == [(Verdict.CAUGHT, ""), (Verdict.NOT_BUILT, "does not build")]


def test_judge__tests_fail_without_mutation__is_a_failure(copy: FakeCopy) -> None:
    copy.outcome = {0: {"t"}}
    with pytest.raises(Failure, match="without any mutation: t"):
        judged(copy, mutation("three()"))


@pytest.mark.parametrize(("new", "verdict"), [("two = 3", Verdict.SURVIVED), ("two =", Verdict.NOT_BUILT)])
def test_judge__python__needs_no_build(copy: FakeCopy, new: str, verdict: Verdict) -> None:
    (copy.root / "b.py").write_text("one = 1\n")
    assert [found for found, _ in judged(copy, mutation("one = 1", new, file="b.py"))] == [verdict]
    assert copy.builds == 0
