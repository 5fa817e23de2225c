"""A GPU model, and the file that has all of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from anchor_client.generated.types import GpuTerms


H100_TFLOPS: Final = 3_958
FORM_WORD: Final = re.compile(r"sxm\d*|pcie|\d+gb|max|q|mobile|laptop|gpu|die|generation")
"""Words of a name that drivers leave out, or write otherwise."""
_SXM: Final = re.compile(r"sxm(\d+)")
_SIZE: Final = re.compile(r"(?<![\d.])(\d+) ?g(?:i?b)?\b", re.IGNORECASE)
_VGPU: Final = re.compile(r"\d+[abcq]")
"""Last word of a virtual GPU's name, which leaves out its card's form."""
VARIANTS: Final = frozenset(
    ("d", "v2", "ti", "super", "ada", "sff", "nvl", "cnx", "server", "embedded", "xt", "xtx", "gre")
)
"""Words that make another model of the one whose name lacks them."""
PCIE: Final = frozenset(("pcie", "active"))
"""Words by which a driver names a PCIe card that there is with another socket too."""
PORTABLE: Final = frozenset(("laptop", "mobile", "max"))
OLDER: Final = frozenset(("Maxwell", "Pascal", "Volta", "Turing"))
"""Architectures whose laptop GPUs a driver may name like the desktop's."""
OPENING_USD: Final = {1: 2_760_000, 2: 1_840_000, 3: 3_260_000, 4: 390_000, 5: 620_000, 6: 190_000}
"""Of the models that a market opens with: micro-USD per GPU-hour when the catalog was made."""


@dataclass(frozen=True, slots=True)
class PciId:
    """A device of the PCI bus; `revision` is None where any will do."""

    vendor: int
    device: int
    revision: int | None = None

    def __str__(self) -> str:
        revision = "" if self.revision is None else f":{self.revision:02x}"
        return f"{self.vendor:04x}:{self.device:04x}{revision}"


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A model: `id` is what a listing carries, `slug` what people and programs type. Figures are 0 if unknown.

    `name` is the model's alone: it ends with the memory where the file has several of one name.
    """

    id: int
    slug: str
    name: str
    architecture: str = ""
    vram_gb: int = 0
    memory: str = ""
    fp32_tflops: float = 0
    tensor_tflops: int = 0
    tdp_watts: int = 0
    pci: tuple[PciId, ...] = ()
    seed_usd: int = 0
    """Market price when the catalog was made, micro-USD per GPU-hour."""

    @property
    def points(self) -> int:
        """GPU points: tensor throughput against an H100's, which has 100."""
        return (self.tensor_tflops * 100 + H100_TFLOPS // 2) // H100_TFLOPS

    @property
    def terms(self) -> GpuTerms:
        """Terms in the catalog that a market starts with: the reference price is the market price when it was made."""
        from anchor_client.generated.types import GpuTerms  # noqa: PLC0415 - takes long, and completion does without

        return GpuTerms(points=self.points, reference_usd=self.seed_usd)

    def is_named(self, told: str) -> bool:
        """True where a driver's name is this model's: `NVIDIA H100 80GB HBM3` is an H100 SXM5, and no PCIe card, slower
        Max-Q version or MIG slice of one is.
        """
        said = set(_words(told))
        is_one_of_several = "/" in told
        return (
            said.issuperset(self.telling_words)
            and "mig" not in said
            and self._has_form(told, said)
            and (is_one_of_several or not (said & VARIANTS) - set(_words(self.name)))
        )

    def is_sized(self, told: str) -> bool:
        """True unless a driver's name states a size of memory, and this model has another."""
        sizes = [int(size) for size in _SIZE.findall(told)]
        return not sizes or not self.vram_gb or self.vram_gb in sizes

    def _has_form(self, told: str, said: set[str]) -> bool:
        """True where a driver's name may be that of a card with this model's socket."""
        words = set(_words(self.name))
        known, sockets = _SXM.findall(self.name.lower()), _SXM.findall(told.lower())
        is_pcie, is_portable = bool(said & PCIE), bool(said & PORTABLE)
        if is_pcie and known:
            return False
        if "pcie" in words and not is_pcie and not any(_VGPU.fullmatch(word) for word in said):
            return False
        if is_portable != bool(words & PORTABLE) and (is_portable or self.architecture not in OLDER):
            return False
        return not sockets or not known or sockets == known

    @property
    def telling_words(self) -> Sequence[str]:
        """The words of its name that a driver's name has too."""
        return [word for word in _words(self.name) if FORM_WORD.fullmatch(word) is None]


def unnamed(number: int) -> GpuModel:
    """A model that the file does not have, known by its number alone."""
    return GpuModel(number, str(number), f"GPU model {number}")


def read_models() -> Sequence[GpuModel]:
    """Every model of the file, in its order: those that a market opens with come first."""
    lines = (files(__package__) / "gpus.csv").read_text("utf-8").splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    named = Counter(row["name"] for row in rows)
    return tuple(_model(row, is_shared=named[row["name"]] > 1) for row in rows)


def _model(row: dict[str, str], *, is_shared: bool) -> GpuModel:
    number = int(row["number"])
    name = row["name"]
    if is_shared and row["vram_gb"]:
        name = f"{name} {row['vram_gb']}GB"
    return GpuModel(
        id=number,
        slug=row["slug"],
        name=name,
        architecture=row["architecture"],
        vram_gb=int(row["vram_gb"] or 0),
        memory=row["memory"],
        fp32_tflops=float(row["fp32_tflops"] or 0),
        tensor_tflops=int(row["tensor_tflops"] or 0),
        tdp_watts=int(row["tdp_watts"] or 0),
        pci=tuple(_pci_ids(row["pci"])),
        seed_usd=OPENING_USD.get(number, 0),
    )


def _pci_ids(text: str) -> Iterator[PciId]:
    for one in text.split():
        vendor, device, *revision = (int(part, 16) for part in one.split(":"))
        yield PciId(vendor, device, *revision)


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())
