"""Wrong passwords make their senders wait, and nobody else."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from host_agent.ssh.throttle import FREE_BY_ADDRESS, FREE_BY_RENTAL, LONGEST_WAIT, MOST_ADDRESSES, PasswordThrottle


@dataclass
class Clock:
    """Seconds that a test sets."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def throttle(clock: Clock) -> PasswordThrottle:
    return PasswordThrottle(clock)


def fail(throttle: PasswordThrottle, times: int, address: str = "a") -> None:
    for _ in range(times):
        throttle.failed(address)


def test_wait__within_those_that_are_free__none(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_BY_ADDRESS - 1)
    assert throttle.wait("a") == 0


def test_wait__beyond__doubles_up_to_the_longest(throttle: PasswordThrottle, clock: Clock) -> None:
    fail(throttle, FREE_BY_ADDRESS)
    waits = []
    for _ in range(12):
        waits.append(throttle.wait("a"))
        throttle.failed("a")
    assert waits[:4] == [1, 2, 4, 8] and waits[-1] == LONGEST_WAIT
    clock.now += LONGEST_WAIT
    assert throttle.wait("a") == 0


def test_wait__another_address__is_let_try(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_BY_ADDRESS + 5)
    assert throttle.wait("b") == 0


def test_wait__many_addresses__slow_down_all_but_the_known(throttle: PasswordThrottle) -> None:
    throttle.succeeded("renter")
    for place in range(FREE_BY_RENTAL):
        throttle.failed(f"address {place}")
    assert throttle.wait("new") == 1 and throttle.wait("renter") == 0


def test_succeeded__forgets_what_went_wrong_before(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_BY_ADDRESS + 3)
    throttle.succeeded("a")
    assert throttle.wait("a") == 0


def test_failed__more_addresses_than_are_remembered__the_oldest_makes_room(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_BY_ADDRESS, "first")
    for place in range(MOST_ADDRESSES):
        throttle.failed(f"address {place}")
    throttle._all.count = 0
    assert throttle.wait("first") == 0
