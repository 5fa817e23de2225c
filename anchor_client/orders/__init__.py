"""What a renter wants run: the order document, saved templates of it, and its way to the host.

`document`   Workload and OrderDocument with their limits, one canonical encoding and its SHA-256
`templates`  saved parts, a JSON file each
`delivery`   sealed orders on their way to the host
`api`        that way: the market's API
`keeping`    what the renter keeps of each order: its key, and a request's document until a host is known
"""

from anchor_client.orders.api import SealedOrderApi
from anchor_client.orders.delivery import DeliverOrder, SealedOrder, SealedOrderSource
from anchor_client.orders.document import (
    DEFAULT_IMAGE,
    MAX_COMMAND_CHARACTERS,
    MAX_PORTS,
    MAX_SEALED_BYTES,
    OrderDocument,
    PortForward,
    Workload,
)
from anchor_client.orders.keeping import DocumentDirectory, InMemory, Kept, KeyDirectory
from anchor_client.orders.templates import TemplateDirectory

__all__ = [
    "DEFAULT_IMAGE",
    "MAX_COMMAND_CHARACTERS",
    "MAX_PORTS",
    "MAX_SEALED_BYTES",
    "DeliverOrder",
    "DocumentDirectory",
    "InMemory",
    "Kept",
    "KeyDirectory",
    "OrderDocument",
    "PortForward",
    "SealedOrder",
    "SealedOrderApi",
    "SealedOrderSource",
    "TemplateDirectory",
    "Workload",
]
