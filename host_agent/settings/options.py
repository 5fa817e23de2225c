"""Settings of a host's agent; `gpu-market host run` has a flag for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from anchor_client.service.errors import BadSetting
from anchor_client.service.setting_kinds import (
    COUNT,
    FILE,
    HOST,
    LIST,
    PORT,
    SWITCH,
    TEXT,
    URL_OF_ANY_SCHEME,
    integer,
    number,
)
from anchor_client.service.settings import PREFIX, REQUIRED, ServiceSettings, setting

MACHINE: Final = "Machine"
ORDERS: Final = "Orders"
BACKGROUND: Final = "Background job"


@dataclass(frozen=True, kw_only=True)
class HostOptions(ServiceSettings):
    """An operator's choices, as written; an agent's own settings follow from them."""

    SECTION: ClassVar[str] = "host"
    PREFIX: ClassVar[str] = f"{PREFIX}HOST_"

    address: str = setting(REQUIRED, HOST)
    """Host name or IP address through which renters reach this machine; required."""
    listing: tuple[str, ...] = setting((), LIST, shown="your only one, or the one served last")
    """Listing on this machine, with its GPUs if they are split: `ADDRESS=0,1`; repeatable."""
    owner: str | None = setting(None, TEXT, shown="this key's")
    """Host's wallet, which is paid, if this key only operates."""
    seal_key: Path | None = setting(None, FILE, shown="~/.config/gpu-market/seal.key")
    """Key file written by `gpu-market host register`."""
    state_dir: Path | None = setting(None, FILE, shown="~/.local/share/gpu-market/host")
    """Directory for the machine's SSH key and certificate, and renters' workspaces."""
    heartbeat: float | None = setting(None, number(least=1), shown="three quarters of the market's allowed silence")
    """Seconds between heartbeats, a transaction each."""
    settle: int | None = setting(None, COUNT, shown="once its fee is 0.02 % of it")
    """Seconds of earnings per payout, a transaction each."""
    sol_usd: str = setting("200", TEXT)
    """Dollars per SOL for pacing settlements, used while the market has no price for SOL."""
    metrics_port: int | None = setting(None, PORT)
    """Port that serves metrics for Prometheus."""
    metrics_host: str = setting("127.0.0.1", TEXT)
    """Address of that port; any other address exposes earnings and the wallet's SOL to those who can reach it."""
    gpus: str = setting("all", TEXT, MACHINE)
    """GPUs to use: all, none, or indices such as 0,1."""
    device: tuple[str, ...] = setting((), LIST, MACHINE)
    """Path under `/dev` to pass through; repeatable."""
    first_port: int = setting(20000, integer(1, 65535), MACHINE)
    """First port open to renters; each listing uses eight: SSH, the forwarded ports, and the browser terminal."""
    ports: tuple[str, ...] = setting((), LIST, MACHINE, shown="all from `first_port` on")
    """Range of ports that are open to renters, such as `20000-20063`; repeatable. Each listing uses the next eight."""
    bind: str = setting("0.0.0.0", TEXT, MACHINE)
    """IP address to listen on."""
    tls_certificate: Path | None = setting(None, FILE, MACHINE, shown="self-signed")
    """File with a certificate for `address` and its chain, for HTTP ports and the terminal; reread when it changes."""
    tls_key: Path | None = setting(None, FILE, MACHINE)
    """File with the private key of the certificate."""
    memory_gb: int | None = setting(None, COUNT, MACHINE, shown="as listed")
    """Memory limit of an order."""
    shared_memory_gb: int = setting(8, COUNT, MACHINE, flag="--shm-gb")
    """Size of `/dev/shm`."""
    cpus: float | None = setting(None, number(least=0.1), MACHINE, shown="as listed")
    """CPU limit of an order."""
    disk_gb: int | None = setting(None, COUNT, MACHINE, shown="as listed")
    """[disk limit](host.md#the-agent) of an order."""
    open_egress: bool = setting(False, SWITCH, MACHINE)
    """Set no firewall rules: orders also reach this machine, private networks and mail servers."""
    allow_egress: tuple[str, ...] = setting((), LIST, MACHINE)
    """Private network that orders may reach, such as `10.1.2.0/24`; repeatable."""
    engine: str | None = setting(None, URL_OF_ANY_SCHEME, MACHINE, shown="docker's")
    """URL of Docker's socket."""
    wipe_command: str = setting("", TEXT, MACHINE)
    """Runs on this machine after each tenant's data is wiped; must succeed before the next order is taken."""
    keep_images: bool = setting(False, SWITCH, MACHINE)
    """Leave tenants' images in the cache."""
    keep_gb: int = setting(50, COUNT, MACHINE)
    """Maximum total disk, in GiB, for renters' [workspaces](host.md#workspaces) between their rentals."""
    max_image_gb: float | None = setting(None, number(least=0.001), ORDERS, shown="the listed disk size")
    """Largest image of an order, unpacked."""
    pull_timeout: str = setting("30m", TEXT, ORDERS)
    """Longest time to fetch an image."""
    registry: tuple[str, ...] = setting((), LIST, ORDERS, shown="any")
    """Registry that images may come from, such as `docker.io`; repeatable."""
    runtime: str | None = setting(None, TEXT, ORDERS, shown="the engine's")
    """The engine's runtime for orders, such as `runsc` (gVisor) or `kata-runtime`."""
    block: tuple[str, ...] = setting((), LIST, ORDERS)
    """Renter whose orders are refused; repeatable."""
    block_file: Path | None = setting(None, FILE, ORDERS)
    """File of blocked wallets, one on each line; reread for each order."""
    abuse_contact: str | None = setting(None, TEXT, ORDERS)
    """Address for renters' abuse reports; shown with the connection."""
    background_image: str | None = setting(None, TEXT, BACKGROUND)
    """Image of your own job, which runs while the machine is not rented."""
    background_command: str | None = setting(None, TEXT, BACKGROUND)
    """Its shell command."""
    background_env: tuple[str, ...] = setting((), LIST, BACKGROUND, secret=True, flag="--background-env")
    """Its environment variables, as `NAME=VALUE`; repeatable."""

    def require_consistent(self) -> None:
        """Requires both files of a certificate, and an image for a background job. BadSetting."""
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise BadSetting(
                "A certificate needs its key, and a key its certificate", "Give both: --tls-certificate and --tls-key."
            )
        if self.background_image is None and (self.background_command or self.background_env):
            raise BadSetting("The background job has no image", "Add --background-image.")
