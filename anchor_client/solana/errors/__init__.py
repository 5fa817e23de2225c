"""Errors of nodes, of transactions and of the programs that every cluster has.

`network`   the RPC node
`landing`   whether a transaction landed
`runtime`   refusals of the runtime and of the token, system and associated-token programs
`address`   addresses that cannot be read
"""

from anchor_client.solana.errors.address import BadAddress as BadAddress
from anchor_client.solana.errors.landing import DetailsUnavailable as DetailsUnavailable
from anchor_client.solana.errors.landing import ForeignTransaction as ForeignTransaction
from anchor_client.solana.errors.landing import InvalidTransaction as InvalidTransaction
from anchor_client.solana.errors.landing import OutcomeUnknown as OutcomeUnknown
from anchor_client.solana.errors.landing import TransactionExpired as TransactionExpired
from anchor_client.solana.errors.landing import TransactionTooLarge as TransactionTooLarge
from anchor_client.solana.errors.network import NODE_FAILURES as NODE_FAILURES
from anchor_client.solana.errors.network import PASSING_FAILURES as PASSING_FAILURES
from anchor_client.solana.errors.network import RateLimited as RateLimited
from anchor_client.solana.errors.network import RpcRefused as RpcRefused
from anchor_client.solana.errors.network import UnreachableRpc as UnreachableRpc
from anchor_client.solana.errors.network import UnreadableAnswer as UnreadableAnswer
from anchor_client.solana.errors.network import WrongEndpoint as WrongEndpoint
from anchor_client.solana.errors.runtime import AccountAddressTaken as AccountAddressTaken
from anchor_client.solana.errors.runtime import AccountBusy as AccountBusy
from anchor_client.solana.errors.runtime import AccountMissing as AccountMissing
from anchor_client.solana.errors.runtime import AlreadyProcessed as AlreadyProcessed
from anchor_client.solana.errors.runtime import BlockhashExpired as BlockhashExpired
from anchor_client.solana.errors.runtime import ComputeExceeded as ComputeExceeded
from anchor_client.solana.errors.runtime import InstructionRefused as InstructionRefused
from anchor_client.solana.errors.runtime import InsufficientLamports as InsufficientLamports
from anchor_client.solana.errors.runtime import MissingSignature as MissingSignature
from anchor_client.solana.errors.runtime import ProgramMissing as ProgramMissing
from anchor_client.solana.errors.runtime import SystemProgramRefusal as SystemProgramRefusal
from anchor_client.solana.errors.runtime import TokenAccountFrozen as TokenAccountFrozen
from anchor_client.solana.errors.runtime import TokenBalanceTooLow as TokenBalanceTooLow
from anchor_client.solana.errors.runtime import TokenMintMismatch as TokenMintMismatch
from anchor_client.solana.errors.runtime import TokenOwnerMismatch as TokenOwnerMismatch
from anchor_client.solana.errors.runtime import TokenProgramRefusal as TokenProgramRefusal
from anchor_client.solana.errors.runtime import TransactionRefused as TransactionRefused
