"""An agent's settings from the operator's choices."""

from __future__ import annotations

import shlex

from anchor_client.orders import Workload
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import parse_address
from host_agent.block_list import BlockList
from host_agent.identity import OperatorCertificate
from host_agent.images.rules import GB, ImageRules
from host_agent.network.egress import Egress, parse_network
from host_agent.network.port_ranges import parse_ports
from host_agent.pace import HostPace
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import GIBIBYTE, ContainerLimits, Share, parse_gpus
from host_agent.settings.options import HostOptions
from market_cli.ordering.order_options import OrderOptions
from market_cli.ordering.orders import order_parts
from market_cli.paths import host_directory, seal_key_file
from market_cli.session import CliSession
from market_cli.units import micro_usd, parse_duration


def agent_settings(session: CliSession, options: HostOptions) -> AgentSettings:
    """The agent's settings. NoApi, WalletNeeded, BadKeyFile, BadAddress, BadAmount, BadDuration, BadOption."""
    api_url, whole = session.api_url, parse_gpus(options.gpus)
    return AgentSettings(
        rpc_url=options.rpc_url,
        rpc_rate=options.rpc_rate,
        ws_url=session.settings.ws_url,
        api_url=api_url,
        wallet=session.wallet,
        owner=parse_address(options.owner) if options.owner else None,
        seal_key=SealKey.load(options.seal_key or seal_key_file()),
        state_dir=options.state_dir or host_directory(),
        address=options.address,
        program_id=session.settings.program_id,
        shares=[Share.parse(text, whole) for text in options.listing],
        gpus=whole,
        first_port=options.first_port,
        ports=[parse_ports(text) for text in options.ports],
        bind=options.bind,
        engine_url=options.engine,
        certificate=_certificate(options),
        devices=options.device,
        background=_background(options),
        images=_images(options),
        runtime=options.runtime,
        blocked=BlockList(frozenset(map(parse_address, options.block)), options.block_file),
        abuse_contact=options.abuse_contact,
        wipe_command=shlex.split(options.wipe_command),
        keep_images=options.keep_images,
        keep_bytes=options.keep_gb * GIBIBYTE,
        egress=Egress(tuple(map(parse_network, options.allow_egress)), is_open=options.open_egress),
        metrics_port=options.metrics_port,
        metrics_host=options.metrics_host,
        pace=HostPace(options.heartbeat, options.settle, micro_usd(options.sol_usd)),
        limits=ContainerLimits(
            memory_bytes=None if options.memory_gb is None else options.memory_gb * GIBIBYTE,
            shared_memory_bytes=options.shared_memory_gb * GIBIBYTE,
            cpus=options.cpus,
            disk_bytes=None if options.disk_gb is None else options.disk_gb * GIBIBYTE,
        ),
    )


def _certificate(options: HostOptions) -> OperatorCertificate | None:
    """The operator's certificate, if one is named."""
    if options.tls_certificate is None or options.tls_key is None:
        return None
    return OperatorCertificate(options.tls_certificate, options.tls_key)


def _background(options: HostOptions) -> Workload | None:
    """The job that runs while no renter does, if there is one. BadOption."""
    if options.background_image is None:
        return None
    return order_parts(
        OrderOptions(image=options.background_image, command=options.background_command, env=[*options.background_env])
    )


def _images(options: HostOptions) -> ImageRules:
    """Rules for fetched images. BadDuration."""
    most = None if options.max_image_gb is None else round(options.max_image_gb * GB)
    return ImageRules(most, parse_duration(options.pull_timeout), options.registry)
