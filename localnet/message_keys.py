"""The accounts of a message: their order, and which are signers, writable or programs."""

from dataclasses import dataclass

from solders.message import Message, MessageV0, MessageV1
from solders.pubkey import Pubkey

from localnet.loader import BPF_LOADER_UPGRADEABLE

AnyMessage = Message | MessageV0 | MessageV1

RESERVED = frozenset(
    Pubkey.from_string(address)
    for address in (
        "11111111111111111111111111111111",
        "AddressLookupTab1e1111111111111111111111111",
        "BPFLoader1111111111111111111111111111111111",
        "BPFLoader2111111111111111111111111111111111",
        "BPFLoaderUpgradeab1e11111111111111111111111",
        "ComputeBudget111111111111111111111111111111",
        "Config1111111111111111111111111111111111111",
        "Ed25519SigVerify111111111111111111111111111",
        "Feature111111111111111111111111111111111111",
        "KeccakSecp256k11111111111111111111111111111",
        "LoaderV411111111111111111111111111111111111",
        "NativeLoader1111111111111111111111111111111",
        "Secp256r1SigVerify1111111111111111111111111",
        "Stake11111111111111111111111111111111111111",
        "StakeConfig11111111111111111111111111111111",
        "Sysvar1111111111111111111111111111111111111",
        "SysvarC1ock11111111111111111111111111111111",
        "SysvarEpochRewards1111111111111111111111111",
        "SysvarEpochSchedu1e111111111111111111111111",
        "SysvarFees111111111111111111111111111111111",
        "SysvarLastRestartS1ot1111111111111111111111",
        "SysvarRecentB1ockHashes11111111111111111111",
        "SysvarRent111111111111111111111111111111111",
        "SysvarRewards111111111111111111111111111111",
        "SysvarS1otHashes111111111111111111111111111",
        "SysvarS1otHistory11111111111111111111111111",
        "SysvarStakeHistory1111111111111111111111111",
        "Sysvar1nstructions1111111111111111111111111",
        "Vote111111111111111111111111111111111111111",
        "ZkE1Gama1Proof11111111111111111111111111111",
        "ZkTokenProof1111111111111111111111111111111",
    )
)


@dataclass(frozen=True, slots=True)
class MessageKeys:
    """A message's keys in index order with their roles."""

    static: list[Pubkey]
    loaded_writable: list[Pubkey]
    loaded_readonly: list[Pubkey]
    writable_indices: list[int]
    signers: int
    programs: set[int]

    @property
    def all(self) -> list[Pubkey]:
        """Every key, in the order indices refer to."""
        return [*self.static, *self.loaded_writable, *self.loaded_readonly]

    def writable(self) -> list[Pubkey]:
        """Keys the message may write."""
        keys = self.all
        return [keys[index] for index in self.writable_indices]


def message_keys(message: AnyMessage, loaded_writable: list[Pubkey], loaded_readonly: list[Pubkey]) -> MessageKeys:
    """Roles as a validator assigns them: reserved keys are never writable, invoked programs only in upgrades."""
    static = list(message.account_keys)
    header = message.header
    signers = header.num_required_signatures
    writable_signers = signers - header.num_readonly_signed_accounts
    writable_others = len(static) - header.num_readonly_unsigned_accounts
    programs = {instruction.program_id_index for instruction in message.instructions}
    keys = [*static, *loaded_writable, *loaded_readonly]
    upgrading = BPF_LOADER_UPGRADEABLE in keys

    def writes(index: int) -> bool:
        if index < len(static):
            requested = index < writable_signers or signers <= index < writable_others
        else:
            requested = index < len(static) + len(loaded_writable)
        return requested and keys[index] not in RESERVED and (index not in programs or upgrading)

    writable = [index for index in range(len(keys)) if writes(index)]
    return MessageKeys(static, loaded_writable, loaded_readonly, writable, signers, programs)
