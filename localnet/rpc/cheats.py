"""Methods that no validator has: move time, set accounts, pause slots."""

from typing import Any

from solders.account import Account

from localnet.cluster import Cluster
from localnet.records import Json
from localnet.rpc.binary_text import base64_param
from localnet.rpc.errors import invalid_params
from localnet.rpc.params import Params, as_pubkey, wrong_type
from localnet.rpc.registry import method


@method("cheat_warp", 1)
def cheat_warp(cluster: Cluster, params: Params) -> Json:
    """Moves the clock forward by {"seconds": n} or to {"unixTimestamp": t}; returns the new clock."""
    config = params.config(0, "WarpConfig")
    seconds: Any = config.value("seconds")
    target = config.number("unixTimestamp", "i64")
    if (seconds is None) == (target is None):
        raise invalid_params("Invalid params: give either seconds or unixTimestamp.")
    if target is not None:
        seconds = target - cluster.clock.unix_timestamp
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise wrong_type(seconds, "f64")
    if seconds < 0:
        raise invalid_params("Invalid params: time only moves forward.")
    cluster.warp(seconds)
    return _clock(cluster)


@method("cheat_setAccount", 2)
def cheat_set_account(cluster: Cluster, params: Params) -> Json:
    """Replaces an account by {lamports, owner, data: [base64, "base64"], executable}; null removes it."""
    address = params.pubkey(0)
    account = None if params.value(1) is None else _account(params.config(1, "Account"))
    cluster.set_account(address, account)
    return None


@method("cheat_pause")
def cheat_pause(cluster: Cluster, params: Params) -> Json:
    """Stops slots and time; returns the open slot."""
    cluster.pause()
    return cluster.slot


@method("cheat_resume")
def cheat_resume(cluster: Cluster, params: Params) -> Json:
    """Resumes slots and time; returns the new slot."""
    cluster.resume()
    return cluster.slot


@method("cheat_expireBlockhash")
def cheat_expire_blockhash(cluster: Cluster, params: Params) -> Json:
    """Invalidates every blockhash so far; returns the new slot."""
    cluster.expire_blockhash()
    return cluster.slot


def _clock(cluster: Cluster) -> Json:
    clock = cluster.clock
    return {"slot": clock.slot, "epoch": clock.epoch, "unixTimestamp": clock.unix_timestamp}


def _account(config: Params) -> Account:
    owner = as_pubkey(config.text("owner") or "11111111111111111111111111111111")
    data = config.value("data")
    text = data[0] if isinstance(data, list) and data[1:] == ["base64"] else data
    if not isinstance(text, str | None):
        raise wrong_type(data, "base64 data")
    raw = base64_param(text or "")
    lamports = config.number("lamports")
    if lamports is None:
        raise invalid_params("Invalid params: missing field `lamports`.")
    return Account(lamports, raw, owner, config.flag("executable"), config.number("rentEpoch") or 0)
