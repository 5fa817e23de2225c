"""Isolates tenants from the networks of their machine, by the agent's own firewall rules.

A tenant's bridge has a name that the rules know. Its traffic may go only to the internet: not to the machine itself,
not to private, link-local and shared networks, where hosts have other services and clouds their credentials, and not to
mail servers. Replies on forwarded ports may go anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.service.networks import CARRIED, PRIVATE, SITE_LOCAL, Network
from host_agent.commands import run
from host_agent.errors import HostConfigurationError, MachineFault

GUARDED, OPEN = "gpum-", "gpuo-"
"""Prefixes of the names of tenants' bridges; the kernel takes 15 characters."""
NAME_DIGITS: Final = 10
ONWARDS: Final = "GPU-MARKET-ONWARDS"
"""The chain for forwarded traffic."""
INWARDS: Final = "GPU-MARKET-INWARDS"
"""The chain for traffic to the machine itself."""
ENGINES: Final = "DOCKER-USER"
"""The engine's chain for rules of the machine's user."""
OWN: Final = re.compile(rf"(-A|-N|-j) ({ONWARDS}|{INWARDS})\b|^-A FORWARD -j {ENGINES}$")
"""Lines of `iptables -S` that are the agent's, and those that lead to them."""
ANSWERS: Final = "-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN"
MAIL_PORTS: Final = (25, 465, 587)
NAME_SERVER_PORT: Final = 53
RESOLVERS: Final = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))
"""The machine's name servers. If systemd-resolved is the only one in the first file, the engine uses those in the
second.
"""
OF_VERSION: Final = {4: "iptables", 6: "ip6tables"}
IPV6: Final = Path("/proc/net/if_inet6")


def parse_network(text: str) -> Network:
    """A network such as 10.1.2.0/24, or one address. HostConfigurationError."""
    try:
        return ip_network(text)
    except ValueError as error:
        raise HostConfigurationError(f"{text!r} is not a network: {error}", "Write one such as 10.1.2.0/24.") from None


@dataclass(frozen=True, slots=True)
class Egress:
    """Networks that tenants may reach; with `is_open` only the machine's own firewall limits them."""

    allowed: Sequence[Network] = ()
    """Private networks that they may reach, on any port."""
    is_open: bool = False

    def bridge_of(self, listing: Pubkey) -> str:
        """The name of the bridge of a listing's tenants."""
        return (OPEN if self.is_open else GUARDED) + sha256(bytes(listing)).hexdigest()[:NAME_DIGITS]

    async def require_firewall(self) -> None:
        """Raises HostConfigurationError if the rules cannot be set."""
        if self.is_open:
            return
        for command in _commands().values():
            try:
                await _run(command, "--wait", "-S")
            except MachineFault as error:
                raise HostConfigurationError(
                    f"Tenants cannot be isolated from this machine's networks. {error.message}",
                    "Install iptables, and run as root or with the capability CAP_NET_ADMIN; or pass --open-egress if "
                    "your own firewall isolates them.",
                ) from error

    async def enforce(self) -> None:
        """Sets the rules of both families, each in one step; safe to repeat. MachineFault."""
        if self.is_open:
            return
        for version, command in _commands().items():
            # Without --noflush it drops every other rule of the machine.
            await _run(f"{command}-restore", "--noflush", "--wait", given="\n".join(self._rules(version)) + "\n")
            for hook, chain in ((await _forwarding(command), ONWARDS), ("INPUT", INWARDS)):
                jump = (hook, "-i", f"{GUARDED}+", "-j", chain)
                if not await _succeeds(command, "--wait", "-C", *jump):
                    # At the head: a rule before it might accept the packet.
                    await _run(command, "--wait", "-I", *jump)

    async def rules(self) -> Sequence[str]:
        """The rules as the kernel has them now, in order. MachineFault."""
        if self.is_open:
            return ()
        found = []
        for command in _commands().values():
            told = await _run(command, "--wait", "-S")
            found += [f"{command} {line}" for line in told.splitlines() if OWN.search(line)]
        return found

    def _rules(self, version: int) -> Iterator[str]:
        yield "*filter"
        # A line of this form makes a chain, or empties it: so the rules change in one step.
        yield f":{ONWARDS} - [0:0]"
        yield f":{INWARDS} - [0:0]"
        for chain in (ONWARDS, INWARDS):
            yield f"-A {chain} {ANSWERS}"
            for network in self.allowed:
                if network.version == version:
                    yield f"-A {chain} -d {network} -j RETURN"
        if version == 6:
            # IPv6 finds its neighbours by ICMP, the bridge itself among them.
            yield f"-A {INWARDS} -p ipv6-icmp -j RETURN"
        for resolver in _resolvers(version):
            for protocol in ("udp", "tcp"):
                yield f"-A {ONWARDS} -d {resolver} -p {protocol} --dport {NAME_SERVER_PORT} -j RETURN"
        for port in MAIL_PORTS:
            yield f"-A {ONWARDS} -p tcp --dport {port} -j REJECT"
        for network in (*PRIVATE, *CARRIED, SITE_LOCAL):
            if network.version == version:
                yield f"-A {ONWARDS} -d {network} -j REJECT"
        yield f"-A {INWARDS} -j REJECT"
        yield "COMMIT"


def _commands() -> Mapping[int, str]:
    """Commands that set the rules, for each IP version of the machine."""
    # ip6tables fails where the kernel was started without IPv6.
    return OF_VERSION if IPV6.exists() else {4: OF_VERSION[4]}


def _resolvers(version: int) -> Iterator[str]:
    """The machine's name servers, which the engine queries from a container's network."""
    lines = [line for file in RESOLVERS if file.exists() for line in file.read_text().splitlines()]
    named = (words[1] for words in map(str.split, lines) if len(words) > 1 and words[0] == "nameserver")
    # A link-local name server has a zone, as in fe80::1%eth0.
    found = (ip_address(name.partition("%")[0]) for name in named)
    yield from dict.fromkeys(str(address) for address in found if address.version == version)


async def _forwarding(command: str) -> str:
    """The chain for forwarded traffic: the engine's chain for user rules if the kernel asks it; it comes first."""
    if await _succeeds(command, "--wait", "-C", "FORWARD", "-j", ENGINES):
        return ENGINES
    return "FORWARD"


async def _succeeds(*command: str) -> bool:
    status, _ = await _result(command, "")
    return status == 0


async def _run(*command: str, given: str = "") -> str:
    status, said = await _result(command, given)
    if status != 0:
        raise MachineFault(f"The firewall cannot be read or set: {said.strip()}", "Check `iptables -S`.")
    return said


async def _result(command: Sequence[str], given: str) -> tuple[int, str]:
    try:
        return await run(*command, given=given)
    except OSError as error:
        raise MachineFault(f"{command[0]} cannot be run: {error}", "Install it, or pass --open-egress.") from error
