"""Credentials of the renter of a tenancy."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from math import ceil

import structlog

from host_agent.ssh.throttle import PasswordThrottle

log = structlog.get_logger(__name__)


class TooManyTries(Exception):
    """A password that came too early after wrong ones, and was not checked."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"Too many wrong passwords: try again in {ceil(wait)} s")


@dataclass(slots=True)
class RenterCredentials:
    """Credentials of a renter: the rental's password, or the order's key, in OpenSSH's one-line form. Wrong passwords
    over all kinds of access count together. New clients need what they are at that moment.
    """

    password: str = field(repr=False)
    public_key: str | None = None
    throttle: PasswordThrottle = field(default_factory=PasswordThrottle, repr=False)

    def admit(self, address: str, password: str) -> bool:
        """Checks a password from an address. TooManyTries."""
        wait = self.throttle.wait(address)
        if wait > 0:
            raise TooManyTries(wait)
        # In constant time: how long it takes says nothing about how much was right.
        if hmac.compare_digest(password.encode(), self.password.encode()):
            return True
        self.throttle.failed(address)
        log.info("password_wrong", address=address)
        return False
