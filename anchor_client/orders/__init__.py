"""Orders: the document that says what to run, saved templates of it, and its way to the host.

`document`   Workload and OrderDocument with their limits, one canonical encoding and its SHA-256
`ssh_key`    the SSH key of an order, which follows from the key that its connection is sealed to
`image`      what runs where an order does not say
`templates`  saved parts, a JSON file each
`delivery`   sealed orders on their way to the host
`api`        that way: the market's API
`keeping`    the renter's records of each order: its key, and a request's document until a host is known
"""

from typing import TYPE_CHECKING

from anchor_idl.runtime.lazy import importer

if TYPE_CHECKING:
    from anchor_client.orders.api import SealedOrderApi as SealedOrderApi
    from anchor_client.orders.delivery import DeliverOrder as DeliverOrder
    from anchor_client.orders.delivery import SealedOrder as SealedOrder
    from anchor_client.orders.delivery import SealedOrderSource as SealedOrderSource
    from anchor_client.orders.document import MAX_COMMAND_CHARACTERS as MAX_COMMAND_CHARACTERS
    from anchor_client.orders.document import MAX_PORTS as MAX_PORTS
    from anchor_client.orders.document import MAX_SEALED_BYTES as MAX_SEALED_BYTES
    from anchor_client.orders.document import OrderDocument as OrderDocument
    from anchor_client.orders.document import PortForward as PortForward
    from anchor_client.orders.document import Workload as Workload
    from anchor_client.orders.image import DEFAULT_IMAGE as DEFAULT_IMAGE
    from anchor_client.orders.keeping import DocumentDirectory as DocumentDirectory
    from anchor_client.orders.keeping import InMemory as InMemory
    from anchor_client.orders.keeping import KeyDirectory as KeyDirectory
    from anchor_client.orders.keeping import OrderStore as OrderStore
    from anchor_client.orders.templates import TemplateDirectory as TemplateDirectory
    from anchor_client.sealing import SealKey as SealKey
else:
    _PLACES = {
        "api": ["SealedOrderApi"],
        "delivery": ["DeliverOrder", "SealedOrder", "SealedOrderSource"],
        "document": [
            "MAX_COMMAND_CHARACTERS",
            "MAX_PORTS",
            "MAX_SEALED_BYTES",
            "OrderDocument",
            "PortForward",
            "Workload",
        ],
        "image": ["DEFAULT_IMAGE"],
        "keeping": ["DocumentDirectory", "InMemory", "KeyDirectory", "OrderStore"],
        "templates": ["TemplateDirectory"],
        ".sealing": ["SealKey"],
    }
    __getattr__ = importer(__name__, ((module, name) for module, names in _PLACES.items() for name in names))
