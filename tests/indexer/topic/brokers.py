"""Kafka brokers of the test's own, which `scripts/kafka.sh` fetches."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

SCRIPT = Path(__file__).parents[3] / "scripts/kafka.sh"
CLUSTER_ID = "Z3B1LW1hcmtldC10ZXN0cw"
JAVA = ("java", "-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
PROPERTIES = """
process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
log.dirs={folder}
auto.create.topics.enable=false
default.replication.factor={copies}
min.insync.replicas={in_sync}
offsets.topic.replication.factor={copies}
offsets.topic.num.partitions=1
transaction.state.log.replication.factor={copies}
transaction.state.log.min.isr={in_sync}
group.initial.rebalance.delay.ms=0
group.consumer.min.session.timeout.ms=1000
group.consumer.session.timeout.ms=3000
group.consumer.min.heartbeat.interval.ms=500
group.consumer.heartbeat.interval.ms=500
"""
answers = Retrying(
    retry=retry_if_exception_type(KafkaException), stop=stop_after_delay(PATIENCE), wait=wait_fixed(0.2), reraise=True
)


@cache
def jars() -> Path:
    """Folder of the jars; skips where they cannot be had, and fails instead in CI."""
    done = subprocess.run(["bash", str(SCRIPT)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Path(done.stdout.strip())
    if os.environ.get("CI") == "true":
        pytest.fail(done.stderr)
    pytest.skip("Kafka cannot be fetched")


class Brokers:
    """A cluster of brokers, each a controller too. All end with the block."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folder = folder
        first = free_ports(2 * count)
        self._ports = [first + 2 * node for node in range(count)]
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._count = count

    @property
    def servers(self) -> str:
        """Addresses for a client to begin with."""
        return ",".join(f"127.0.0.1:{port}" for port in self._ports)

    def format(self) -> None:
        """Makes the files of every broker."""
        voters = ",".join(f"{node}@127.0.0.1:{port + 1}" for node, port in enumerate(self._ports))
        for node, port in enumerate(self._ports):
            home = self._folder / str(node)
            home.mkdir()
            copies, in_sync = min(3, self._count), max(1, min(3, self._count) - 1)
            names = {"node": node, "voters": voters, "port": port, "controller": port + 1}
            text = PROPERTIES.format(**names, folder=home / "data", copies=copies, in_sync=in_sync)
            (home / "server.properties").write_text(text)
            self._run(node, "kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER_ID, "--config").wait(PATIENCE)

    def start(self, node: int) -> None:
        """Starts a broker, on the files that it has."""
        self._running[node] = self._run(node, "kafka.Kafka")

    def kill(self, node: int) -> None:
        """Ends a broker at once: kill -9."""
        process = self._running.pop(node)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)

    def wait(self) -> None:
        """Waits until every broker that was started answers."""
        admin = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

        def know_all() -> None:
            if len(admin.list_topics(timeout=2).brokers) < len(self._running):
                raise KafkaException

        answers(know_all)

    def stop(self) -> None:
        """Ends all."""
        for node in list(self._running):
            self.kill(node)

    def _run(self, node: int, *command: str) -> subprocess.Popen[bytes]:
        home = self._folder / str(node)
        with (home / "out.log").open("ab") as out:
            line = [*JAVA, "-cp", f"{jars()}/*", *command, str(home / "server.properties")]
            return subprocess.Popen(line, stdout=out, stderr=out, cwd=home)


@contextmanager
def brokers(folder: Path, count: int = 1) -> Iterator[Brokers]:
    """Running brokers with replication over all of them."""
    running = Brokers(folder, count)
    try:
        running.format()
        for node in range(count):
            running.start(node)
        running.wait()
        yield running
    finally:
        running.stop()
