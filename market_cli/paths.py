"""Files and directories of the command line, by the XDG base directory specification."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "gpu-market"
SERVICE_DIRECTORY = Path("/var/lib/gpu-market/host")
"""Directory of an agent that systemd runs by the shipped unit."""


def config_file() -> Path:
    """Settings: ~/.config/gpu-market/config.toml, or the file that GPU_MARKET_CONFIG names."""
    if named := os.environ.get("GPU_MARKET_CONFIG"):
        return Path(named)
    return _base("XDG_CONFIG_HOME", ".config") / NAME / "config.toml"


def template_directory() -> Path:
    """Saved order templates."""
    return _base("XDG_CONFIG_HOME", ".config") / NAME / "templates"


def wallet_file() -> Path:
    """The default wallet of `gpu-market wallet new`."""
    return _base("XDG_CONFIG_HOME", ".config") / NAME / "wallet.json"


def sign_in_file() -> Path:
    """Tokens of the sign-in to the market's API."""
    return _base("XDG_CONFIG_HOME", ".config") / NAME / "sign-in.json"


def seal_key_file() -> Path:
    """The seal key of a host's orders."""
    return _base("XDG_CONFIG_HOME", ".config") / NAME / "seal.key"


def host_directory() -> Path:
    """The machine's SSH key, and locks of its listings."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "host"


def agent_directory(given: Path | None) -> Path:
    """The directory of this machine's agent: the given one, the shipped unit's, or the user's own."""
    if given is not None:
        return given
    return SERVICE_DIRECTORY if SERVICE_DIRECTORY.exists() else host_directory()


def local_market_directory() -> Path:
    """Chain, index and keys of the local market: ~/.local/share/gpu-market/localnet."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "localnet"


def running_file() -> Path:
    """File in which a running `gpu-market up` records its services."""
    return _base("XDG_STATE_HOME", ".local/state") / NAME / "running.json"


def order_directory() -> Path:
    """Private keys of this computer's orders, which open hosts' sealed connections, and orders that wait for a host."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "orders"


def job_ssh_directory() -> Path:
    """Files that OpenSSH needs for each job: its key and its machine's key."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "ssh"


def ssh_config_file() -> Path:
    """Hosts of running jobs, for ~/.ssh/config to include."""
    return _base("XDG_CONFIG_HOME", ".config") / NAME / "ssh_config"


def carried_directory() -> Path:
    """Workspaces of lost machines, in transit to others."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "carried"


def job_names_file() -> Path:
    """Names of jobs on this computer."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "jobs.json"


def upload_directory() -> Path:
    """Keys of the buffers of unfinished program uploads."""
    return _base("XDG_DATA_HOME", ".local/share") / NAME / "uploads"


def solana_key_file() -> Path:
    """The wallet of Solana's own command line."""
    return Path.home() / ".config" / "solana" / "id.json"


def _base(variable: str, fallback: str) -> Path:
    configured = os.environ.get(variable, "")
    if Path(configured).is_absolute():
        return Path(configured)
    return Path.home() / fallback
