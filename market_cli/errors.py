"""Errors of the command line, each with a one-line message and a remedy."""

from __future__ import annotations

from anchor_client.errors import GpuMarketError


class BadDuration(GpuMarketError):
    """A malformed duration."""

    default_remedy = "Write seconds, or a number with s, m, h or d: 3600, 90m, 1h30m, 7d."


class BadAmount(GpuMarketError):
    """A malformed amount of money."""

    default_remedy = "Write a decimal number without a unit, with no more decimal places than the token has."


class BadOption(GpuMarketError):
    """A malformed option value."""

    default_remedy = "See `gpu-market COMMAND --help`."


class BadConfiguration(GpuMarketError):
    """An unusable configuration file."""

    default_remedy = "Correct the named line, or set it again with `gpu-market config set KEY VALUE`."


class NoApi(GpuMarketError):
    """No market API is configured to send orders to hosts."""

    default_remedy = "Configure one: `gpu-market config set api_url URL`."


class NotLocal(GpuMarketError):
    """The command only works on a local market."""

    default_remedy = "Start one with `gpu-market up`, and omit --rpc and --cluster."


class AlreadyRunning(GpuMarketError):
    """A local market is already running."""

    default_remedy = "Use it, stop it with Ctrl-C in its terminal, or start another with --data and --port."


class PortTaken(GpuMarketError):
    """A port is in use."""

    default_remedy = "Free it, or choose another with --port or --rpc-port."


class StartFailed(GpuMarketError):
    """A part of the local market failed to start, or stopped."""

    default_remedy = "Run with --verbose for details; --reset starts with an empty market."


class Disagreement(GpuMarketError):
    """Chain, SQL and API disagree on amounts."""

    default_remedy = "Check the API's /health; `gpu-market up --reset` starts with an empty market."
