"""SSH access to a rented machine: an SSH server of the agent's own, so that no image needs one.

Each tenancy has a server at the machine's own port, with credentials that are its own; both end together.

`credentials` who is let in
`identity`    the key by which renters know the machine
`inside`      what the server needs of a container
`server`      the server: what they may ask for
`throttle`    slows down who guesses passwords
`sftp`        files, for sftp and scp, by way of `file_shell`, a shell in the container
`forwarding`  ports of the container
`output`      what the container's command has printed
"""

from host_agent.ssh.credentials import Credentials as Credentials
from host_agent.ssh.credentials import TooManyTries as TooManyTries
from host_agent.ssh.identity import SshIdentity as SshIdentity
from host_agent.ssh.inside import Inside as Inside
from host_agent.ssh.inside import InsideTerminal as InsideTerminal
from host_agent.ssh.server import TenantSshServer as TenantSshServer
