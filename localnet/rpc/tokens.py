"""SPL Token accounts, mints and balances."""

from collections.abc import Callable

import solders.token.state as token_state
from solders.account import Account
from solders.pubkey import Pubkey

from localnet.cluster import Cluster
from localnet.encoding.accounts import account_json
from localnet.encoding.tokens import TOKEN_PROGRAMS, mint, token_account, ui_token_amount
from localnet.records import Json
from localnet.rpc.accounts import account_encoding, reader
from localnet.rpc.context import is_finalized, read_slot, with_context
from localnet.rpc.errors import invalid_params
from localnet.rpc.params import Params, as_pubkey, as_string, unknown_variant, wrong_type
from localnet.rpc.registry import method

LARGEST_ACCOUNTS = 20
Selects = Callable[[token_state.TokenAccount], bool]


@method("getTokenAccountBalance", 1, 1)
def get_token_account_balance(cluster: Cluster, params: Params) -> Json:
    """The amount a token account holds."""
    address = params.pubkey(0)
    config = params.config(1, "CommitmentConfig")
    slot = read_slot(cluster, config)
    read = reader(cluster, config)
    account = read(address)
    if account is None:
        raise invalid_params("Invalid param: could not find account")
    state = token_account(account)
    if state is None:
        raise invalid_params("Invalid param: not a Token account")
    return with_context(slot, ui_token_amount(state.amount, _mint(cluster, config, state.mint)[1].decimals))


@method("getTokenSupply", 1, 1)
def get_token_supply(cluster: Cluster, params: Params) -> Json:
    """Supply of a mint."""
    address = params.pubkey(0)
    config = params.config(1, "CommitmentConfig")
    slot = read_slot(cluster, config)
    account = reader(cluster, config)(address)
    if account is None:
        raise invalid_params("Invalid param: could not find account")
    minted = mint(account)
    if minted is None:
        raise invalid_params("Invalid param: not a Token mint")
    return with_context(slot, ui_token_amount(minted.supply, minted.decimals))


@method("getTokenLargestAccounts", 1, 1)
def get_token_largest_accounts(cluster: Cluster, params: Params) -> Json:
    """The 20 largest accounts of a mint."""
    address = params.pubkey(0)
    config = params.config(1, "CommitmentConfig")
    slot = read_slot(cluster, config)
    program, minted = _mint(cluster, config, address)
    amounts = [
        (state.amount, str(key))
        for key, account in cluster.owned_by(program, finalized=is_finalized(config))
        if (state := token_account(account)) is not None and state.mint == address
    ]
    amounts.sort(reverse=True)
    return with_context(
        slot,
        [{"address": key, **ui_token_amount(amount, minted.decimals)} for amount, key in amounts[:LARGEST_ACCOUNTS]],
    )


@method("getTokenAccountsByOwner", 2, 1)
def get_token_accounts_by_owner(cluster: Cluster, params: Params) -> Json:
    """An owner's accounts of one mint or one token program."""
    owner = params.pubkey(0)
    return _token_accounts(cluster, params, lambda state: state.owner == owner)


@method("getTokenAccountsByDelegate", 2, 1)
def get_token_accounts_by_delegate(cluster: Cluster, params: Params) -> Json:
    """The accounts delegated to an address, of one mint or one token program."""
    delegate = params.pubkey(0)
    return _token_accounts(cluster, params, lambda state: state.delegate == delegate)


def _token_accounts(cluster: Cluster, params: Params, selects: Selects) -> Json:
    config = params.config(2, "RpcAccountInfoConfig")
    encoding = account_encoding(config)
    slot = read_slot(cluster, config)
    program, wanted_mint = _token_filter(cluster, config, params.value(1))
    read = reader(cluster, config)

    def matches(account: Account) -> bool:
        state = token_account(account)
        return state is not None and selects(state) and wanted_mint in (None, state.mint)

    found = [
        {"pubkey": str(address), "account": account_json(account, encoding, read)}
        for address, account in cluster.owned_by(program, finalized=is_finalized(config))
        if matches(account)
    ]
    return with_context(slot, found)


def _token_filter(cluster: Cluster, config: Params, value: Json) -> tuple[Pubkey, Pubkey | None]:
    """The token program, and the mint if it is named. Raises RpcError -32602."""
    if not isinstance(value, dict):
        raise wrong_type(value, "enum RpcTokenAccountsFilter")
    if len(value) != 1:
        raise invalid_params("Invalid params: invalid value: map, expected map with a single key.")
    ((kind, text),) = value.items()
    if kind == "programId":
        program = as_pubkey(as_string(text))
        if program not in TOKEN_PROGRAMS:
            raise invalid_params("Invalid param: unrecognized Token program id")
        return program, None
    if kind == "mint":
        address = as_pubkey(as_string(text))
        return _mint(cluster, config, address)[0], address
    raise unknown_variant(kind, ("mint", "programId"))


def _mint(cluster: Cluster, config: Params, address: Pubkey) -> tuple[Pubkey, token_state.Mint]:
    account = reader(cluster, config)(address)
    if account is None:
        raise invalid_params("Invalid param: could not find mint")
    minted = mint(account)
    if minted is None:
        raise invalid_params("Invalid param: Token mint could not be unpacked")
    return account.owner, minted
