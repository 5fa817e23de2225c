"""Sign-In With Solana: the message that a wallet shows and signs, as the wallet standard has it.

The same text as `createSignInMessageText` of @solana/wallet-standard-util makes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Self

LABELS: Final = {
    "uri": "URI",
    "version": "Version",
    "chain_id": "Chain ID",
    "nonce": "Nonce",
    "issued_at": "Issued At",
    "expiration_time": "Expiration Time",
    "not_before": "Not Before",
    "request_id": "Request ID",
}
"""Fields of one line each, in their order."""
MESSAGE: Final = re.compile(
    r"(?P<domain>[^\n]+?) wants you to sign in with your Solana account:\n(?P<address>[^\n]+)"
    r"(?:\n\n(?P<statement>[^\n]+))??"
    rf"(?:\n(?P<fields>(?:\n(?:{'|'.join(LABELS.values())}): [^\n]+)*(?:\nResources:(?:\n- [^\n]+)*)?))?"
)


@dataclass(frozen=True, slots=True)
class SignInMessage:
    """Message that a wallet is asked to sign. Times are ISO 8601; ValueError for a text that is empty or has several
    lines."""

    domain: str
    address: str
    statement: str | None = None
    uri: str | None = None
    version: str | None = None
    chain_id: str | None = None
    nonce: str | None = None
    issued_at: str | None = None
    expiration_time: str | None = None
    not_before: str | None = None
    request_id: str | None = None
    resources: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        lines = [self.domain, self.address, self.statement, *(getattr(self, name) for name in LABELS)]
        if any(line is not None and (not line or "\n" in line) for line in (*lines, *(self.resources or ()))):
            raise ValueError("each text of a sign-in message is one line")

    def __str__(self) -> str:
        """The text."""
        parts = [f"{self.domain} wants you to sign in with your Solana account:\n{self.address}"]
        if self.statement is not None:
            parts.append(self.statement)
        told = ((label, getattr(self, name)) for name, label in LABELS.items())
        fields = [f"{label}: {value}" for label, value in told if value is not None]
        if self.resources is not None:
            fields += ["Resources:", *(f"- {resource}" for resource in self.resources)]
        if fields:
            parts.append("\n".join(fields))
        return "\n\n".join(parts)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The message of a text that is exactly one's. ValueError for any other."""
        found = MESSAGE.fullmatch(text)
        if found is None:
            raise ValueError("no sign-in message")
        message = cls(domain=found["domain"], address=found["address"], statement=found["statement"])
        lines, has_resources, resources = (found["fields"] or "").partition("\nResources:")
        values = dict(line.split(": ", 1) for line in lines.split("\n") if line)
        named = {name: values[label] for name, label in LABELS.items() if label in values}
        listed = tuple(resources.split("\n- ")[1:]) if has_resources else None
        message = replace(message, **named, resources=listed)
        if str(message) != text:
            raise ValueError("no sign-in message")
        return message
