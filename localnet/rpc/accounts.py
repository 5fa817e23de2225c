"""Accounts and balances."""

from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM

from localnet.cluster import Cluster
from localnet.encoding.accounts import ENCODINGS, AccountEncoding, account_json
from localnet.encoding.tokens import TOKEN_PROGRAMS, Accounts
from localnet.genesis import FAUCET_LAMPORTS
from localnet.loader import BPF_LOADER_UPGRADEABLE
from localnet.records import Json
from localnet.rpc.context import is_finalized, read_slot, with_context
from localnet.rpc.errors import invalid_params
from localnet.rpc.filters import parse_filters
from localnet.rpc.params import Params, as_pubkey
from localnet.rpc.registry import method

MAX_MULTIPLE_ACCOUNTS = 100
LARGEST_ACCOUNTS = 20


def account_encoding(config: Params, default: str = "binary") -> AccountEncoding:
    """The encoding and data slice of a config."""
    name = config.choice("encoding", ENCODINGS) or default
    if config.value("dataSlice") is None:
        return AccountEncoding(name)
    cut = config.config("dataSlice", "UiDataSliceConfig")
    return AccountEncoding(name, cut.number("offset", "usize") or 0, cut.number("length", "usize") or 0)


def reader(cluster: Cluster, config: Params) -> Accounts:
    """Reads accounts at the commitment of a config."""
    finalized = is_finalized(config)
    return lambda address: cluster.account(address, finalized=finalized)


def encode(cluster: Cluster, config: Params, address: Pubkey, encoding: AccountEncoding) -> Json:
    """An account in an encoding; None when there is none."""
    read = reader(cluster, config)
    account = read(address)
    return None if account is None else account_json(account, encoding, read)


@method("getAccountInfo", 1, 1)
def get_account_info(cluster: Cluster, params: Params) -> Json:
    """One account."""
    address = params.pubkey(0)
    config = params.config(1, "RpcAccountInfoConfig")
    encoding = account_encoding(config)
    return with_context(read_slot(cluster, config), encode(cluster, config, address, encoding))


@method("getMultipleAccounts", 1, 1)
def get_multiple_accounts(cluster: Cluster, params: Params) -> Json:
    """Up to 100 accounts of one slot."""
    texts = params.strings(0)
    if len(texts) > MAX_MULTIPLE_ACCOUNTS:
        raise invalid_params(f"Too many inputs provided; max {MAX_MULTIPLE_ACCOUNTS}")
    addresses = [as_pubkey(text) for text in texts]
    config = params.config(1, "RpcAccountInfoConfig")
    encoding = account_encoding(config, "base64")
    slot = read_slot(cluster, config)
    return with_context(slot, [encode(cluster, config, address, encoding) for address in addresses])


@method("getBalance", 1, 1)
def get_balance(cluster: Cluster, params: Params) -> Json:
    """Lamports of an account."""
    address = params.pubkey(0)
    config = params.config(1, "RpcContextConfig")
    slot = read_slot(cluster, config)
    account = reader(cluster, config)(address)
    return with_context(slot, 0 if account is None else account.lamports)


@method("getProgramAccounts", 1, 1)
def get_program_accounts(cluster: Cluster, params: Params) -> Json:
    """The accounts a program owns that pass every filter."""
    program = params.pubkey(0)
    config = params.config(1, "RpcProgramAccountsConfig")
    passes = parse_filters(config.value("filters"))
    encoding = account_encoding(config)
    slot = read_slot(cluster, config)
    read = reader(cluster, config)
    found = [
        {"pubkey": str(address), "account": account_json(account, encoding, read)}
        for address, account in cluster.owned_by(program, finalized=is_finalized(config))
        if passes(account)
    ]
    return with_context(slot, found) if config.flag("withContext") else found


@method("getLargestAccounts", 0, 1)
def get_largest_accounts(cluster: Cluster, params: Params) -> Json:
    """The 20 richest accounts among those of the system, token and loader programs."""
    config = params.config(0, "RpcLargestAccountsConfig")
    slot = read_slot(cluster, config)
    config.choice("filter", ("circulating", "nonCirculating"))
    if config.value("filter") == "nonCirculating":
        return with_context(slot, [])
    balances = [
        (account.lamports, str(address))
        for program in (SYSTEM_PROGRAM, *TOKEN_PROGRAMS, BPF_LOADER_UPGRADEABLE)
        for address, account in cluster.owned_by(program, finalized=is_finalized(config))
    ]
    balances.sort(reverse=True)
    largest = [{"address": address, "lamports": lamports} for lamports, address in balances[:LARGEST_ACCOUNTS]]
    return with_context(slot, largest)


@method("getSupply", 0, 1)
def get_supply(cluster: Cluster, params: Params) -> Json:
    """The lamports the cluster began with; all of them circulate."""
    config = params.config(0, "RpcSupplyConfig")
    value = {
        "total": FAUCET_LAMPORTS,
        "circulating": FAUCET_LAMPORTS,
        "nonCirculating": 0,
        "nonCirculatingAccounts": [],
    }
    return with_context(read_slot(cluster, config), value)
