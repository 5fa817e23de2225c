"""initialize_catalog: the authority opens the catalog of GPU models once."""

from __future__ import annotations

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_gpu_model

from .harness.actors import AUTHORITY, GPUM, STRANGER
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.scenarios import SCENARIOS
from .harness.staking import CATALOG, catalog_of
from .harness.tokens import put_tokens, token_address
from .harness.world import World

TOKENS = token_address(CATALOG, GPUM)


def test_initialize_catalog__authority__opens_it_without_models() -> None:
    world, act = SCENARIOS["initialize_catalog"]()
    assert world.act(act).event(events.CatalogInitialized) == events.CatalogInitialized(
        catalog=CATALOG, mint=GPUM, token_account=TOKENS, at=world.now, seq=1
    )
    assert (catalog_of(world).mint, catalog_of(world).locked) == (GPUM, 0)
    assert not world.exists(find_gpu_model(1)[0])


def test_initialize_catalog__anybody_else__is_refused() -> None:
    world, _ = SCENARIOS["initialize_catalog"]()
    with expect(errors.Unauthorized):
        world.act(instructions.initialize_catalog(authority=STRANGER, catalog_token=TOKENS))


def test_initialize_catalog__second_time__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(instructions.initialize_catalog(authority=AUTHORITY, catalog_token=TOKENS))


def test_initialize_catalog__another_token_account__is_refused() -> None:
    world, _ = SCENARIOS["initialize_catalog"]()
    other = put_tokens(world.cluster, GPUM, CATALOG, 0, at=address("the catalog's second account"))
    for wrong in (other, token_address(STRANGER, GPUM)):
        with expect(errors.WrongPoolAccount):
            world.act(instructions.initialize_catalog(authority=AUTHORITY, catalog_token=wrong))
