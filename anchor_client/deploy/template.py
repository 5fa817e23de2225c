"""A market.toml to start from: every entry, every parameter with its bounds, and what each means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from anchor_client.deploy.clusters import DEVNET, LOCALNET, MAINNET
from anchor_client.generated.constants import MAX_BURN_BPS, MAX_FEE_BPS, MAX_SHARDS, MAX_SUBSIDY_BPS
from anchor_client.payment_tokens import USDC_MAINNET
from anchor_client.rules.parameters import PARAMETERS
from anchor_client.solana.tokens import NATIVE_MINT

DECIMALS: Final = 6
SOL_FEED: Final = "ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d"
"""Pyth's SOL/USD."""
USDC_DEVNET: Final = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAERYPJgZJDncDU"
"""Circle's."""


@dataclass(frozen=True, slots=True)
class _Start:
    """Defaults that differ between clusters."""

    testing: bool
    usdc: str
    sol: tuple[str, ...]
    mint_authority: str
    note: str


_PYTH: Final = (
    'oracle = "pyth_upgraded"',
    f'feed = "{SOL_FEED}"  # SOL/USD',
    "max_age = 60                # seconds",
    "max_confidence_bps = 100    # widest confidence interval that an order is priced with",
)
_STARTS: Final = {
    LOCALNET: _Start(True, "new", ('oracle = "posted"', 'price = "150"'), "keep", "as short as tests like it"),
    DEVNET: _Start(True, USDC_DEVNET, _PYTH, "keep", "votes and timelocks may be short"),
    MAINNET: _Start(False, str(USDC_MAINNET), _PYTH, "none", "a market for tests is refused on mainnet"),
}


def template(cluster: str) -> str:
    """The file for a cluster."""
    start = _STARTS[cluster]
    return "\n".join([*_head(cluster, start), *_parameters(testing=start.testing), *_mints(start), *_tail()]) + "\n"


def _head(cluster: str, start: _Start) -> Iterator[str]:
    yield f"""\
# A GPU market on {cluster}. `gpu-market deploy market.toml` shows its plan and asks for confirmation; a second run
# does only what is missing. `gpu-market deploy market.toml --dry-run` only shows the plan.

cluster = "{cluster}"            # localnet, devnet or mainnet; must match the node
testing = {str(start.testing).lower()}  # permanent: {start.note}

[keys]                          # files from this one's directory, made (mode 0600) where they are missing: back them up
authority = "keys/authority.json"   # pays, upgrades the program and runs the market until it is handed over;
                                    # the address of a multisig or a hardware wallet will do, and signs elsewhere
payer = "keys/payer.json"           # made and used only if the authority is an address: pays for the upload
program = "keys/program.json"       # its address is the program's
guardian = "keys/guardian.json"     # may pause for a week; an address will do
treasury = "keys/treasury.json"     # takes fees; an address will do
oracle = "keys/oracle.json"         # posts prices; an address will do

[program]
# file = "gpu_market.so"        # default: the committed build, moved to the program's address
room = 0                        # bytes more than the code, for longer code later: a vote cannot add any

[staking]
enabled = true

[catalog]
models = "all"                  # or a list of GPU models, such as ["nvidia-h100-pcie-80gb"]
"""


def _parameters(*, testing: bool) -> Iterator[str]:
    yield "[parameters]                    # with their defaults; omitted ones stay unchanged"
    width = max(len(each.name) for each in PARAMETERS)
    for each in PARAMETERS:
        least, most = each.allowed(testing=testing)
        line = f"{each.name:<{width}} = {each.opens_with(10**DECIMALS)}"
        yield f"{line:<48} # {each.unit}, {least} to {most}"
    yield ""


def _mints(start: _Start) -> Iterator[str]:
    yield f"""\
# Mints that orders may be paid in. mint: "new" or an address; oracle: "pinned", "posted", "pyth_upgraded"
# (Pyth since its upgrade of 2026) or "pyth" (its receiver of before).
# subsidy_bps at most {MAX_SUBSIDY_BPS}, burn_bps {MAX_BURN_BPS}, extra_fee_bps {MAX_FEE_BPS}, shards {MAX_SHARDS}.

[[mints]]
symbol = "GPUM"
market_token = true             # exactly one is; without a freeze authority
mint = "new"
decimals = {DECIMALS}
supply = "1000000000"           # whole tokens, all to the authority
mint_authority = "{start.mint_authority}"         # keep: the authority may mint more; none: nobody ever
oracle = "posted"
price = "0.05"                  # dollars, posted first
max_age = 3600                  # seconds after which orders are refused
subsidy_bps = 8500
burn_bps = 2000
shards = 4
subsidy = "100000000"           # whole tokens for the subsidy pool, divided among the shards

[[mints]]
symbol = "USDC"
mint = "{start.usdc}"
decimals = {DECIMALS}
oracle = "pinned"
price = "1"
extra_fee_bps = 500
shards = 4

[[mints]]
symbol = "SOL"
mint = "{NATIVE_MINT}"
decimals = 9"""
    yield from start.sol
    yield "extra_fee_bps = 500\nshards = 4\n"


def _tail() -> Iterator[str]:
    yield """\
# Hosts to approve, once they have registered (`gpu-market host register`): run the command again then.
# [[hosts]]
# wallet = "ADDRESS"
# subsidy = "250000"            # whole market tokens of subsidy that its machines may draw in a day"""
