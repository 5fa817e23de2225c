"""A machine's own words over SSH, against a listing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import asyncssh
import pytest
from msgspec import structs

from anchor_client.connection import Connection
from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import find_gpu
from host_agent.detect.gpu_probe import GpuFigures, Probed
from market_cli.machine import questions
from market_cli.machine.check import SPEED_PERCENT, compare
from market_cli.machine.questions import NO_PYTHON, MachineAnswers, MachineUnreachable, ask
from tests.host_agent.detect.test_gpus import READ_CASES, found_in
from tests.processes.downloads import megabyte
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

ANSWERED: Final = json.loads(Path(__file__).with_name("cases").joinpath("verify_answers.json").read_text())
"""Answers of machines' tools, and the properties in which they are less than what is listed."""
PASSWORD = "between us"
SMI = """#!/bin/sh
case "$1" in
  --query-gpu=*) for gpu in 1 2; do echo 'NVIDIA H100 80GB HBM3, 81559, 570.86.15, 5, 16'; done ;;
  *) echo '| NVIDIA-SMI 570.1   Driver Version: 570.1   CUDA Version: 12.8 |' ;;
esac
"""
FIGURES: Final = GpuFigures(
    name="NVIDIA H100 80GB HBM3",
    bus="0000:0a:00.0",
    fp32_tflops=58.2,
    gemm_tflops=31.5,
    memory_gb_per_second=2_900,
    pcie_gb_per_second=52,
)
ANSWERS: Final = MachineAnswers(
    told={
        "gpus": "NVIDIA H100 80GB HBM3, 81559, 570.86.15, 5, 16;" * 2,
        "cuda": "12.8",
        **{"cores": "32", "ram": "264000000", "disk": "2000000000", "disk_speed": "900", "cpu_speed": "9000"},
    },
    figures=Probed([FIGURES, FIGURES]),
    up_mbps=900,
    down_mbps=900,
)
"""Answers of a machine that is as it is listed."""


class _Login(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return password == PASSWORD


async def pump(source: Any, target: Any) -> None:
    """All of one stream into another."""
    while part := await source.read(2**16):
        target.write(part)
        await target.drain()
    if isinstance(target, asyncio.StreamWriter):
        target.close()


@asynccontextmanager
async def machine(tools: Path) -> AsyncIterator[Connection]:
    """An SSH server whose commands run in a real shell that finds `tools` first; they end with the block."""
    running: dict[asyncio.Task[Any], int] = {}
    key = asyncssh.generate_private_key("ssh-ed25519")

    async def run(process: asyncssh.SSHServerProcess[bytes]) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda done: running.pop(done, None))
        path = f"{tools}:{os.environ['PATH']}"
        pipe = asyncio.subprocess.PIPE
        command = ["sh", "-c", process.command or ""]
        shell = await asyncio.create_subprocess_exec(
            *command, env={"PATH": path}, stdin=pipe, stdout=pipe, start_new_session=True
        )
        assert shell.stdin is not None and shell.stdout is not None
        running[task] = shell.pid
        feeding = asyncio.create_task(pump(process.stdin, shell.stdin))
        try:
            await pump(shell.stdout, process.stdout)
        except BrokenPipeError:  # who asked has hung up
            os.killpg(shell.pid, signal.SIGKILL)
            await shell.stdout.read()  # or the pipe stays open
        code = await shell.wait()
        feeding.cancel()
        await asyncio.wait([feeding])
        process.exit(code)

    server = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=_Login, server_host_keys=[key], process_factory=run, encoding=None
    )
    async with server:
        public = key.export_public_key().decode().strip()
        try:
            yield Connection(host="127.0.0.1", port=server.get_port(), user="root", password=PASSWORD, host_key=public)
        finally:
            for group in running.values():
                with suppress(ProcessLookupError):  # it has just ended
                    os.killpg(group, signal.SIGKILL)
            if running:
                await asyncio.wait(list(running))


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    smi = tmp_path / "nvidia-smi"
    smi.write_text(SMI)
    smi.chmod(0o755)
    return tmp_path


def listing(**changes: Any) -> Listing:
    model = find_gpu("nvidia-h100-sxm5-80gb")
    listed = {
        "gpu_model": model.id,
        "gpu_count": 2,
        "vram_gb": 80,
        "cpu_cores": 1,
        "ram_gb": 1,
        "disk_gb": 1,
        "disk_mbps": 1,
        "net_up_mbps": 1,
        "net_down_mbps": 1,
        "cuda": 1208,
    }
    return cast(Listing, SimpleNamespace(**listed | changes))


async def test_ask__machine_without_a_gpus_library__tells_and_measures_the_rest(tools: Path) -> None:
    with megabyte() as url:
        async with machine(tools) as connection:
            answers = await ask(connection, url)
    found = {each.what: each for each in compare(listing(), answers)}
    listed = ("GPU", "GPUs", "VRAM of each", "CPU cores", "RAM", "disk", "CUDA", "disk, written", "network, up")
    assert all(found[what].agrees for what in (*listed, "network, down", "download")), found
    assert (found["driver"].found, found["PCIe"].found) == ("570.86.15", "5.0 x16")
    assert int(answers.told["cpu_speed"]) > 0 and answers.up_mbps > 0 and answers.down_mbps > 0
    assert found["FP32 of each"].agrees is None and "libcuda" in found["FP32 of each"].found


async def test_ask__no_python__says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("sh", "cat", "head", "grep", "tr", "df", "tail", "awk", "mktemp", "dd", "rm", "sha256sum", "nproc"):
        (tmp_path / tool).symlink_to(next(filter(Path.exists, (Path("/bin") / tool, Path("/usr/bin") / tool))))
    monkeypatch.setenv("PATH", str(tmp_path))
    async with machine(tmp_path) as connection:
        answers = await ask(connection)
    assert answers.figures == Probed((), NO_PYTHON)
    found = {each.what: each.agrees for each in compare(listing(), answers)}
    assert {found[what] for what in ("GPU", "VRAM of each", "CUDA", "FP32 of each")} == {None}
    assert found["GPUs"] is False
    assert found["disk, written"] and int(answers.told["cpu_speed"]) > 0


def test_compare__machine_as_listed__is_less_in_nothing() -> None:
    found = compare(listing(), ANSWERS)
    assert [each.what for each in found if each.agrees is False] == []
    assert {each.what for each in found if each.agrees is None} == {
        *("driver", "PCIe", "GEMM of each", "VRAM speed of each", "PCIe speed of each", "CPU, SHA-256")
    }


@pytest.mark.parametrize(
    ("changes", "less"),
    [
        ({"gpu_model": find_gpu("nvidia-h200-sxm5-141gb").id}, "GPU"),
        ({"gpu_count": 3}, "GPUs"),
        ({"vram_gb": 141}, "VRAM of each"),
        ({"cpu_cores": 65_535}, "CPU cores"),
        ({"ram_gb": 10**6}, "RAM"),
        ({"disk_gb": 10**7}, "disk"),
        ({"cuda": 1300}, "CUDA"),
        ({"disk_mbps": 1_801}, "disk, written"),
    ],
)
def test_compare__less_than_listed__says_what(changes: dict[str, int], less: str) -> None:
    assert [each.what for each in compare(listing(**changes), ANSWERS) if each.agrees is False] == [less]


@pytest.mark.parametrize(
    ("devices", "measured", "found", "agrees"),
    [
        ("0", 2, "0 by device", False),
        ("1", 0, "1 by device", False),
        ("2", 0, "2 by device", True),
        ("", 0, "0 measured", False),
        ("", 1, "1 measured", False),
        ("", 2, "2 measured", True),
    ],
)
def test_compare__no_tool_names_the_gpus__goes_by_what_else_shows_them(
    devices: str, measured: int, found: str, agrees: bool
) -> None:
    told = {**ANSWERS.told, "gpus": "", "devices": devices}
    answers = replace(ANSWERS, told=told, figures=Probed([FIGURES] * measured, NO_PYTHON))
    [gpus] = [each for each in compare(listing(), answers) if each.what == "GPUs"]
    assert (gpus.found, gpus.agrees) == (found, agrees)


def row(name: str, memory: str = "24564") -> str:
    """A GPU, as the machine's tool tells it."""
    return f"{name}, {memory}, 570.86.15, 4, 16;"


@pytest.mark.parametrize(
    ("gpus", "figures"),
    [
        ("Failed to initialize NVML: Unknown Error;", "cuInit gives 999"),
        ("Failed to initialize NVML: Driver/library version mismatch;NVML library version: 570.86;", NO_PYTHON),
        ("No devices were found;", NO_PYTHON),
        (row("ERR!", "[Unknown Error]"), NO_PYTHON),
        (row("NVIDIA GeForce RTX 4090", "[GPU requires reset]"), NO_PYTHON),
        (row("[Unknown Error]"), NO_PYTHON),
        (row("NVIDIA GeForce RTX 4090"), "cuInit gives 802"),
        ("", "cuInit gives 100"),
    ],
)
def test_compare__gpu_that_cannot_be_used__is_less_however_many_devices_there_are(gpus: str, figures: str) -> None:
    found = compare(rtx_4090(), MachineAnswers(told={"gpus": gpus, "devices": "2"}, figures=Probed((), figures)))
    assert [each.what for each in found if each.agrees is False] == ["GPUs"]


@pytest.mark.parametrize("code", [34, 803, 804])
def test_compare__library_of_the_image_does_not_fit__proves_nothing(code: int) -> None:
    figures = Probed((), f"cuInit gives {code}")
    found = compare(rtx_4090(), MachineAnswers(told={"gpus": row("NVIDIA GeForce RTX 4090")}, figures=figures))
    assert [each.what for each in found if each.agrees is False] == []


@pytest.mark.parametrize(
    ("listed", "name", "is_it"),
    [
        ("nvidia-rtx-4090-24gb", "NVIDIA GeForce RTX 4090", True),
        ("nvidia-rtx-4090-24gb", "NVIDIA GeForce RTX 4090 D", False),
        ("nvidia-rtx-4090-d-24gb", "NVIDIA GeForce RTX 4090 D", True),
        ("nvidia-rtx-4090-24gb", "NVIDIA GeForce RTX 4090 Laptop GPU", False),
        ("nvidia-h200-sxm5-141gb", "NVIDIA H200", True),
        ("nvidia-h200-sxm5-141gb", "NVIDIA H200 NVL", False),
        ("nvidia-h200-nvl-141gb", "NVIDIA H200 NVL", True),
        ("nvidia-h100-sxm5-80gb", "NVIDIA H100 NVL", False),
        ("nvidia-h100-sxm5-80gb", "NVIDIA H100 PCIe", False),
        ("nvidia-a100-pcie-80gb", "NVIDIA A100-SXM4-80GB", False),
        ("nvidia-a100-sxm4-80gb", "NVIDIA A100-PCIE-40GB", False),
        ("nvidia-a100-sxm4-80gb", "NVIDIA A100-SXM4-80GB", True),
        ("nvidia-rtx-4070-ti-12gb", "NVIDIA GeForce RTX 4070", False),
        ("nvidia-rtx-2080-8gb", "NVIDIA GeForce RTX 2080 with Max-Q Design", False),
        (
            "nvidia-rtx-pro-6000-blackwell-workstation-96gb",
            "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
            False,
        ),
        (
            "nvidia-rtx-pro-6000-blackwell-max-q-96gb",
            "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
            True,
        ),
        ("nvidia-v100-sxm3-32gb", "Tesla V100-SXM2-32GB", False),
        ("nvidia-v100-sxm2-32gb", "Tesla V100-SXM2-32GB", True),
        ("nvidia-a100-sxm4-80gb", "A100-SXM-80GB", True),
        ("nvidia-a100-sxm4-80gb", "NVIDIA A100-SXM4-80GB MIG 1g.10gb", False),
        ("nvidia-rtx-2080-ti-11gb", "Something else", False),
        ("60000", "NVIDIA GeForce RTX 4090", False),
        ("60000", "NVIDIA New Thing", None),
    ],
)
def test_compare__name_among_all_models__is_the_listed_one_or_another(
    listed: str, name: str, is_it: bool | None
) -> None:
    offered = listing(gpu_model=find_gpu(listed).id, gpu_count=1, vram_gb=1)
    by_tool = MachineAnswers(told={"gpus": row(name)}, figures=Probed((), NO_PYTHON))
    by_library = MachineAnswers(told={}, figures=Probed([FIGURES.model_copy(update={"name": name})]))
    for answers in (by_tool, by_library):
        [found] = [each.agrees for each in compare(offered, answers) if each.what == "GPU"]
        assert found is is_it


@pytest.mark.parametrize(
    ("listed", "name", "memory", "is_it"),
    [
        ("nvidia-h20-96gb", "NVIDIA H20", "97871", True),
        ("nvidia-h20-96gb", "NVIDIA H20-3e", "143771", False),
        ("nvidia-h20-141gb", "NVIDIA H20-3e", "143771", True),
        ("nvidia-h20-141gb", "NVIDIA H20", "97871", False),
        ("nvidia-rtx-3080-10gb", "NVIDIA GeForce RTX 3080", "10240", True),
        ("nvidia-rtx-3080-10gb", "NVIDIA GeForce RTX 3080", "12288", False),
        ("nvidia-rtx-3080-12gb", "NVIDIA GeForce RTX 3080", "12288", True),
        ("nvidia-rtx-3080-12gb", "NVIDIA GeForce RTX 3080", "20480", True),
        ("nvidia-rtx-3080-12gb", "NVIDIA GeForce RTX 3080", "[N/A]", True),
        ("nvidia-rtx-2080-ti-11gb", "NVIDIA GeForce RTX 2080 Ti", "11264", True),
        ("nvidia-rtx-2080-ti-12gb", "NVIDIA GeForce RTX 2080 Ti", "11264", False),
        ("nvidia-rtx-2080-ti-11gb", "NVIDIA GeForce RTX 2080 Ti", "22528", True),
        ("nvidia-h100-sxm5-94gb", "NVIDIA H100", "95830", True),
        ("nvidia-h100-sxm5-96gb", "NVIDIA H100", "95830", False),
        ("nvidia-h100", "NVIDIA H100 80GB HBM2e", "81559", True),
    ],
)
def test_compare__models_of_one_name__are_told_apart_by_memory(
    listed: str, name: str, memory: str, is_it: bool
) -> None:
    offered = listing(gpu_model=find_gpu(listed).id, gpu_count=1, vram_gb=1)
    answers = MachineAnswers(told={"gpus": row(name, memory)}, figures=Probed((), NO_PYTHON))
    [found] = [each.agrees for each in compare(offered, answers) if each.what == "GPU"]
    assert found is is_it


@pytest.mark.parametrize("case", ANSWERED, ids=[each["case"] for each in ANSWERED])
def test_compare__answers_of_a_case__are_less_in_just_that(case: dict[str, Any]) -> None:
    model, count, vram = case["listed"]
    told = {name: case[name] for name in ("gpus", "devices") if name in case}
    answers = MachineAnswers(told=told, figures=Probed((), case.get("figures", NO_PYTHON)))
    found = compare(listing(gpu_model=find_gpu(model).id, gpu_count=count, vram_gb=vram), answers)
    assert [each.what for each in found if each.agrees is False] == case["less"]


@pytest.mark.parametrize("case", READ_CASES.values(), ids=READ_CASES.keys())
async def test_compare__gpu_that_detection_offers__passes_as_what_it_is_listed_as(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (await found_in(case, tmp_path, monkeypatch)).all:
        memory = "[N/A]" if each.vram_gib is None else str(round(each.vram_gib * 1_024))
        told = {"gpus": row(each.name or "", memory)} if each.driver else {"devices": "1"}
        offered = listing(gpu_model=each.model.id, gpu_count=1, vram_gb=each.vram_gb or 1)
        answers = MachineAnswers(told=told, figures=Probed((), NO_PYTHON))
        assert [finding for finding in compare(offered, answers) if finding.agrees is False] == []


def rtx_4090() -> Listing:
    """A listing of one RTX 4090."""
    return listing(gpu_model=find_gpu("nvidia-rtx-4090-24gb").id, gpu_count=1, vram_gb=24)


@pytest.mark.parametrize(("tflops", "agrees"), [(67 * SPEED_PERCENT / 100, True), (33.4, False)])
def test_compare__one_gpu_slower_than_its_model__is_a_fake(tflops: float, agrees: bool) -> None:
    slow = FIGURES.model_copy(update={"fp32_tflops": tflops})
    found = compare(listing(), replace(ANSWERS, figures=Probed([FIGURES, slow])))
    assert [each.agrees for each in found if each.what == "FP32 of each"] == [agrees]


def test_compare__slow_line_to_here__proves_nothing_and_a_slow_download_does() -> None:
    slow = replace(ANSWERS, up_mbps=1, down_mbps=1, download_mbps=400)
    found = {each.what: each.agrees for each in compare(listing(net_up_mbps=1_000, net_down_mbps=1_000), slow)}
    assert (found["network, up"], found["network, down"], found["download"]) == (None, None, False)


@pytest.mark.parametrize(
    "change",
    [
        lambda it: {"port": free_ports()},
        lambda it: {"password": "guessed"},
        lambda it: {"host_key": asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()},
    ],
)
async def test_verify__another_machine_or_none__is_not_believed(
    tools: Path, change: Callable[[Connection], dict[str, object]]
) -> None:
    async with machine(tools) as connection:
        with pytest.raises(MachineUnreachable):
            await ask(structs.replace(connection, **change(connection)))


@pytest.mark.parametrize("number", ["\u00b2", "\u0663", "9" * 5_000, "-1", "1e9", "0x10", " 7", "\ufeff7"])
def test_compare__what_is_no_number__is_unknown(number: str) -> None:
    words = ("devices", "cores", "ram", "disk", "disk_speed", "cpu_speed")
    rows = f"NVIDIA H100 80GB HBM3, 81559, 570, {number}, {number};NVIDIA H100 80GB HBM3, {number}, 570, 5, 16"
    told = {**dict.fromkeys(words, number), "gpus": rows, "cuda": f"{number}.{number}"}
    found = {each.what: each for each in compare(listing(), MachineAnswers(told=told, figures=Probed((), NO_PYTHON)))}
    assert {found[what].found for what in ("CPU cores", "RAM", "disk", "CUDA", "disk, written")} == {"unknown"}
    alone = {
        each.what: each for each in compare(listing(), MachineAnswers(told={"devices": number}, figures=Probed(())))
    }
    assert alone["GPUs"].agrees is False


@pytest.mark.parametrize(
    ("tool", "script", "why"),
    [
        ("python3", "exec cat /dev/zero", "has more than"),
        ("python3", "printf '\\377\\n'", None),
        ("python3", "exec sleep 1000", "does not answer"),
        ("head", '[ "$2" = 67108864 ] && exec sleep 1000; exec /usr/bin/head "$@"', "does not answer"),
        ("cat", '[ $# = 0 ] && exec sleep 1000; exec /bin/cat "$@"', "does not answer"),
    ],
    ids=["floods", "bytes", "silent", "sends-nothing", "takes-nothing"],
)
async def test_verify__host_that_floods_or_stays_silent__ends(
    tools: Path, monkeypatch: pytest.MonkeyPatch, tool: str, script: str, why: str | None
) -> None:
    if why == "does not answer":
        monkeypatch.setattr(questions, "SECONDS", 8.0)
    (tools / tool).write_text(f"#!/bin/sh\n{script}\n")
    (tools / tool).chmod(0o755)
    async with machine(tools) as connection, asyncio.timeout(PATIENCE):
        if why is None:
            assert (await ask(connection)).figures.reason is not None
            return
        with pytest.raises(MachineUnreachable, match=why):
            await ask(connection)
