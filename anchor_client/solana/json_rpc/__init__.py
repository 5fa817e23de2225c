"""JSON-RPC over HTTP with one node or several.

`client`     JsonRpc: one call and its typed answer, tried again where that may help
`endpoint`   one node: how it does, what it was asked, when it may be asked again
`race`       the next node is asked when one fails, or is slower than usual; the first answer wins
`heights`    how high the chain is, by vote, and what has been seen of it
`batch`      many calls in one request
`limits`     calls a second
`refusals`   what went wrong, by name, and whether trying again or elsewhere may help
`metrics`    what Prometheus reads of each node
"""

from anchor_client.solana.json_rpc.client import TIMEOUT_SECONDS as TIMEOUT_SECONDS
from anchor_client.solana.json_rpc.client import JsonRpc as JsonRpc
from anchor_client.solana.json_rpc.client import Retries as Retries
from anchor_client.solana.json_rpc.endpoint import Link as Link
from anchor_client.solana.json_rpc.refusals import refusal_of as refusal_of
