"""The hardware that a simulated machine's programs see: files that a sandbox shows in place of this computer's."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import GPU_BY_ID, gpu_of
from anchor_client.rules.listing import CUDA_MAJOR

STAND_IN: Final = files(__package__).joinpath("stand_in.py").read_text("utf-8")
GPU_TOOL: Final = files(__package__).joinpath("nvidia-smi.sh").read_text("utf-8")
LIAR: Final = ("ap-south", 7)
"""Region and number of a listing whose machine has less than it says, for `gpu-market job verify` to find."""
LIARS_GPU: Final = ("NVIDIA GeForce RTX 3060", 12)
GB: Final = 10**9
KIB: Final = 1_024
MIB: Final = 2**20
PASSWD: Final = "root:x:0:0:root:/workspace:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
GROUP: Final = "root:x:0:\nnogroup:x:65534:\n"
PROFILE: Final = """\
export PATH={path}
[ ! -t 1 ] || printf '%s\\n' '{said}'
PS1='simulated:\\w# '
"""
DF: Final = """\
#!/bin/sh
# Simulated: the listing's disk, and too small a workspace for its speed to be measured.
for word; do last=$word; done
case ${{last:-}} in
/) kib={kib} ;;
/workspace) kib=1048576 ;;
*) exec /usr/bin/df "$@" ;;
esac
echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'
echo "simulated $kib 0 $kib 0% $last"
"""
NPROC: Final = "#!/bin/sh\n# Simulated: the listing's cores.\necho {cores}\n"
VLLM: Final = """\
#!/bin/sh
# In place of vLLM's image, for `gpu-market serve`.
exec python3 "$(dirname "$0")/../stand_in.py" vllm "$@"
"""
NO_JUPYTER: Final = (
    "Jupyter is not installed on this computer, whose programs a simulated machine runs in place of its image. "
    "Install it for all users of this computer, or start the market with --shell if it is installed for you."
)
NOTEBOOK: Final = f"""\
#!/bin/sh
# In place of Jupyter's image, for `gpu-market notebook`.
command -v jupyter > /dev/null && exec jupyter lab --ip=127.0.0.1 --port=8888 --no-browser --allow-root
echo '{NO_JUPYTER}'
exec python3 "$(dirname "$0")/../stand_in.py" say 8888 '{NO_JUPYTER}'
"""
START_NOTEBOOK: Final = "start-notebook"
"""The command of an order that names none, but a token for Jupyter."""
BIN: Final = "/opt/gpu-market/bin"
PATH: Final = f"{BIN}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def said_to_tenants(listing: Listing, note: str) -> str:
    """The greeting of a shell."""
    count = f"{listing.gpu_count} x " if listing.gpu_count > 1 else ""
    return f"A simulated {count}{gpu_of(listing.gpu_model).name}: there is no GPU here. Programs run in {note}."


def driver_name(model: int) -> str:
    """A model as its driver names it."""
    return f"NVIDIA {gpu_of(model).name}"


def write_reports(folder: Path, region: str, listing: Listing, note: str) -> None:
    """Writes every file; they say what the listing says, but for the liar's."""
    model = gpu_of(listing.gpu_model)
    name, vram = driver_name(model.id), listing.vram_gb
    if (region, listing.id) == LIAR:
        name, vram = LIARS_GPU
    tdp = GPU_BY_ID[model.id].tdp_watts if model.id in GPU_BY_ID else 300
    gpu = Template(GPU_TOOL).substitute(
        name=name,
        count=listing.gpu_count,
        mib=vram * GB // MIB,
        watts=tdp,
        cuda=f"{listing.cuda // CUDA_MAJOR}.{listing.cuda % CUDA_MAJOR}",
    )
    kib = listing.ram_gb * GB // KIB
    greeting = said_to_tenants(listing, note).replace("'", "")
    for path, text in (
        ("bin/nvidia-smi", gpu),
        ("bin/vllm", VLLM),
        (f"bin/{START_NOTEBOOK}", NOTEBOOK),
        ("stand_in.py", STAND_IN),
        ("bin/nproc", NPROC.format(cores=listing.cpu_cores)),
        ("bin/df", DF.format(kib=listing.disk_gb * GB // KIB)),
        (
            "meminfo",
            f"MemTotal: {kib} kB\nMemFree: {kib} kB\nMemAvailable: {kib} kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
        ),
        ("passwd", PASSWD),
        ("group", GROUP),
        ("hosts", "127.0.0.1 localhost\n"),
        ("profile", PROFILE.format(path=PATH, said=greeting)),
    ):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
