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


class BadJobFile(GpuMarketError):
    """A job file, or its file of variables, that cannot be used."""

    default_remedy = "Correct the named line; `gpu-market run --help` lists the keys."


class SignInNeeded(GpuMarketError):
    """The wallet is not signed in to the market's API."""

    default_remedy = "Sign in: `gpu-market sign-in`."


class NoApi(GpuMarketError):
    """No market API is configured to send orders to hosts."""

    default_remedy = "Configure one: `gpu-market config set api_url URL`."


class NotebookSilent(GpuMarketError):
    """A job's Jupyter does not answer."""

    default_remedy = "Check its output: `gpu-market logs JOB`. The image must start Jupyter, and have Python."


class ModelSilent(GpuMarketError):
    """A job's model does not answer."""

    default_remedy = "Check its output: `gpu-market logs JOB`; then `gpu-market endpoint JOB` waits again."


class MachineLost(GpuMarketError):
    """A job's machine cannot be reached, or is lost."""

    default_remedy = "Check that it runs: `gpu-market job JOB`; `gpu-market stop JOB --issue unreachable` reports it."


class SignsItself(GpuMarketError):
    """A command that must sign itself, so that --unsigned does not work."""

    default_remedy = "Run it without --unsigned, with a key file (--keypair)."
