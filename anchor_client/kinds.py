"""Words that people and programs use for kinds and states of rentals and requests."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from anchor_client.errors import UnknownIssue, UnknownKind
from anchor_client.generated.types import CloseReason, RentalIssue, RentalKind, Silence


class JobState(StrEnum):
    """State of a rental. The last four are final."""

    QUEUED = "queued"
    PROVISIONING = "provisioning"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"

    @property
    def is_final(self) -> bool:
        """True where the rental has ended."""
        return self in _FINAL


_FINAL: Final = frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED, JobState.PREEMPTED})
LIVE_STATES: Final = (JobState.QUEUED, JobState.PROVISIONING, JobState.RUNNING)
"""States of a rental whose account exists, by the account's number."""

WAITING_MESSAGE: Final = "Waiting for the machine's holder to leave"
PREEMPTING_MESSAGE: Final = "A better order waits: save your work, the machine is handed over"
LIVE_MESSAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        JobState.QUEUED: "Waiting for the host to accept",
        JobState.PROVISIONING: "The host is preparing the machine",
        JobState.RUNNING: "The machine is running",
    }
)

KINDS: Final[Mapping[str, RentalKind]] = MappingProxyType(
    {"on-demand": RentalKind.ON_DEMAND, "spot": RentalKind.SPOT, "reserved": RentalKind.RESERVED}
)
ISSUES: Final[Mapping[str, RentalIssue]] = MappingProxyType(
    {issue.name.lower().replace("_", "-"): issue for issue in RentalIssue}
)
"""Issues that a renter may report, by their words."""
END_STATES: Final[Mapping[CloseReason, tuple[JobState, str]]] = MappingProxyType(
    {
        CloseReason.EXPIRED: (JobState.COMPLETED, "The paid time ran out"),
        CloseReason.STOPPED: (JobState.COMPLETED, "The renter stopped it"),
        CloseReason.WITHDRAWN: (JobState.CANCELLED, "The renter withdrew before the start"),
        CloseReason.PROVISION_TIMEOUT: (JobState.FAILED, "The host did not start in time"),
        CloseReason.HOST_OFFLINE: (JobState.FAILED, "The host went offline"),
        CloseReason.HOST_FAULT: (JobState.FAILED, "The host gave up: the machine failed"),
        CloseReason.HOST_MAINTENANCE: (JobState.FAILED, "The host gave up: maintenance"),
        CloseReason.ORDER_REFUSED: (JobState.FAILED, "The host refused the order"),
        CloseReason.PREEMPTED: (JobState.PREEMPTED, "A better order took the machine"),
        CloseReason.OUTBID: (JobState.PREEMPTED, "A better order took its place while it waited"),
        CloseReason.TAKE_OVER_TIMEOUT: (JobState.CANCELLED, "It waited and the machine never came"),
        CloseReason.ORDER_UNDELIVERED: (JobState.FAILED, "The host refused: the order never reached it"),
        CloseReason.ORDER_UNREADABLE: (JobState.FAILED, "The host refused: it cannot read the order"),
        CloseReason.ORDER_UNRUNNABLE: (JobState.FAILED, "The host refused: the machine cannot run the order"),
        CloseReason.FINISHED: (JobState.COMPLETED, "Its command has ended"),
    }
)
END_MESSAGES: Final[Mapping[str, str]] = MappingProxyType(
    {reason.name.lower(): message for reason, (_, message) in END_STATES.items()}
)
"""Messages for people on why a rental ended, by the reason's word."""


class SilenceState(StrEnum):
    """State of a listing's host: heard from, marked as overdue, or proven silent."""

    HEARD = "heard"
    MARKED = "marked"
    SILENT = "silent"


SILENCES: Final[Mapping[Silence, SilenceState]] = MappingProxyType(
    {Silence.HEARD: SilenceState.HEARD, Silence.MARKED: SilenceState.MARKED, Silence.PROVEN: SilenceState.SILENT}
)


class RequestState(StrEnum):
    """State of a request. All but the first are final."""

    OPEN = "open"
    MATCHED = "matched"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


REQUEST_MESSAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        RequestState.OPEN: "Waiting for a machine",
        RequestState.MATCHED: "A machine was found",
        RequestState.CANCELLED: "The renter withdrew it",
        RequestState.EXPIRED: "No machine was found in time",
    }
)


def parse_kind(kind: str | RentalKind) -> RentalKind:
    """The kind of a word such as `on-demand`. UnknownKind."""
    if isinstance(kind, RentalKind):
        return kind
    found = KINDS.get(kind.lower().replace("_", "-"))
    if found is None:
        raise UnknownKind(kind, KINDS)
    return found


def parse_issue(issue: str | RentalIssue) -> RentalIssue:
    """The issue of a word such as `not-as-listed`. UnknownIssue."""
    if isinstance(issue, RentalIssue):
        return issue
    found = ISSUES.get(issue.lower().replace("_", "-"))
    if found is None:
        raise UnknownIssue(issue, ISSUES)
    return found


def kind_name(kind: RentalKind) -> str:
    """The word for a kind."""
    return next(name for name, known in KINDS.items() if known is kind)


def issue_name(issue: RentalIssue) -> str:
    """The word for an issue."""
    return next(name for name, known in ISSUES.items() if known is issue)
