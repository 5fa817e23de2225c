"""What a renter wants run: the order document, saved templates of it, and its way to the host.

`document`   OrderParts and OrderDocument with their limits, one canonical encoding and its SHA-256
`templates`  saved parts, a JSON file each
`keys`       the fresh key of each order, which opens the host's connection
`delivery`   sealed orders on their way to the host
"""

from anchor_client.orders.delivery import DeliverOrder, OrderDirectory, SealedOrder
from anchor_client.orders.document import (
    DEFAULT_IMAGE,
    MAX_COMMAND_CHARACTERS,
    MAX_ENV_CHARACTERS,
    MAX_ENV_NAME,
    MAX_ENV_VALUE,
    MAX_PORTS,
    OrderDocument,
    OrderParts,
    PortForward,
)
from anchor_client.orders.keys import KeyDirectory, KeyMemory, OrderKeys
from anchor_client.orders.templates import TemplateDirectory

__all__ = [
    "DEFAULT_IMAGE",
    "MAX_COMMAND_CHARACTERS",
    "MAX_ENV_CHARACTERS",
    "MAX_ENV_NAME",
    "MAX_ENV_VALUE",
    "MAX_PORTS",
    "DeliverOrder",
    "KeyDirectory",
    "KeyMemory",
    "OrderDirectory",
    "OrderDocument",
    "OrderKeys",
    "OrderParts",
    "PortForward",
    "SealedOrder",
    "TemplateDirectory",
]
