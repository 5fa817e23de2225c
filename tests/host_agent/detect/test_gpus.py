"""GPUs of a made-up PCI bus, with a made-up nvidia-smi on the path."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest

from host_agent.detect import nvidia_smi
from host_agent.detect.gpus import Gpus, find_gpus
from host_agent.errors import MachineFault

CASES: Final = Path(__file__).with_name("cases")
"""Machines: what their bus and NVIDIA's tool tell, what is offered, and what is left out with words of the reason."""
READ_CASES: Final = {file.stem: json.loads(file.read_text()) for file in sorted(CASES.glob("*.json"))}
SMI = """#!/bin/sh
case "$1" in
  --query-gpu=*)
    echo '00000000:01:00.0, 0x268410DE, NVIDIA GeForce RTX 4090, 24564, 570.86.15'
    echo '00000000:41:00.0, 0x2D0410DE, NVIDIA GeForce RTX 5060 Ti, 8151, 570.86.15' ;;
  *) echo '| NVIDIA-SMI 570.86.15   Driver Version: 570.86.15   CUDA Version: 12.8 |' ;;
esac
"""
LINK = {"max_link_width": "16", "max_link_speed": "16.0 GT/s PCIe"}


def plug(sys: Path, bus: str, **files: str) -> None:
    """Puts a device on the bus."""
    folder = sys / "bus/pci/devices" / bus
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")


def install(path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts an nvidia-smi on the path."""
    path.mkdir()
    (path / "nvidia-smi").write_text(script)
    (path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")


@pytest.fixture
def without_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


async def test_find_gpus__driver_and_bus__are_one_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", SMI, monkeypatch)
    plug(tmp_path, "0000:01:00.0", vendor="0x10de", device="0x2684", **{"class": "0x030000"}, **LINK)
    plug(tmp_path, "0000:41:00.0", vendor="0x10de", device="0x2d04", **{"class": "0x030200"}, max_link_width="8")
    found = await find_gpus(tmp_path)
    assert [(gpu.bus, gpu.model.slug, gpu.pcie_width, gpu.pcie_generation) for gpu in found.all] == [
        ("0000:01:00.0", "nvidia-rtx-4090-24gb", 16, 4),
        ("0000:41:00.0", "nvidia-rtx-5060-ti-8gb", 8, None),
    ]
    assert found.cuda == "12.8" and {gpu.driver for gpu in found.all} == {"570.86.15"}
    assert found.all[0].name == "NVIDIA GeForce RTX 4090"


@pytest.mark.usefixtures("without_driver")
async def test_find_gpus__no_driver__are_known_by_their_ids(tmp_path: Path) -> None:
    bus: Mapping[str, Mapping[str, str]] = {
        "0000:00:02.0": {"vendor": "0x8086", "device": "0x4680", "class": "0x030000"},
        "0000:03:00.0": {
            **{"vendor": "0x1002", "device": "0x744c", "revision": "0xcc", "class": "0x030000"},
            "mem_info_vram_total": str(20 * 2**30),
        },
        "0000:03:00.1": {"vendor": "0x1002", "device": "0xab30", "class": "0x040300"},
        "0000:04:00.0": {"vendor": "0x1002", "device": "0x74a1", "class": "0x120000"},
        "0000:05:00.0": {"vendor": "0x10de", "device": "0x2331", "class": "0x030200"},
        "0000:06:00.0": {"vendor": "0x10de", "device": "0x3ffe", "class": "0x030200"},
    }
    for place, files in bus.items():
        plug(tmp_path, place, **files)
    found = await find_gpus(tmp_path)
    assert [(gpu.model.slug, gpu.vram_gb) for gpu in found.all] == [
        ("amd-rx-7900-xt-20gb", 20),
        ("amd-mi300x-192gb", 192),
        ("nvidia-h100-pcie-80gb", 80),
        ("16382", 0),
    ]
    assert found.cuda is None


@pytest.mark.usefixtures("without_driver")
async def test_find_gpus__several_of_a_model__are_counted(tmp_path: Path) -> None:
    for slot in range(1, 5):
        plug(tmp_path, f"0000:0{slot}:00.0", vendor="0x10de", device="0x2684", **{"class": "0x030000"})
    [((model, vram), gpus)] = (await find_gpus(tmp_path)).by_model().items()
    assert (model.slug, vram, len(gpus)) == ("nvidia-rtx-4090-24gb", 24, 4)


async def test_find_gpus__driver_fails__is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(
        tmp_path / "bin",
        "#!/bin/sh\necho 'Failed to initialize NVML: Driver/library version mismatch'\nexit 18\n",
        monkeypatch,
    )
    with pytest.raises(MachineFault, match="version mismatch"):
        await find_gpus(tmp_path)


def answering(query: Sequence[str], banner: Sequence[str], status: int = 0) -> str:
    """An nvidia-smi that prints these lines."""
    rows, rest = ("\n".join(f"echo {shlex.quote(line)}" for line in lines) or ":" for lines in (query, banner))
    return f'#!/bin/sh\ncase "$1" in\n--query-gpu=*) {rows}\nexit {status} ;;\n*) {rest}\n;;\nesac\n'


async def found_in(case: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Gpus:
    """The GPUs of a case's machine; one without a status has no nvidia-smi."""
    if case["status"] is None:
        monkeypatch.setenv("PATH", str(folder))
    else:
        install(folder / "bin", answering(case["query"], case["banner"], case["status"]), monkeypatch)
    for bus, files in case["bus"].items():
        plug(folder, bus, **files)
    return await find_gpus(folder)


@pytest.mark.parametrize("told", READ_CASES.values(), ids=READ_CASES.keys())
async def test_find_gpus__machine_of_a_case__offers_what_can_be_used(
    told: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await found_in(told, tmp_path, monkeypatch)
    offered = [
        {"model": model.slug, "gpus": len(gpus), "vram_gb": vram} for (model, vram), gpus in found.by_model().items()
    ]
    assert offered == told["offered"]
    reasons = {gpu.bus or "": str(gpu) for gpu in found.left_out}
    assert reasons.keys() == told["left_out"].keys()
    assert all(words in reasons[bus] for bus, words in told["left_out"].items()), reasons


@pytest.mark.parametrize("has_driver", [True, False])
async def test_find_gpus__reserved_for_virtual_machines__is_left_out(
    has_driver: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_driver:
        install(tmp_path / "bin", SMI, monkeypatch)
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    driver = tmp_path / "bus/pci/drivers/vfio-pci"
    driver.mkdir(parents=True)
    for bus, vendor, device in (("0000:61:00.0", "0x10de", "0x2684"), ("0000:62:00.0", "0x1002", "0x744c")):
        plug(tmp_path, bus, vendor=vendor, device=device, revision="0xc8", **{"class": "0x030000"})
        (tmp_path / "bus/pci/devices" / bus / "driver").symlink_to(driver)
    found = await find_gpus(tmp_path)
    assert len(found.all) == 2 * has_driver
    assert [gpu.bus for gpu in found.left_out] == ["0000:61:00.0", "0000:62:00.0"]
    assert all("vfio-pci" in gpu.reason for gpu in found.left_out)


@pytest.mark.usefixtures("without_driver")
async def test_find_gpus__amd_gpu_that_its_driver_left_behind_or_that_is_split__is_left_out(tmp_path: Path) -> None:
    driver = tmp_path / "bus/pci/drivers/amdgpu"
    driver.mkdir(parents=True)
    for bus, mode in (("0000:03:00.0", "SPX"), ("0000:04:00.0", "CPX"), ("0000:05:00.0", "")):
        partition = {"current_compute_partition": mode} if mode else {}
        plug(tmp_path, bus, vendor="0x1002", device="0x74a1", **{"class": "0x120000"}, **partition)
        if mode:
            (tmp_path / "bus/pci/devices" / bus / "driver").symlink_to(driver)
    found = await find_gpus(tmp_path)
    assert [(gpu.bus, gpu.model.slug) for gpu in found.all] == [("0000:03:00.0", "amd-mi300x-192gb")]
    reasons = {gpu.bus: gpu.reason for gpu in found.left_out}
    assert "split (CPX)" in reasons["0000:04:00.0"] and "driver does not serve it" in reasons["0000:05:00.0"]


@pytest.mark.usefixtures("without_driver")
async def test_find_gpus__nvidia_gpu_of_a_driver_that_cannot_compute__is_left_out(tmp_path: Path) -> None:
    for bus, name in (("0000:03:00.0", "nouveau"), ("0000:04:00.0", "nvidia")):
        driver = tmp_path / "bus/pci/drivers" / name
        driver.mkdir(parents=True)
        plug(tmp_path, bus, vendor="0x10de", device="0x2331", **{"class": "0x030200"})
        (tmp_path / "bus/pci/devices" / bus / "driver").symlink_to(driver)
    found = await find_gpus(tmp_path)
    assert [gpu.bus for gpu in found.all] == ["0000:04:00.0"]
    assert [(gpu.bus, "nouveau" in gpu.reason) for gpu in found.left_out] == [("0000:03:00.0", True)]


async def test_find_gpus__driver_hangs__is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", "#!/bin/sh\nexec sleep 600\n", monkeypatch)
    monkeypatch.setattr(nvidia_smi, "SECONDS", 0.1)
    with pytest.raises(MachineFault, match="does not answer"):
        await find_gpus(tmp_path)


async def test_find_gpus__tool_ends_without_a_word__says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", "#!/bin/sh\nkill -SEGV $$\n", monkeypatch)
    with pytest.raises(MachineFault, match=r"nvidia-smi fails: exit code -11, without a word"):
        await find_gpus(tmp_path)


@pytest.mark.parametrize("number", ["9" * 400, "\u0663", "1" * 13])
async def test_find_gpus__memory_or_cuda_that_cannot_be__is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    install(tmp_path / "bin", SMI.replace("24564", number).replace("12.8", f"{number}.8"), monkeypatch)
    found = await find_gpus(tmp_path)
    assert [gpu.bus for gpu in found.all] == ["0000:41:00.0"] and found.cuda is None
    assert "its memory cannot be read" in found.left_out[0].reason


@pytest.mark.parametrize(
    ("memory", "share"), [("81559", Fraction(160, 164)), ("[N/A]", Fraction(2, 3))], ids=["by-memory", "by-number"]
)
async def test_share__small_gpu_for_the_console__has_little_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str, share: Fraction
) -> None:
    rows = [f"00000000:{bus}:00.0, 0x233010DE, NVIDIA H100 80GB HBM3, {memory}, 570.86.15" for bus in ("41", "81")]
    install(
        tmp_path / "bin",
        answering([*rows, "00000000:03:00.0, 0x1FF210DE, NVIDIA T400 4GB, 4096, 570.86.15"], []),
        monkeypatch,
    )
    found = await find_gpus(tmp_path)
    small, large = found.by_model().values()
    assert found.share_of(large) == share == 1 - found.share_of(small)
