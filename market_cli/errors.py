"""What can be wrong with a command line; each has one clear line and a remedy, and ends with exit code 2."""

from __future__ import annotations

from anchor_client.errors import GpuMarketError


class BadDuration(GpuMarketError):
    """A duration is not written as one."""

    default_remedy = "Write seconds, or a number with s, m, h or d: 3600, 90m, 1h30m, 7d."


class BadAmount(GpuMarketError):
    """An amount of money is not written as one."""

    default_remedy = "Write a decimal number without a unit, with no more places than the token has."


class BadOption(GpuMarketError):
    """An option's value has the wrong form."""

    default_remedy = "See `gpu-market COMMAND --help`."


class BadConfiguration(GpuMarketError):
    """The configuration file cannot be used."""

    default_remedy = "Correct the named line, or set it again with `gpu-market config set KEY VALUE`."


class NoApi(GpuMarketError):
    """No API of the market is known that would take an order to its host."""

    default_remedy = "Name the market's API: `gpu-market config set api_url URL`."


class NotLocal(GpuMarketError):
    """The command works on a local market only."""

    default_remedy = "Start one with `gpu-market up`, and leave --rpc and --cluster out."


class AlreadyRunning(GpuMarketError):
    """A local market is running already."""

    default_remedy = "Use it, stop it with Ctrl-C where it runs, or start another with --data and --port."


class PortTaken(GpuMarketError):
    """Something else listens on a port."""

    default_remedy = "Stop what uses it, or choose another with --port or --rpc-port."


class StartFailed(GpuMarketError):
    """A part of the local market did not start, or stopped by itself."""

    default_remedy = "Run with --verbose to see why; --reset starts from an empty market."


class Disagreement(GpuMarketError):
    """Chain, SQL and API do not show the same amounts."""

    default_remedy = "Look at /health of the API; `gpu-market up --reset` starts from an empty market."
