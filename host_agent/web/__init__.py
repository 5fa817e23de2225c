"""Access to a tenant's container by browser, over TLS: its HTTP ports, and a terminal.

`identity`  the certificate that the agent shows
`relay`     one port of the machine, relayed to one of the container
`ports`     all of them, while a tenancy lasts
`terminal`  a login shell by WebSocket
`views`     the command's output and the GPUs' figures, by the same
"""

from host_agent.web.identity import TlsIdentity as TlsIdentity
from host_agent.web.ports import HttpsPorts as HttpsPorts
from host_agent.web.relay import Connect as Connect
from host_agent.web.relay import Streams as Streams
from host_agent.web.terminal import TerminalServer as TerminalServer
