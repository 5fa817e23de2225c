"""Transfers that a transaction would make, from its simulation: who pays what to whom, to the base unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.rpc.responses import RpcSimulateTransactionResult

from anchor_client.service.optional import optional
from anchor_client.solana.errors import UnreadableAnswer
from anchor_client.solana.program import Program
from anchor_client.solana.program_ids import TOKEN_PROGRAM
from anchor_client.solana.tokens import NATIVE_MINT
from anchor_client.solana.transactions.flows import Closing, Flow, flows_of_call, flows_of_token_call
from anchor_idl.runtime.errors import IdlError
from anchor_idl.runtime.instructions import DecodedInstruction

RENT: Final = "account deposit"
"""SOL that an account keeps while it exists, which Solana calls rent."""
RENT_RETURNED: Final = "account deposit returned"


@dataclass(frozen=True, slots=True)
class Movement:
    """Base units of a mint, NATIVE_MINT for SOL, that leave one wallet or account for another; nobody for a burn."""

    mint: Pubkey
    amount: int
    source: Pubkey
    target: Pubkey | None
    purpose: str


@dataclass(frozen=True, slots=True)
class _Balances:
    """Balances of accounts before and after, by their addresses."""

    lamports: Mapping[Pubkey, tuple[int, int]]
    tokens: Mapping[Pubkey, tuple[int, int]]
    mints: Mapping[Pubkey, Pubkey]
    owners: Mapping[Pubkey, Pubkey]

    def comes(self, account: Pubkey) -> bool:
        before, after = self.lamports.get(account, (0, 0))
        return before == 0 < after

    def goes(self, account: Pubkey) -> bool:
        before, after = self.lamports.get(account, (0, 0))
        return after == 0 < before


def movements_of(
    result: RpcSimulateTransactionResult | None,
    keys: Sequence[Pubkey],
    instructions: Sequence[Instruction],
    *,
    first: int,
    program: Program,
) -> tuple[Movement, ...]:
    """Movements of a simulated transaction, without its fee. `keys` are its accounts, `instructions` its own from
    number `first` on. UnreadableAnswer if the node does not report balances."""
    if result is None:
        raise UnreadableAnswer("The RPC node does not report a simulation's effects")
    balances = _balances(result, keys)
    flows, closings = _told(result, instructions, first)
    decoded = {number: _decoded(one, program) for number, one in enumerate(instructions, first)}
    passing = {closing.account: closing.target for closing in closings if not balances.lamports[closing.account][0]}
    moved = [*_token_flows(flows, balances), *_lamport_flows(flows, balances, keys[0])]
    found: dict[Movement, int] = defaultdict(int)
    for mint, flow in moved:
        movement = _movement(mint, flow, balances, passing, decoded, program)
        if movement.source != movement.target:
            found[replace(movement, amount=0)] += movement.amount
    return tuple(replace(movement, amount=amount) for movement, amount in found.items() if amount)


def _balances(result: RpcSimulateTransactionResult, keys: Sequence[Pubkey]) -> _Balances:
    before = result.pre_balances
    after = result.post_balances
    if before is None or after is None or len(before) != len(keys) or len(after) != len(keys):
        raise UnreadableAnswer("The RPC node does not report balances with a simulation")
    told = [*(result.pre_token_balances or ()), *(result.post_token_balances or ())]
    tokens = [
        {keys[one.account_index]: int(one.ui_token_amount.amount) for one in side or ()}
        for side in (result.pre_token_balances, result.post_token_balances)
    ]
    return _Balances(
        lamports=dict(zip(keys, zip(before, after, strict=True), strict=True)),
        tokens={key: (tokens[0].get(key, 0), tokens[1].get(key, 0)) for key in {**tokens[0], **tokens[1]}},
        mints={keys[one.account_index]: one.mint for one in told},
        owners={keys[one.account_index]: one.owner for one in told if one.owner is not None},
    )


def _told(
    result: RpcSimulateTransactionResult, instructions: Sequence[Instruction], first: int
) -> tuple[list[Flow], list[Closing]]:
    found: list[Flow | Closing] = []
    for number, own in enumerate(instructions, first):
        if own.program_id == TOKEN_PROGRAM:
            found += flows_of_token_call(number, bytes(own.data), [account.pubkey for account in own.accounts])
    for group in result.inner_instructions or ():
        for call in group.instructions:
            told: Any = call
            found += flows_of_call(group.index, told)
    flows = [one for one in found if isinstance(one, Flow)]
    return flows, [one for one in found if isinstance(one, Closing)]


def _token_flows(flows: Iterable[Flow], balances: _Balances) -> list[tuple[Pubkey, Flow]]:
    """Those of each mint but SOL's, which are lamports."""
    found: list[tuple[Pubkey, Flow]] = []
    for mint in sorted(set(balances.mints.values()) - {NATIVE_MINT}, key=bytes):
        accounts = [account for account in balances.tokens if balances.mints[account] == mint]
        own = [flow for flow in flows if not flow.in_lamports and flow.source in accounts]
        changes = {account: balances.tokens[account][1] - balances.tokens[account][0] for account in accounts}
        found += [(mint, flow) for flow in (*own, *_unexplained(changes, own))]
    return found


def _lamport_flows(flows: Iterable[Flow], balances: _Balances, payer: Pubkey) -> list[tuple[Pubkey, Flow]]:
    """Lamports and wrapped SOL, without the fee."""

    def is_sol(flow: Flow) -> bool:
        ends = (flow.source, flow.target)
        return flow.in_lamports or not any(balances.mints.get(end, NATIVE_MINT) != NATIVE_MINT for end in ends if end)

    own = [flow for flow in flows if is_sol(flow)]
    changes = {account: after - before for account, (before, after) in balances.lamports.items()}
    changes[payer] -= sum(changes.values())
    return [(NATIVE_MINT, flow) for flow in (*own, *_unexplained(changes, own))]


def _unexplained(changes: Mapping[Pubkey, int], flows: Iterable[Flow]) -> list[Flow]:
    """Flows behind balance changes that known flows do not explain: programs move their own lamports without a call."""
    left = dict(changes)
    for flow in flows:
        left[flow.source] = left.get(flow.source, 0) + flow.amount
        if flow.target is not None:
            left[flow.target] = left.get(flow.target, 0) - flow.amount
    found = []
    gains = [(account, amount) for account, amount in left.items() if amount > 0]
    for source, change in left.items():
        loss = -change
        while loss > 0:
            if not gains:
                found.append(Flow(-1, source, None, loss))
                break
            target, gain = gains.pop(0)
            part = min(gain, loss)
            found.append(Flow(-1, source, target, part, in_lamports=True))
            loss -= part
            if gain > part:
                gains.insert(0, (target, gain - part))
    return found


def _movement(
    mint: Pubkey,
    flow: Flow,
    balances: _Balances,
    passing: Mapping[Pubkey, Pubkey],
    decoded: Mapping[int, DecodedInstruction | None],
    program: Program,
) -> Movement:
    is_rent = mint == NATIVE_MINT and flow.target is not None and balances.comes(flow.target)
    is_returned = mint == NATIVE_MINT and balances.goes(flow.source)

    def party(account: Pubkey) -> Pubkey:
        account = passing.get(account, account)
        return account if is_rent or is_returned else balances.owners.get(account, account)

    target = optional(party, flow.target)
    if is_rent:
        purpose = RENT
    elif is_returned:
        purpose = _returned(flow, decoded.values(), program)
    else:
        purpose = _purpose(flow, decoded, program)
    return Movement(mint, flow.amount, party(flow.source), target, purpose)


def _returned(flow: Flow, decoded: Iterable[DecodedInstruction | None], program: Program) -> str:
    """Purpose of lamports of a closed account: a tip for whoever ends something for another, else returned rent."""
    roles = {name for one in decoded if one is not None for name in _roles(one, flow.target)}
    return "tip" if program.is_tip(roles) else RENT_RETURNED


def _purpose(flow: Flow, decoded: Mapping[int, DecodedInstruction | None], program: Program) -> str:
    if flow.target is None:
        return "burn"
    for one in [decoded.get(flow.number)] if flow.number >= 0 else decoded.values():
        if one is None:
            continue
        for role in _roles(one, flow.target):
            purpose = program.purpose(one.name, role)
            if purpose is not None:
                return purpose
    return "transfer"


def _roles(instruction: DecodedInstruction, account: Pubkey | None) -> list[str]:
    return [name for name, address in instruction.accounts.items() if address == account]


def _decoded(instruction: Instruction, program: Program) -> DecodedInstruction | None:
    try:
        return program.instruction(instruction)
    except IdlError:
        return None
