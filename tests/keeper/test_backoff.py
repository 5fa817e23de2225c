"""How long what failed waits."""

from __future__ import annotations

from solders.pubkey import Pubkey

from keeper.backoff import Backoff

RENTAL = Pubkey.new_unique()


def test_set_aside__again_and_again__waits_twice_as_long_up_to_the_most() -> None:
    backoff = Backoff(5, 60)
    waits = [backoff.set_aside(RENTAL, "TokenAccountFrozen", "", 0).retry_at for _ in range(6)]
    assert waits == [5, 10, 20, 40, 60, 60]
    assert backoff.entries()[RENTAL].attempts == 6


def test_holds__around_the_retry__until_then() -> None:
    backoff = Backoff(5, 60)
    backoff.set_aside(RENTAL, "TokenAccountFrozen", "", 100)
    assert backoff.holds(RENTAL, 104) and not backoff.holds(RENTAL, 105)
    assert backoff.next_retry_at(104) == 105 and backoff.next_retry_at(105) is None


def test_retain__rental_that_is_gone__is_forgotten() -> None:
    backoff, other = Backoff(5, 60), Pubkey.new_unique()
    backoff.set_aside(RENTAL, "a", "", 0)
    backoff.set_aside(other, "b", "", 0)
    backoff.retain([other])
    assert set(backoff.entries()) == {other}
