"""Actions of stakers, and those that anyone may send for them."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.errors import NoStake, TooFewTokens, refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import StakePool
from anchor_client.generated.pdas import find_pool, find_stake
from anchor_client.market.area import Area
from anchor_client.market.purse import Purse, paying_purse
from anchor_client.resources.stake import Stake, StakeReward, stake_of
from anchor_client.rules.stake_pool import is_full, reward_mints
from anchor_client.solana.tokens import associated_token, create_associated_token
from anchor_client.solana.transactions import Sent


class StakingActions(Area):
    """Instructions that a staker signs. Amounts are base units of the market token."""

    async def initialize(self) -> Pubkey:
        """Opens the stake pool and gives its address. The market's authority, once."""
        pool = find_pool(self.program_id)[0]
        mint = (await self.reads.market()).market_mint
        await self.send(
            create_associated_token(self.address, pool, mint),
            self.instruction(build.initialize_pool, authority=self.address, pool_token=associated_token(pool, mint)),
        )
        return pool

    async def add_reward_mint(self, token: str | Pubkey) -> Sent:
        """Lets stake earn rewards in one more mint. The market's authority. UnknownPaymentToken."""
        pool = find_pool(self.program_id)[0]
        mint = (await self.reads.tokens()).mint(token)
        return await self.send(
            create_associated_token(self.address, pool, mint),
            self.instruction(build.add_reward_mint, authority=self.address, mint=mint),
        )

    async def stake(self, amount: int) -> Sent:
        """Stakes market tokens; they earn from the next epoch. NoPool, TooFewTokens."""
        pool = await self.reads.pool()
        purse = await self._paying(pool.mint, amount)
        return await self.act(
            build.stake, amount=amount, owner=self.address, pool_token=pool.token_account, owner_token=purse.address
        )

    async def unstake(self, amount: int) -> Sent:
        """Takes stake out of work, warming stake first; it may leave after the length of an epoch. NoPool, NoStake."""
        await self._require_stake()
        return await self.act(build.unstake, amount=amount, owner=self.address)

    async def withdraw(self) -> Sent:
        """Takes back all stake that has cooled down. NoPool, NoStake."""
        pool = await self._require_stake()
        return await self.send(
            create_associated_token(self.address, self.address, pool.mint),
            self.instruction(
                build.withdraw_stake,
                owner=self.address,
                pool_token=pool.token_account,
                owner_token=associated_token(self.address, pool.mint),
            ),
        )

    async def close(self) -> Sent:
        """Closes the wallet's empty stake account; its rent returns. NoPool, NoStake."""
        await self._require_stake()
        return await self.act(build.close_stake, owner=self.address)

    async def claim(self, token: str | Pubkey) -> Sent:
        """Takes all rewards earned in one token; SOL comes as SOL. UnknownPaymentToken, NoPool, NoStake."""
        pool = await self._require_stake()
        tokens = await self.reads.tokens()
        mint = tokens.mint(token)
        purse = Purse.receiving(self.address, self.address, mint)
        number = stream_of(pool, mint)
        claim = self.instruction(
            build.claim,
            stream=number,
            owner=self.address,
            stream_token=pool.rewards[number].token_account,
            owner_payout=purse.address,
        )
        return await self.send(*purse.around(claim))

    async def claim_all(self) -> list[Sent]:
        """Takes the rewards of every token in which something is owed. NoPool, NoStake, and the refusal when
        there are none."""
        pool = await self._require_stake()
        owed = (await self.reads.holding(self.address)).owed
        mints = [stream.mint for stream, amount in zip(pool.rewards, owed, strict=True) if amount]
        if not mints:
            raise refusal(refusals.NothingToClaim.code)
        return [await self.claim(mint) for mint in mints]

    async def compound(self) -> Sent:
        """Stakes the rewards that were earned in the market token. NoPool, NoStake."""
        await self._require_stake()
        return await self.act(build.compound, owner=self.address)

    async def get(self, wallet: Pubkey) -> Stake:
        """A wallet's stake and rewards as the program would settle them now; all zero for one without. NoPool."""
        pool = await self.reads.pool()
        holding = await self.reads.holding(wallet)
        streams = pool.rewards[: pool.streams]
        tokens = [await self.reads.denomination(stream.mint) for stream in streams]
        return stake_of(
            holding,
            pool,
            id=find_stake(wallet, self.program_id)[0],
            owner=wallet,
            now=await self.reads.now(),
            rewards=[
                StakeReward.known(
                    mint=stream.mint, token=token.symbol, decimals=token.decimals, pending=pending, coming=coming
                )
                for stream, token, pending, coming in zip(streams, tokens, holding.owed, holding.coming, strict=False)
            ],
        )

    async def fund(self, token: str | Pubkey, amount: int) -> Sent:
        """Adds rewards for the next epoch; SOL is wrapped in the transaction. Anyone. UnknownPaymentToken, NoPool,
        TooFewTokens."""
        pool = await self.reads.pool()
        tokens = await self.reads.tokens()
        mint = tokens.mint(token)
        number = stream_of(pool, mint)
        purse = await self._paying(mint, amount, wraps=tokens.wraps(token))
        funding = self.instruction(
            build.fund_rewards,
            stream=number,
            amount=amount,
            funder=self.address,
            stream_token=pool.rewards[number].token_account,
            funder_token=purse.address,
        )
        return await self.send(*purse.around(funding))

    async def sweep(self, mint: Pubkey, shard: int) -> Sent:
        """Moves the stakers' share of a vault's fees to their rewards; to the treasury in a mint that the pool has no
        stream left for. Anyone. UnknownVault, NoPool.
        """
        address, vault = await self.reads.vault(mint, shard)
        pool = await self.reads.pool()
        treasury = (await self.reads.market()).treasury
        is_released = mint not in reward_mints(pool) and is_full(pool)
        sweep = self.instruction(
            build.sweep_stakers,
            caller=self.address,
            vault=address,
            vault_data=vault,
            stream_token=associated_token(treasury, mint) if is_released else None,
        )
        if is_released:
            before = [create_associated_token(self.address, treasury, mint)]
        else:
            before = []
        return await self.send(*before, sweep)

    async def advance_epoch(self) -> Sent:
        """Ends every epoch whose time is over. Anyone."""
        return await self.act(build.advance_epoch)

    async def _require_stake(self) -> StakePool:
        """The pool as it is now, in which the wallet has an account. NoPool, NoStake."""
        pool = await self.reads.pool()
        if await self.reads.stake_account(self.address) is None:
            raise NoStake(f"{self.address} has no stake account")
        return pool

    async def _paying(self, mint: Pubkey, amount: int, *, wraps: bool = False) -> Purse:
        return await paying_purse(self.reads, self.address, mint, amount, wraps=wraps, shortage=TooFewTokens)


def stream_of(pool: StakePool, mint: Pubkey) -> int:
    """The number of a mint's reward stream; the program's refusal if there is none."""
    for number, stream in enumerate(pool.rewards[: pool.streams]):
        if stream.mint == mint:
            return number
    raise refusal(refusals.UnknownRewardStream.code, str(mint))
