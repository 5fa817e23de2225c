"""Mints, and token accounts with what their owners start with."""

from __future__ import annotations

from collections.abc import Iterator

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.deploy.steps import DeployStep
from anchor_client.solana.issuing import issue, make_mint
from anchor_client.solana.tokens import associated_token
from local_market.addresses import LocalMints, Token
from local_market.keys import MarketKeyring


def create_mints(keys: MarketKeyring, tokens: LocalMints, rent_lamports: int) -> Iterator[DeployStep]:
    """The market token and USDC; `rent_lamports` is what a mint needs to be rent-exempt."""
    for keypair, token in ((keys.market_mint, tokens.market_token), (keys.usdc_mint, tokens.usdc)):
        authority = keys.authority.pubkey()
        instructions = make_mint(authority, token.mint, token.terms.decimals, rent_lamports)
        yield DeployStep(token.mint, keys.authority, tuple(instructions), (keypair,))


def create_token_accounts(keys: MarketKeyring, tokens: LocalMints) -> Iterator[DeployStep]:
    """Token accounts of hosts and treasury, and the tokens of the authority and the renter."""
    for token in tokens.all():
        yield _open(keys.authority, keys.treasury.pubkey(), token, 0)
        for host in keys.hosts.values():
            yield _open(host.wallet, host.wallet.pubkey(), token, 0)
    for token in (tokens.market_token, tokens.usdc):
        yield _open(keys.authority, keys.authority.pubkey(), token, token.terms.authority_tokens)
        yield _open(keys.authority, keys.renter.pubkey(), token, token.terms.renter_tokens)


def _open(payer: Keypair, owner: Pubkey, token: Token, amount: int) -> DeployStep:
    """An associated token account, with `amount` whole tokens that `payer` may issue."""
    instructions = issue(payer.pubkey(), owner, token.mint, token.base_units(amount))
    return DeployStep(associated_token(owner, token.mint), payer, tuple(instructions))
