"""Accounts that the caller of an instruction may choose, or that it does not look at: all else is refused."""

from __future__ import annotations

from solders.instruction import Instruction

from anchor_client.generated.program import PROGRAM_ID

from ..harness.actors import AUTHORITY, HOST, RENTER, RIVAL, STRANGER, TENANT

SIGNERS = {
    "authority": AUTHORITY,
    "host": HOST,
    "rival": RIVAL,
    "renter": RENTER,
    "tenant": TENANT,
    "stranger": STRANGER,
}

Place = tuple[str, str]
"""An instruction and one of its accounts."""

ANYBODY: set[Place] = {
    ("add_vault", "caller"),
    ("register_renter", "caller"),
    ("sweep_fees", "caller"),
    ("sweep_stakers", "caller"),
    ("refresh_listing", "caller"),
    ("settle_rental", "caller"),
    ("cancel_unstarted", "caller"),
    ("finalize_rental", "caller"),
    ("report_offline", "caller"),
    ("preempt", "caller"),
    ("execute_proposal", "caller"),
    ("expire_request", "caller"),
    ("close_meter", "caller"),
    ("claim_refund", "caller"),
    ("release_holdback", "caller"),
    ("claim_payout", "caller"),
    ("match_request", "caller"),
}
"""Whoever signs here may."""

CHOICES: dict[Place, set[str]] = {
    ("set_paused", "caller"): {"authority"},
    ("approve_host", "host"): {"rival host"},
    ("open_rental", "listing"): {"second listing"},
    ("update_listing", "listing"): {"second listing"},
    ("close_listing", "listing"): {"second listing"},
    ("set_operator", "listing"): {"second listing"},
    ("set_charges", "listing"): {"second listing"},
    ("refresh_listing", "listing"): {"second listing"},
    ("mark_silent", "listing"): {"second listing", "rival listing"},
    ("match_request", "listing"): {"second listing"},
    ("finalize_rental", "host"): {"this program"},
}
"""Other accounts that the same signer may act on. The program itself stands for an optional account left out."""

NAMED_ALONE: set[Place] = {("finalize_rental", "host")}
"""Held to the right address, and not read: all that was drawn on the host's budget has been earned."""

UNREAD: set[Place] = {
    ("cancel_unstarted", "host_payout"),
    ("cancel_unstarted", "mint"),
    ("finalize_rental", "renter_payout"),
    ("place_bid", "price_feed"),
    ("place_bid", "program"),
    ("outbid", "price_feed"),
    ("outbid", "program"),
    ("open_rental", "price_feed"),
    ("open_rental", "program"),
    ("extend_rental", "price_feed"),
    ("extend_rental", "program"),
    ("open_meter", "price_feed"),
    ("open_meter", "program"),
    ("open_request", "price_feed"),
    ("match_request", "price_feed"),
}
"""Looked at only when something is paid to, burned from or priced by it, and here nothing is.

The program itself stands in place of each optional account that is left out, and has to be there only once.
"""

MAY_BE_GONE: set[Place] = {("report_usage", "listing")}
"""At the right address, what this program does not own is closed: addresses are never used twice."""

OWN_ACCOUNTS: set[str] = {
    "renter_token",
    "treasury_token",
    "funder_token",
    "owner_token",
    "authority_token",
    "host_payout",
    "renter_payout",
    "owner_payout",
    "beaten_payout",
}
"""Any token account of the right owner and mint will do, if they sign."""

PAYS_ASSOCIATED: set[str] = {"withdraw_unreserved"}
"""Pays into the associated account alone: others borrow the payee's signature."""

MAY_BE_TWICE: set[Place] = {
    *(("outbid", name) for name in ("renter", "renter_token", "beaten_renter", "beaten_payout")),
    *(("match_request", name) for name in ("caller", "renter", "renter_payout")),
    *(
        (ending, name)
        for ending in (
            "stop_rental",
            "cancel_rental",
            "finish_rental",
            "cancel_unstarted",
            "finalize_rental",
            "report_offline",
            "preempt",
        )
        for name in ("caller", "renter", "renter_payout", "host_payout", "mint", "host")
    ),
    *(("withdraw_challenger", name) for name in ("caller", "renter", "renter_payout", "host")),
}
"""Written accounts that the program lets stand in a second place: nothing is kept in their data, or, for `host`, no
place that is read takes an account at its address."""

SAME_WALLET: set[frozenset[str]] = {
    frozenset({"caller", "renter"}),
    frozenset({"caller", "wallet"}),
    frozenset({"caller", "mint"}),
}
"""Accounts that may be one wallet. A mint's own key may sign as whoever ends a rental, and gets the tip."""


def is_unread(name: str, account: str, instruction: Instruction) -> bool:
    """An optional account that is left out is the program's own, which then need not come a second time."""
    keys = [meta.pubkey for meta in instruction.accounts]
    return (name, account) in UNREAD or (account == "program" and keys.count(PROGRAM_ID) > 1)


def free_choices(name: str) -> set[Place]:
    signers = {(account, who) for each, account in ANYBODY if each == name for who in SIGNERS}
    others = {(account, what) for (each, account), known in CHOICES.items() if each == name for what in known}
    return signers | others
