"""Every place where the program compares times, with the rules that it is of, or why it needs none."""

from __future__ import annotations

from typing import Final

OF_RULES: Final[dict[str, tuple[str, ...]]] = {
    "instructions/charges/open_meter.rs::open_meter": ("opening of a meter",),
    "instructions/rental/cancel_unstarted.rs::cancel_unstarted": ("end of an order that never started",),
    "instructions/rental/extend_rental.rs::extend_rental": ("extension before the end",),
    "instructions/rental/finalize_rental.rs::finalize_rental": ("end of a paid time",),
    "instructions/rental/release_holdback.rs::release_holdback": ("loss of a holdback that its host cannot take",),
    "instructions/rental/start_rental.rs::start_rental": ("start of a rental",),
    "instructions/rental/stop_rental.rs::stop_rental": ("stop before the end",),
    "instructions/spot/outbid.rs::outbid": ("bid that beats the order that waits",),
    "instructions/spot/preempt.rs::preempt": (
        "end of a holder's grace",
        "displacement before the holder's end",
        "displacement of a holder who has not started",
    ),
    "instructions/spot/withdraw_challenger.rs::withdraw_challenger": ("removal of an order that has waited in vain",),
    "pyth.rs::fresh_price": ("age of a price of Pyth's", "price of Pyth's from the future"),
    "state/challenge.rs::Listing::is_take_over_due": ("extension while an order waits",),
    "state/challenge.rs::Listing::withdraw": ("withdrawal of a bound order",),
    "state/host.rs::Host::withdraw_mfp": ("locked tokens that leave",),
    "state/market.rs::Market::is_paused": ("guardian's pause",),
    "state/market.rs::Market::pause_for_a_while": ("guardian's next pause",),
    "state/listing.rs::Listing::require_priority": ("priority of stakers",),
    "state/meter.rs::Meter::lapse": ("dispute of usage",),
    "state/meter.rs::Meter::payment_lapses": ("loss of charges that their host cannot take",),
    "state/meter.rs::Meter::report": ("last report of usage",),
    "state/meter.rs::Meter::require_final": ("close of a meter",),
    "state/meter.rs::Meter::resolve": ("end of a dispute",),
    "state/payment_mint.rs::PaymentMint::fresh_price": ("age of a posted price",),
    "state/payment_mint.rs::PaymentMint::post": ("next posted price",),
    "state/proposal.rs::Proposal::decide": ("count of votes", "time to count votes"),
    "state/proposal.rs::Proposal::execute": (
        "timelock",
        "timelock of a critical action",
        "execution of a vote",
    ),
    "state/proposal.rs::Proposal::is_over": (
        "close of a proposal that was never counted",
        "close of a proposal that was never executed",
    ),
    "state/proposal.rs::Proposal::require_open": ("vote",),
    "state/proposal.rs::Proposal::vote_over": ("close of a vote record",),
    "state/rental/mod.rs::Rental::require_contestable": (
        "contest of a finish",
        "release of a holdback",
        "rating of a finished rental",
    ),
    "state/rental/mod.rs::Rental::require_may_finish": ("finish by the host",),
    "state/rental/mod.rs::Rental::used_at": ("rating",),
    "state/request.rs::Request::is_over": ("match of a request", "end of a request"),
    "state/silence.rs::Listing::has_lapsed": ("report after a mark that nobody acted on",),
    "state/silence.rs::Listing::is_answer_pending": ("report of a host that did not answer",),
    "state/silence.rs::Listing::overdue": ("order on a machine", "mark of an overdue host"),
    "state/stake_account.rs::StakeAccount::require_closable": ("close of a stake account that has voted",),
    "state/stake_account.rs::StakeAccount::unstake": ("stake that has voted",),
    "state/stake_account.rs::StakeAccount::withdraw": ("stake that leaves",),
    "state/subsidy.rs::Host::book_subsidy": ("budget of the next day",),
    "state/subsidy.rs::Host::subsidy_left": ("budget of the next day",),
}
"""Functions in which an act is refused before a second, or from it on."""

_CHARGED: Final = "seconds that are charged: see the money by the second"
_DAY: Final = "a day's share of the pool, two seconds earlier or later, and no more of it"
_ACTIVE: Final = (
    "an epoch's end, two seconds earlier or later: nothing is refused before it, and rewards are by the epoch"
)
_BOUND: Final = "a quarter of an hour, two seconds shorter or longer, in which an order that comes is bound"
_REPORTED: Final = "a report of the first hour weighs what its renter has paid, two seconds more or less"

WITHOUT_RULES: Final[dict[str, str]] = {
    "instructions/rental/accept_rental.rs::accept_rental": _CHARGED,
    "instructions/rental/report_offline.rs::report_offline": _CHARGED,
    "instructions/rental/settle_rental.rs::settle_rental": _CHARGED,
    "math.rs::seconds_between": "the arithmetic itself",
    "state/challenge.rs::Listing::is_contested": _BOUND,
    "state/challenge.rs::Listing::wait": "the next second, which a leader's next block may have",
    "state/host.rs::Host::is_score_due": "which day's payments move a score: two seconds' payments more or less",
    "state/market.rs::Market::paused_until": "what an event says of a pause",
    "state/market.rs::Market::resume": "a pause that is over is not lengthened",
    "state/meter.rs::Meter::storage_limit_floor": _CHARGED,
    "state/rental/mod.rs::Rental::is_in_turn": _CHARGED,
    "state/rental/mod.rs::Rental::is_reportable": _REPORTED,
    "state/rental/mod.rs::Rental::prepared_at": _CHARGED,
    "state/request.rs::RequestOrder::require_valid": "a length that an order says",
    "state/silence.rs::Listing::hear": "a heartbeat counts once a second",
    "state/silence.rs::Listing::track": "seconds of a score, two more or less",
    "state/stake_account.rs::StakeAccount::active_at": _ACTIVE,
    "state/stake_pool.rs::StakePool::active_at": _ACTIVE,
    "state/stake_pool.rs::StakePool::advance": _ACTIVE,
    "state/subsidy.rs::Rental::draws_on": _DAY,
    "state/subsidy.rs::Rental::subsidy_to_book": _CHARGED,
    "state/subsidy.rs::Vault::draw_subsidy": _DAY,
    "state/subsidy.rs::Vault::return_subsidy": _DAY,
    "state/subsidy.rs::Vault::subsidy_left": _DAY,
}
"""Functions in which time refuses no act, or a length does; and why a leader gains nothing more by them."""

DURATIONS: Final[dict[str, str]] = {
    "min_duration": "a length that an order says",
    "max_duration": "a length that an order says",
    "MAX_DURATION": "a length that an order says",
    "MAX_REQUEST_SECONDS": "a length that an order says",
    "min_charge_seconds": _CHARGED,
    "provision_promise": _CHARGED,
    "holdback_window": _CHARGED,
    "REPORT_WINDOW": _REPORTED,
    "reputation_interval": WITHOUT_RULES["state/host.rs::Host::is_score_due"],
}
"""Durations that are of no rule, and why."""
