"""Every command and option that the documentation names exists."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from typer.core import TyperGroup

from tests.docs.command_line import Node, member, root
from tests.docs.pages import PACKAGES, PAGES, ROOT, commands, name, spans

NOT_COMMANDS = {"order ORDER_HASH", "figures LISTING", "reach LISTING"}
"""Other texts that begin with the program's name: renters sign them with orders, hosts with figures."""
TARGETS = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)


def options_of(command: Node) -> dict[str, bool]:
    """Options of a command: True for one that takes a value."""
    known = {"--help": False}
    for each in command.params:
        takes_value = not getattr(each, "is_flag", False)
        known |= dict.fromkeys((*each.opts, *each.secondary_opts), takes_value)
    return known


def problem(invocation: str) -> str | None:
    """Reason why `gpu-market` would not understand an invocation; a group alone names its commands."""
    current: Node = root()
    known = options_of(current)
    room = 0
    words = iter(shlex.split(invocation, comments=True))
    for word in words:
        if word == "--":
            rest = len(list(words))
            takes_any = any(each.nargs == -1 for each in current.params if each.param_type_name == "argument")
            return None if takes_any or rest <= room else "no arguments after --"
        option, separator, _ = word.partition("=")
        default = getattr(current, "default", None)
        if default and word.startswith("--") and option not in known and (found := member(current, default)):
            current, known = found, known | options_of(found)
        if word.startswith("--"):
            if option not in known:
                return f"no option {option}"
            if known[option] and not separator:
                next(words, None)
        elif isinstance(current, TyperGroup):
            found = member(current, word)
            if found is None and {".", "@"} & {*word} and getattr(current, "default_takes_file", False):
                found = member(current, default or "")
            if found is None:
                return None if word.isupper() else f"no command {word}"
            is_file = default is not None and word != found.name and found.name == default
            current, known = found, known | options_of(found)
            room = sum(each.param_type_name == "argument" for each in found.params) - is_file
        elif room == 0:
            return f"no argument for {word}"
        else:
            room -= any(each.nargs != -1 for each in current.params if each.param_type_name == "argument")
    return None


@cache
def all_options() -> set[str]:
    found, waiting = set[str](), [root()]
    while waiting:
        group = waiting.pop()
        found |= {*options_of(group)}
        for each in group.commands:
            node = member(group, each)
            if isinstance(node, TyperGroup):
                waiting.append(node)
            elif node is not None:
                found |= {*options_of(node)}
    return found


@pytest.mark.parametrize(
    ("invocation", "wrong"),
    [
        ("rent --gpu MODEL --duration 1h", None),
        ("wallet", None),
        ("keeper --once", None),
        ("keeper --twice", "no option --twice"),
        ("deploy market.toml --dry-run", None),
        ("deploy market.toml again", "no argument for again"),
        ("COMMAND --help", None),
        ("job @last", None),
        ("job frist", "no command frist"),
        ("hire --gpu MODEL", "no command hire"),
        ("rent --gppu MODEL", "no option --gppu"),
        ("stop JOB AGAIN", "no argument for AGAIN"),
        ("ssh JOB -- ls --all /", None),
        ("stop JOB -- CMD", "no arguments after --"),
    ],
)
def test_problem__forms__are_told(invocation: str, wrong: str | None) -> None:
    assert problem(invocation) == wrong


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_documentation__commands__exist(page: Path) -> None:
    found = {each: problem(each) for each in commands(page.read_text(), "gpu-market")}
    assert {each: wrong for each, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_documentation__options__exist(page: Path) -> None:
    bare = [span for span in spans(page.read_text()) if span.startswith("--")]
    named = {option for span in bare for option in re.findall(r"--[a-z-]+", span)}
    assert named - all_options() == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_documentation__make_targets__exist(page: Path) -> None:
    words = {word for each in commands(page.read_text(), "make") for word in each.partition(" ARGS")[0].split()}
    assert words - {*TARGETS} == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_messages__commands__exist(package: str) -> None:
    """Commands in errors and help texts."""
    found = {
        f"{name(file)}: {each}": problem(each)
        for file in sorted((ROOT / package).rglob("*.py"))
        for each in re.findall(r"`gpu-market ([^`\n{}]+)`", file.read_text())
        if each not in NOT_COMMANDS
    }
    assert {each: wrong for each, wrong in found.items() if wrong} == {}
