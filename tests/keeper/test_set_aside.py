"""Delays before failed work is tried again."""

from __future__ import annotations

from solders.pubkey import Pubkey

from keeper.set_aside import SetAsides

RENTAL = Pubkey.new_unique()


def test_set_aside__again_and_again__waits_twice_as_long_up_to_the_most() -> None:
    waiting = SetAsides(5, 60)
    waits = [waiting.set_aside(RENTAL, "TokenAccountFrozen", "", 0).retry_at for _ in range(6)]
    assert waits == [5, 10, 20, 40, 60, 60]
    assert waiting.entries()[RENTAL].attempts == 6


def test_holds__around_the_retry__until_then() -> None:
    waiting = SetAsides(5, 60)
    waiting.set_aside(RENTAL, "TokenAccountFrozen", "", 100)
    assert waiting.holds(RENTAL, 104) and not waiting.holds(RENTAL, 105)
    assert waiting.next_retry_at(104) == 105 and waiting.next_retry_at(105) is None


def test_retain__rental_that_is_gone__is_forgotten() -> None:
    waiting, other = SetAsides(5, 60), Pubkey.new_unique()
    waiting.set_aside(RENTAL, "a", "", 0)
    waiting.set_aside(other, "b", "", 0)
    waiting.retain([other])
    assert set(waiting.entries()) == {other}
