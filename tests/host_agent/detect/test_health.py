"""Health of GPUs by a made-up nvidia-smi and a made-up log of the kernel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from solders.pubkey import Pubkey
from structlog.testing import capture_logs

from host_agent.detect.health import MachineHealth, gpu_health
from host_agent.detect.kernel_log import RECENT_SECONDS, SEVERE, severe_xids
from host_agent.detect.load import GpuLoad, watched_load
from host_agent.listings import health_watch
from host_agent.listings.health_watch import HealthWatch
from tests.host_agent.detect.test_gpus import install
from tests.indexer.service import until

SMI: Final = """#!/usr/bin/env python3
import json, pathlib, sys
told = json.loads((pathlib.Path(__file__).parent / "told.json").read_text())
names = sys.argv[1].removeprefix("--query-gpu=").split(",")
unknown = [name for name in names if any(name not in gpu for gpu in told)]
if unknown:
    print(f'Field "{unknown[0]}" is not a valid field to query.')
    sys.exit(2)
for gpu in told:
    print(", ".join(gpu[name] for name in names))
"""
SOUND: Final = {
    **{"index": "0", "uuid": "GPU-aaaa1111", "pci.bus_id": "00000000:01:00.0", "temperature.gpu": "41"},
    **{"pcie.link.width.current": "16", "pcie.link.width.max": "16", "ecc.errors.uncorrected.volatile.total": "0"},
    **{"remapped_rows.pending": "No", "remapped_rows.failure": "No", "retired_pages.pending": "[N/A]"},
    **{
        f"clocks_throttle_reasons.{reason}": "Not Active"
        for reason in ("hw_thermal_slowdown", "hw_power_brake_slowdown")
    },
    **{"pcie.link.gen.current": "1", "pcie.link.gen.max": "5", "clocks.sm": "210", "clocks.max.sm": "1980"},
}
OTHER: Final = SOUND | {"index": "1", "uuid": "GPU-bbbb2222", "pci.bus_id": "00000000:41:00.0"}
RECORD: Final = "4,{number},{microseconds},-;NVRM: Xid (PCI:0000:01:00): {xid}, pid=7, name=python3, what it says\n"
NOW: Final = 2.0 * RECENT_SECONDS


class Gpus:
    """Reports of the driver and the kernel."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._told = folder / "bin/told.json"
        self.log = folder / "kmsg"
        self.log.touch()
        install(folder / "bin", SMI, monkeypatch)

    def tell(self, *gpus: dict[str, str]) -> None:
        self._told.write_text(json.dumps(gpus))

    async def health(self, *names: str) -> MachineHealth:
        return await gpu_health(names or ("all",), self.log)


@pytest.fixture
def gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gpus:
    made = Gpus(tmp_path, monkeypatch)
    made.tell(SOUND, OTHER)
    return made


async def test_health__sound_gpus__have_no_faults(gpus: Gpus) -> None:
    health = await gpus.health()
    assert [gpu.bus for gpu in health.gpus] == ["0000:01:00.0", "0000:41:00.0"]
    assert health.faults == [] and health.reads_log and health.gpus[0].number("temperature.gpu") == 41


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"ecc.errors.uncorrected.volatile.total": "3"}, "3 uncorrectable memory errors"),
        ({"ecc.errors.uncorrected.volatile.total": "[N/A]"}, None),
        ({"remapped_rows.pending": "Yes"}, "waits for a reset"),
        ({"remapped_rows.failure": "Yes", "remapped_rows.pending": "Yes"}, "replace it"),
        ({"retired_pages.pending": "Yes"}, "waits for a reset"),
        ({"pcie.link.width.current": "8"}, "8 of 16 lanes"),
        ({"pcie.link.width.current": "[N/A]"}, None),
        ({"temperature.gpu": "90"}, "90 °C"),
        ({"temperature.gpu": "89"}, None),
        ({"temperature.gpu": "[Unknown Error]"}, "Unknown Error"),
        ({"clocks_throttle_reasons.hw_thermal_slowdown": "Active"}, "against heat"),
        ({"clocks_throttle_reasons.hw_power_brake_slowdown": "Active"}, "power cables"),
    ],
)
async def test_health__fault__is_named_with_its_gpu(gpus: Gpus, changes: dict[str, str], told: str | None) -> None:
    gpus.tell(SOUND | changes, OTHER)
    faults = (await gpus.health()).faults
    assert len(faults) == (told is not None) and all(each.startswith("GPU 0000:01:00.0: ") for each in faults)
    assert told is None or told in faults[0]
    assert (await gpus.health("1")).faults == (await gpus.health("GPU-bbbb")).faults == []


async def test_health__driver_without_a_field__tells_the_others(gpus: Gpus) -> None:
    known = {name: value for name, value in SOUND.items() if not name.startswith("remapped_rows")}
    gpus.tell(known | {"pcie.link.width.current": "4"})
    [fault] = (await gpus.health()).faults
    assert "4 of 16 lanes" in fault


async def test_health__toolkit_that_an_image_escapes_by__is_a_fault_of_the_machine(gpus: Gpus, tmp_path: Path) -> None:
    toolkit = tmp_path / "bin/nvidia-ctk"
    for version, count in (("1.17.7", 1), ("1.17.8", 0)):
        toolkit.write_text(f"#!/bin/sh\necho NVIDIA Container Toolkit CLI version {version}\n")
        toolkit.chmod(0o755)
        health = await gpus.health()
        assert len(health.faults) == count and not any(gpu.faults for gpu in health.gpus)


async def test_health__no_driver_or_no_log__is_unknown(
    gpus: Gpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus.log.unlink()
    assert not (await gpus.health()).reads_log
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await gpus.health()).gpus == []


def record(xid: int, age: float = 1.0) -> str:
    return RECORD.format(number=7, microseconds=int((NOW - age) * 1e6), xid=xid)


@pytest.mark.parametrize("xid", SEVERE)
def test_xids__severe_one__counts_for_a_day(gpus: Gpus, xid: int) -> None:
    gpus.log.write_text("6,1,5,-;other text\n SUBSYSTEM=pci\n" + record(13) + record(xid) + record(xid) + record(31))
    found = severe_xids(gpus.log, NOW)
    assert found is not None and [(each.slot, each.number) for each in found] == [("0000:01:00", xid)]
    gpus.log.write_text(record(xid, RECENT_SECONDS + 1))
    assert severe_xids(gpus.log, NOW) == []


async def test_health__xid_of_a_gpu__is_its_fault_alone(gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host_agent.detect.kernel_log.time.monotonic", lambda: NOW)
    gpus.log.write_text(record(79))
    [fault] = (await gpus.health()).faults
    assert fault.startswith("GPU 0000:01:00.0: Xid 79: it has fallen off the bus")
    assert (await gpus.health("1")).faults == []


async def test_watch__fault_comes_and_goes__is_logged_once_each(gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    async def health(names: Any) -> MachineHealth:
        return await gpu_health(names, gpus.log)

    monkeypatch.setattr(health_watch, "gpu_health", health)
    watch = HealthWatch(Pubkey.new_unique(), ("all",), interval=0)
    with capture_logs() as logs:
        for told in (SOUND, SOUND | {"temperature.gpu": "95"}, SOUND | {"temperature.gpu": "95"}, SOUND):
            gpus.tell(told)
            await watch.look()
            assert bool(watch.faults) is (told is not SOUND)
    assert [each["event"] for each in logs] == ["gpus_unhealthy", "gpus_healthy"]


async def test_watch__looked_just_now_or_has_no_gpus__asks_nobody(gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = HealthWatch(Pubkey.new_unique(), ("all",))
    with capture_logs():
        await watch.look()
    monkeypatch.setattr(health_watch, "gpu_health", None)
    await watch.look()
    await HealthWatch(Pubkey.new_unique(), ()).look()


async def test_load__looks_again_and_again__keeps_the_highest(gpus: Gpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host_agent.detect.load.SECONDS", 0.0)
    async with watched_load(("0",)) as seen:

        async def looked() -> bool:
            return bool(seen)

        await until(looked)
    assert [str(each) for each in seen.values()] == ["PCIe 1.0 of 5.0, 210 of 1980 MHz, 41 °C"]
    load = GpuLoad("0000:01:00.0")
    for told in (["1", "5", "210", "1980", "41"], ["5", "5", "990", "1980", "70"], ["1", "5", "210", "1980", "60"]):
        load.take(told)
    assert load.is_full and str(load) == "PCIe 5.0 of 5.0, 990 of 1980 MHz, 70 °C"
    for told in (["4", "5", "1980", "1980", "[N/A]"], ["5", "5", "989", "1980", "70"]):
        lower = GpuLoad("0000:01:00.0")
        lower.take(told)
        assert not lower.is_full
