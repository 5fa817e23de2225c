"""scripts/mutation: what it builds of several mutations, and what it says of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.mutation.copy import PROGRAM, Copy
from scripts.mutation.failure import Failure
from scripts.mutation.judge import LIBRARY, Verdict, judge_all
from scripts.mutation.listed import Mutation
from scripts.mutation.weave import MARK, body_around, choose, groups, weave

SOURCE = """
const LIMIT: u8 = 1; // fn { not code
pub const fn bound() -> u8 { 7 }
impl<'a> Thing<'a> {
    fn first(&self, of: fn(u8) -> u8) -> [u8; 2] {
        let brace = ("}", '}');
        require!(one);
        [1, 2]
    }

    pub fn second(&self) -> Result<()> where Self: Sized {
        let inner = || { two() };
        three()
    }
}
"""


def mutation(old: str, new: str = "", file: str = "a.rs", tests: tuple[str, ...] = ("t",)) -> Mutation:
    return Mutation(f"{old} of {file}", "STK-1", file, old, new, tests)


@pytest.mark.parametrize(
    ("piece", "body"),
    [
        ("require!(one);", "first"),
        ('("}"', "first"),
        ("two()", "second"),
        ("three()", "second"),
        ("7", None),
        ("const LIMIT", None),
        ("where Self", None),
    ],
)
def test_body_around__piece__is_its_functions(piece: str, body: str | None) -> None:
    start = SOURCE.index(piece)
    found = body_around(SOURCE, start, start + len(piece))
    if body is None:
        assert found is None
    else:
        assert found is not None
        text = SOURCE[slice(*found)]
        assert piece in text and text[0] == "{" and text[-1] == "}" and "fn" not in text
        assert SOURCE[: found[0]].rstrip().splitlines()[-1].strip().removeprefix("pub ").startswith(f"fn {body}(")


def test_groups__one_function_twice__is_in_two_builds() -> None:
    first, again, second, bound = (mutation(old) for old in ("require!(one);", "[1, 2]", "three()", "7"))
    assert groups([first, again, second, bound], {"a.rs": SOURCE}) == [[first, second], [again], [bound]]


def test_weave__two_functions__have_a_second_body_each() -> None:
    group = [mutation("three()", "four()"), mutation("require!(one);")]
    woven = weave(group, {"a.rs": SOURCE})["a.rs"]
    assert "match crate::mutation::chosen() { 2 => {" in woven.partition("fn second")[0]
    assert "match crate::mutation::chosen() { 1 => {" in woven.partition("fn second")[2]
    assert woven.count("three()") == woven.count("four()") == woven.count("require!(one);") == 1


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
