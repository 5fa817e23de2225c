"""A newcomer types what README and rent.md say: from an order to a copied result and a receipt."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.e2e.seeded import UpProcess

WALKS = {"README.md": "## Rent your first GPU", "docs/rent.md": "## Try it"}
MOST_COMMANDS = 8
BEFORE = 2
"""Commands that get the market: `git clone` and `make up`."""


def typed(page: str) -> list[list[str]]:
    """The commands of a page's walk, up to the end of the first job."""
    text = (ROOT / page).read_text().partition(WALKS[page])[2].partition("```console\n")[2].partition("```")[0]
    found = [shlex.split(line, comments=True) for line in re.findall(r"^\$ gpu-market (.*)$", text, re.MULTILINE)]
    ends = next(at for at, words in enumerate(found) if words[0] == "stop")
    return found[: ends + 1]


def test_walk_of_readme__with_getting_the_market__is_short() -> None:
    assert BEFORE + len(typed("README.md")) <= MOST_COMMANDS


@pytest.mark.xdist_group("up")
@pytest.mark.parametrize("page", WALKS)
def test_walk__typed_as_written__ends_with_a_result_and_a_receipt(up: UpProcess, page: str, tmp_path: Path) -> None:
    places = {"docs/examples/first.sh": str(ROOT / "docs/examples/first.sh"), ".": str(tmp_path)}
    printed = {
        " ".join(words): up.console.run(*(places.get(word, word) for word in words)).stdout for words in typed(page)
    }
    if any("emulated shell" in each for each in printed.values()):
        pytest.skip("This computer has no namespaces for simulated machines")
    [run] = [said for words, said in printed.items() if words.startswith("ssh")]
    assert re.search(r"^NVIDIA H100 PCIe, \d+ %, \d+ MiB\n", run)
    assert (tmp_path / "result.txt").read_text().endswith("sum of 1 to 1000: 500500\n")
    [receipt] = [said for words, said in printed.items() if words.startswith("stop")]
    assert re.search(r"^status +completed", receipt, re.MULTILINE)
    assert re.search(r"^refunded +[\d.]+ GPUM", receipt, re.MULTILINE)
