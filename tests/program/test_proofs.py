"""Properties that are proved hold for inputs by chance too, and are those that docs/assurance.md lists."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from scripts.mutation.listed import mutations
from tests.program.proofs import mutated, properties
from tests.program.proofs.given import Chance, Irrelevant
from tests.program.proofs.inputs import MAX_PRICE
from tests.program.proofs.stated import STATED
from tests.program.proofs.table import BEGIN, END, table

ROOT = Path(__file__).parents[2]
MONEY = {
    "programs/gpu_market/src/math.rs",
    "programs/gpu_market/src/state/rental/money.rs",
    "programs/gpu_market/src/state/rates.rs",
    "programs/gpu_market/src/state/subsidy.rs",
}
"""Files of which every mutation has a property."""
TRIES = 20_000


@pytest.mark.parametrize("name", STATED)
def test_property__inputs_by_chance__holds(name: str) -> None:
    relevant = 0
    random = Random(name)
    for _ in range(TRIES):
        try:
            claims = list(STATED[name].claims(Chance(random)))
        except Irrelevant:
            continue
        assert all(claim for _, claim in claims), [each for each, claim in claims if not claim]
        relevant += bool(claims)
        if relevant == 50:
            break
    assert relevant > 0, "the assumptions leave no inputs"


def test_properties__invariants__are_those_of_the_docs() -> None:
    known = set(re.findall(r"^- \*\*([A-Z]+-\d+)\*\*", (ROOT / "docs/invariants.md").read_text(), re.MULTILINE))
    for stated in STATED.values():
        assert stated.invariants and set(stated.invariants) <= known, stated.name
        assert stated.sentence.endswith("."), stated.name
    assert properties.__all__ == sorted({each.area for each in STATED.values()})


@pytest.mark.parametrize("mutation", mutated.read().values(), ids=lambda each: each.name)
def test_mutation__of_the_program__is_made_to_its_twin(mutation: mutated.RuleMutation) -> None:
    source = (ROOT / mutation.file).read_text()
    assert mutation.apply(source) != source
    assert mutation.breaks in STATED


def test_mutations__of_money__each_breaks_a_property() -> None:
    of_money = {each.name for each in mutations() if each.file in MONEY}
    assert of_money and of_money <= mutated.read().keys()


def test_table__in_docs__is_that_of_the_properties() -> None:
    text = (ROOT / "docs/assurance.md").read_text()
    assert text.partition(BEGIN)[2].partition(END)[0].strip() == table().strip(), "python -m tests.program.proofs.table"
    assert f"{len(STATED)} properties; {len(mutated.read())} changes of rules" in text
    assert f"{len(mutated.read())} changes of the twins" in text
    assert f"up to 2^{MAX_PRICE.bit_length() - 1} base units an hour" in text
