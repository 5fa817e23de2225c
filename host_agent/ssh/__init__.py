"""SSH access to a rented machine, by the agent's own SSH server, so that images need none.

Each tenancy has a server on the machine's port, with its own credentials; both end together.

`credentials`  authentication
`identity`     the key that identifies the machine
`inside`       the container's interface for the server
`server`       the server and its requests
`throttle`     slows down password guessing
`sftp`         files, for sftp and scp, by way of `file_shell`, a shell in the container
`forwarding`   ports of the container
`output`       what the container's command has printed
"""

from host_agent.ssh.credentials import RenterCredentials as RenterCredentials
from host_agent.ssh.credentials import TooManyTries as TooManyTries
from host_agent.ssh.identity import SshIdentity as SshIdentity
from host_agent.ssh.inside import Inside as Inside
from host_agent.ssh.inside import InsideTerminal as InsideTerminal
from host_agent.ssh.server import TenantSshServer as TenantSshServer
