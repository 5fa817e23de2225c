"""Wrong passwords make their senders wait, and nobody else."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from host_agent.ssh.throttle import FREE_TRIES, LONGEST_WAIT, MOST_NETWORKS, PasswordThrottle


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
    fail(throttle, FREE_TRIES - 1)
    assert throttle.wait("a") == 0


def test_wait__beyond__doubles_up_to_the_longest(throttle: PasswordThrottle, clock: Clock) -> None:
    fail(throttle, FREE_TRIES)
    waits = []
    for _ in range(12):
        waits.append(throttle.wait("a"))
        throttle.failed("a")
    assert waits[:4] == [1, 2, 4, 8] and waits[-1] == LONGEST_WAIT
    clock.now += LONGEST_WAIT
    assert throttle.wait("a") == 0


def test_wait__another_address__is_let_try(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_TRIES + 5)
    assert throttle.wait("b") == 0


def test_wait__wrong_passwords_from_many_networks__nobody_else_waits(throttle: PasswordThrottle) -> None:
    for place in range(250):
        fail(throttle, FREE_TRIES + 5, f"10.0.0.{place}")
    assert throttle.wait("192.0.2.1") == 0


def test_wait__addresses_of_one_ipv6_network__count_together(throttle: PasswordThrottle) -> None:
    for place in range(FREE_TRIES):
        fail(throttle, 1, f"2001:db8:1:2::{place:x}")
    assert throttle.wait("2001:db8:1:2:ffff::1") == 1 and throttle.wait("2001:db8:1:3::1") == 0


def test_succeeded__forgets_what_went_wrong_before(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_TRIES + 3)
    throttle.succeeded("a")
    assert throttle.wait("a") == 0


def test_failed__more_addresses_than_are_remembered__the_oldest_makes_room(throttle: PasswordThrottle) -> None:
    fail(throttle, FREE_TRIES, "first")
    for place in range(MOST_NETWORKS):
        throttle.failed(f"address {place}")
    assert throttle.wait("first") == 0
