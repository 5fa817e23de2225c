"""A funded key that builds, sends and confirms transactions."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solana.rpc.models import TxOpts
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0, MessageV1, TransactionConfig
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import ID as SYSTEM_PROGRAM
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer
from solders.token import ID as TOKEN_PROGRAM
from solders.token.associated import get_associated_token_address
from solders.transaction import VersionedTransaction

SOL = 10**9
MINT_SIZE = 82
ASSOCIATED_TOKEN_PROGRAM = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
SENT = TxOpts(preflight_commitment=Confirmed)
UNCHECKED = TxOpts(skip_preflight=True, preflight_commitment=Confirmed)


def encoded(transaction: VersionedTransaction) -> str:
    """A transaction as sendTransaction takes it with the encoding base64."""
    return base64.b64encode(bytes(transaction)).decode()


@dataclass
class Wallet:
    """A key and the client it acts through."""

    client: AsyncClient
    key: Keypair

    @classmethod
    async def funded(cls, client: AsyncClient) -> "Wallet":
        """A new key with ten SOL, confirmed."""
        wallet = cls(client, Keypair())
        airdrop = await client.request_airdrop(wallet.address, 10 * SOL)
        await client.confirm_transaction(airdrop.value, Confirmed, sleep_seconds=0.05)
        return wallet

    @property
    def address(self) -> Pubkey:
        """The key's address."""
        return self.key.pubkey()

    async def blockhash(self) -> Hash:
        """The latest blockhash."""
        return (await self.client.get_latest_blockhash()).value.blockhash

    def pay(self, to: Pubkey, lamports: int) -> Instruction:
        """A transfer."""
        return transfer(TransferParams(from_pubkey=self.address, to_pubkey=to, lamports=lamports))

    async def legacy(self, *instructions: Instruction) -> VersionedTransaction:
        """A transaction without a version."""
        message = Message.new_with_blockhash(list(instructions), self.address, await self.blockhash())
        return VersionedTransaction(message, [self.key])

    async def v0(
        self,
        *instructions: Instruction,
        signers: Sequence[Keypair] = (),
        tables: Sequence[AddressLookupTableAccount] = (),
        blockhash: Hash | None = None,
    ) -> VersionedTransaction:
        """A version-0 transaction."""
        recent = blockhash or await self.blockhash()
        message = MessageV0.try_compile(self.address, list(instructions), list(tables), recent)
        return VersionedTransaction(message, [self.key, *signers])

    async def v1(self, *instructions: Instruction, config: TransactionConfig | None = None) -> VersionedTransaction:
        """A version-1 transaction."""
        message = MessageV1.try_compile(self.address, list(instructions), await self.blockhash(), config)
        return VersionedTransaction(message, [self.key])

    async def send(self, transaction: VersionedTransaction, options: TxOpts = SENT) -> Signature:
        """Sends a transaction and waits until it is confirmed, however it ended."""
        signature = (await self.client.send_transaction(transaction, options)).value
        await self.client.confirm_transaction(signature, Confirmed, sleep_seconds=0.05)
        return signature

    async def create_token(self, amount: int, decimals: int = 6) -> tuple[Pubkey, Pubkey]:
        """A new mint, and this wallet's associated account holding an amount of it."""
        mint = Keypair()
        account = get_associated_token_address(self.address, mint.pubkey())
        rent = (await self.client.get_minimum_balance_for_rent_exemption(MINT_SIZE)).value
        creation = CreateAccountParams(
            from_pubkey=self.address, to_pubkey=mint.pubkey(), lamports=rent, space=MINT_SIZE, owner=TOKEN_PROGRAM
        )
        initialize = bytes([20, decimals]) + bytes(self.address) + b"\0"
        mint_to = bytes([7]) + amount.to_bytes(8, "little")
        owned = [
            AccountMeta(self.address, True, True),
            AccountMeta(account, False, True),
            AccountMeta(self.address, False, False),
            AccountMeta(mint.pubkey(), False, False),
            AccountMeta(SYSTEM_PROGRAM, False, False),
            AccountMeta(TOKEN_PROGRAM, False, False),
        ]
        minted = [
            AccountMeta(mint.pubkey(), False, True),
            AccountMeta(account, False, True),
            AccountMeta(self.address, True, False),
        ]
        transaction = await self.v0(
            create_account(creation),
            Instruction(TOKEN_PROGRAM, initialize, [AccountMeta(mint.pubkey(), False, True)]),
            Instruction(ASSOCIATED_TOKEN_PROGRAM, b"", owned),
            Instruction(TOKEN_PROGRAM, mint_to, minted),
            signers=[mint],
        )
        await self.send(transaction)
        return mint.pubkey(), account
