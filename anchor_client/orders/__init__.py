"""What a renter wants run: the order document, saved templates of it, and its way to the host.

`document`   Workload and OrderDocument with their limits, one canonical encoding and its SHA-256
`templates`  saved parts, a JSON file each
`keys`       the fresh key of each order, which opens the host's connection
`delivery`   sealed orders on their way to the host
`post`       that way: the market's API
`waiting`    orders of requests, until a host is known to seal them to
"""

from anchor_client.orders.api import SealedOrderApi
from anchor_client.orders.delivery import DeliverOrder, SealedOrder, SealedOrderSource
from anchor_client.orders.document import (
    DEFAULT_IMAGE,
    MAX_COMMAND_CHARACTERS,
    MAX_ENV_CHARACTERS,
    MAX_ENV_NAME,
    MAX_ENV_VALUE,
    MAX_PORTS,
    MAX_SEALED_BYTES,
    OrderDocument,
    PortForward,
    Workload,
)
from anchor_client.orders.keys import KeyDirectory, KeyMemory, RenterKeys
from anchor_client.orders.templates import TemplateDirectory
from anchor_client.orders.waiting import DocumentDirectory, DocumentMemory, WaitingDocuments

__all__ = [
    "DEFAULT_IMAGE",
    "MAX_COMMAND_CHARACTERS",
    "MAX_ENV_CHARACTERS",
    "MAX_ENV_NAME",
    "MAX_ENV_VALUE",
    "MAX_PORTS",
    "MAX_SEALED_BYTES",
    "DeliverOrder",
    "DocumentDirectory",
    "DocumentMemory",
    "KeyDirectory",
    "KeyMemory",
    "OrderDocument",
    "PortForward",
    "RenterKeys",
    "SealedOrder",
    "SealedOrderApi",
    "SealedOrderSource",
    "TemplateDirectory",
    "WaitingDocuments",
    "Workload",
]
