"""The gateway of a tenancy: a process that serves the renter's SSH, browser terminal and HTTPS ports, and outlives the
agent. It has the listening sockets and Docker's socket, and neither the wallet nor the seal key.

`documents`   what agent and gateway tell each other
`control`     the gateway's end of its control socket
`handle`      the agent's end: finds, starts, instructs and ends gateways
`daemon`      leaves its parent behind, and says whether it serves
`process`     the servers, and a hand-over to a newer process
`lifetime`    ends a gateway that is no longer needed
`log`         its log file, of bounded size
`privileges`  what it gives up at its start
"""
