"""The node, the cluster of one, epochs and inflation."""

from localnet.bank import EPOCH_SCHEDULE
from localnet.cluster import Cluster
from localnet.records import Json
from localnet.rpc.context import API_VERSION, read_slot, with_context
from localnet.rpc.errors import NO_SNAPSHOT, RpcError, block_not_available, invalid_params
from localnet.rpc.params import Params, as_pubkey
from localnet.rpc.registry import method

FEATURE_SET = 565_236_538
MINIMUM_DELEGATION = 1_000_000_000
MAX_LEADERS = 5_000
SAMPLE_SECONDS = 60
CONSTANTS: dict[str, Json] = {
    "getHealth": "ok",
    "getVersion": {"solana-core": API_VERSION, "feature-set": FEATURE_SET},
    "getEpochSchedule": {
        "slotsPerEpoch": EPOCH_SCHEDULE.slots_per_epoch,
        "leaderScheduleSlotOffset": EPOCH_SCHEDULE.leader_schedule_slot_offset,
        "warmup": EPOCH_SCHEDULE.warmup,
        "firstNormalEpoch": EPOCH_SCHEDULE.first_normal_epoch,
        "firstNormalSlot": EPOCH_SCHEDULE.first_normal_slot,
    },
    "getAgGenesisCert": None,
    "getMaxRetransmitSlot": 0,
    "getMaxShredInsertSlot": 0,
}
"""Constant answers of the one node: it is never behind, and sends and receives no shreds."""


@method("getIdentity")
def get_identity(cluster: Cluster, params: Params) -> Json:
    """The node's address."""
    return {"identity": str(cluster.identity.pubkey())}


@method("getGenesisHash")
def get_genesis_hash(cluster: Cluster, params: Params) -> Json:
    """The hash that identifies this cluster."""
    return str(cluster.blockhashes.genesis)


@method("getClusterNodes")
def get_cluster_nodes(cluster: Cluster, params: Params) -> Json:
    """The one node."""
    unreachable = (
        "gossip",
        "pubsub",
        "serveRepair",
        "tpu",
        "tpuForwards",
        "tpuForwardsQuic",
        "tpuQuic",
        "tpuVote",
        "tvu",
    )
    return [
        {
            "pubkey": str(cluster.identity.pubkey()),
            "version": API_VERSION,
            "featureSet": FEATURE_SET,
            "shredVersion": 1,
            "clientId": "Agave",
            "rpc": None,
            **dict.fromkeys(unreachable),
        }
    ]


@method("getVoteAccounts", 0, 1)
def get_vote_accounts(cluster: Cluster, params: Params) -> Json:
    """The one node's vote account; nothing is staked and nothing votes."""
    config = params.config(0, "RpcGetVoteAccountsConfig")
    slot = read_slot(cluster, config)
    account = {
        "votePubkey": str(cluster.vote_account),
        "nodePubkey": str(cluster.identity.pubkey()),
        "activatedStake": 0,
        "commission": 0,
        "inflationRewardsCommissionBps": 0,
        "epochVoteAccount": True,
        "epochCredits": [],
        "lastVote": slot,
        "rootSlot": cluster.finalized_slot,
    }
    wanted = config.text("votePubkey")
    shown = wanted is None or as_pubkey(wanted) == cluster.vote_account
    return {"current": [account] if shown else [], "delinquent": []}


@method("getSlotLeader", 0, 1)
def get_slot_leader(cluster: Cluster, params: Params) -> Json:
    """The one node leads every slot."""
    read_slot(cluster, params.config(0, "RpcContextConfig"))
    return str(cluster.identity.pubkey())


@method("getSlotLeaders", 2)
def get_slot_leaders(cluster: Cluster, params: Params) -> Json:
    """The one node leads every slot."""
    params.u64(0)
    limit = params.u64(1)
    if limit > MAX_LEADERS:
        raise invalid_params(f"Invalid limit; max {MAX_LEADERS}")
    return [str(cluster.identity.pubkey())] * limit


@method("getLeaderSchedule", 0, 2)
def get_leader_schedule(cluster: Cluster, params: Params) -> Json:
    """The one node leads every slot of the epoch."""
    return {str(cluster.identity.pubkey()): list(range(EPOCH_SCHEDULE.slots_per_epoch))}


@method("getEpochInfo", 0, 1)
def get_epoch_info(cluster: Cluster, params: Params) -> Json:
    """The cluster's position in its epoch."""
    slot = read_slot(cluster, params.config(0, "RpcContextConfig"))
    epoch, index = EPOCH_SCHEDULE.get_epoch_and_slot_index(slot)
    return {
        "absoluteSlot": slot,
        "blockHeight": slot,
        "epoch": epoch,
        "slotIndex": index,
        "slotsInEpoch": EPOCH_SCHEDULE.get_slots_in_epoch(epoch),
        "transactionCount": cluster.store.count_until(slot),
    }


@method("getInflationGovernor", 0, 1)
def get_inflation_governor(cluster: Cluster, params: Params) -> Json:
    """There is no inflation."""
    return dict.fromkeys(("initial", "terminal", "taper", "foundation", "foundationTerm"), 0.0)


@method("getInflationRate")
def get_inflation_rate(cluster: Cluster, params: Params) -> Json:
    """There is no inflation."""
    cluster.advance()
    return {"total": 0.0, "validator": 0.0, "foundation": 0.0, "epoch": EPOCH_SCHEDULE.get_epoch(cluster.slot)}


@method("getInflationReward", 0, 2)
def get_inflation_reward(cluster: Cluster, params: Params) -> Json:
    """There are no rewards: null for each address, once the epoch has ended."""
    if params.value(0):
        addresses = [as_pubkey(text) for text in params.strings(0)]
    else:
        addresses = []
    config = params.config(1, "RpcEpochConfig")
    cluster.advance()
    present = EPOCH_SCHEDULE.get_epoch(cluster.slot)
    epoch = config.number("epoch")
    epoch = max(0, present - 1) if epoch is None else epoch
    if epoch >= present:
        raise block_not_available(EPOCH_SCHEDULE.get_first_slot_in_epoch(epoch + 1))
    return [None] * len(addresses)


@method("getStakeMinimumDelegation", 0, 1)
def get_stake_minimum_delegation(cluster: Cluster, params: Params) -> Json:
    """The stake program's minimum."""
    return with_context(read_slot(cluster, params.config(0, "RpcContextConfig")), MINIMUM_DELEGATION)


@method("getHighestSnapshotSlot")
def get_highest_snapshot_slot(cluster: Cluster, params: Params) -> Json:
    """There are no snapshots."""
    raise RpcError(NO_SNAPSHOT, "No snapshot")


@method("getBlockProduction", 0, 1)
def get_block_production(cluster: Cluster, params: Params) -> Json:
    """Every slot of the epoch so far has its block."""
    slot = read_slot(cluster, params.config(0, "RpcBlockProductionConfig"))
    first = EPOCH_SCHEDULE.get_first_slot_in_epoch(EPOCH_SCHEDULE.get_epoch(slot))
    produced = slot - first + 1
    value = {
        "byIdentity": {str(cluster.identity.pubkey()): [produced, produced]},
        "range": {"firstSlot": first, "lastSlot": slot},
    }
    return with_context(slot, value)


@method("getRecentPerformanceSamples", 0, 1)
def get_recent_performance_samples(cluster: Cluster, params: Params) -> Json:
    """The last minute, once there has been one."""
    limit = params.number(0, "usize")
    cluster.advance()
    slots = SAMPLE_SECONDS * 1000 // cluster.timeline.slot_ms
    if cluster.slot <= slots or limit == 0:
        return []
    landed = cluster.store.count_until(cluster.slot) - cluster.store.count_until(cluster.slot - slots)
    return [
        {
            "slot": cluster.slot,
            "numSlots": slots,
            "numTransactions": landed,
            "numNonVoteTransactions": landed,
            "samplePeriodSecs": SAMPLE_SECONDS,
        }
    ]


def _register_constant(name: str, answer: Json) -> None:
    method(name)(lambda cluster, params: answer)


for constant, value in CONSTANTS.items():
    _register_constant(constant, value)
