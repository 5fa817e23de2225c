"""GPU models by the names that people use for them: `h100 pcie`, `4090`, `RTX 4060 Ti 16GB`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from anchor_client.errors import AmbiguousGpu, UnknownGpu
from anchor_client.rules.catalog import ALL_GPU_MODELS, GPU_BY_ID, GPU_BY_SLUG, find_gpu
from anchor_client.rules.gpu_model import GpuModel

OPTIONAL: Final = frozenset(("nvidia", "amd", "geforce", "radeon", "tesla", "instinct", "rtx", "gtx", "rx", "gpu"))
"""Words that people leave out of a name that has a number, or add to it."""
NUMBER: Final = re.compile(r"\d")
JOINED: Final = (
    (re.compile(r"(\d+)\s*g(?:i?b)?\b"), r" \1gb "),
    (re.compile(r"\b(rtx|gtx|rx)(?=\d)"), r"\1 "),
    (re.compile(r"(?<=\d)(ti|super|xtx|xt|gre|pcie|sxm\d?|nvl)\b"), r" \1"),
)
"""Words that people join, and how they are apart."""


GPU_BY_NAME: Final = {model.name.lower(): model for model in ALL_GPU_MODELS}


def match_gpu(text: str) -> GpuModel:
    """Model of a slug, of a catalog number, of the name that lists print, or of a name that fits one model.

    UnknownGpu where none fits, AmbiguousGpu where several do.
    """
    if (model := GPU_BY_SLUG.get(text.lower())) is not None:
        return model
    named = GPU_BY_NAME.get(text.lower())
    if named is not None and named.vram_gb:
        return named
    if text.isdecimal() and int(text) in GPU_BY_ID:
        return find_gpu(text)
    words = frozenset(_words(text))
    known = [model for model in ALL_GPU_MODELS if model.vram_gb]
    unknown = [model for model in ALL_GPU_MODELS if not model.vram_gb]
    for models in (known, unknown):
        fitting = [model for model in models if _fits(words, model)]
        if named is not None:
            return _told_apart(text, named, fitting)
        # "4090" is the RTX 4090, though an RTX 4090 D has the word too; "titan" alone is no TITAN RTX.
        exact = [model for model in fitting if _unsaid(words, model) <= OPTIONAL and NUMBER.search(text)]
        if len(exact or fitting) == 1:
            return (exact or fitting)[0]
        if fitting:
            raise AmbiguousGpu(text, [model.slug for model in exact or fitting])
    if text.isdecimal():
        return find_gpu(text)
    raise UnknownGpu(text, GPU_BY_SLUG)


def _told_apart(text: str, named: GpuModel, fitting: Sequence[GpuModel]) -> GpuModel:
    """The model of unknown memory that has this name, unless others fit: most who type "H100" mean one of those."""
    if fitting:
        raise AmbiguousGpu(text, [model.slug for model in (*fitting, named)])
    return named


def _fits(words: frozenset[str], model: GpuModel) -> bool:
    """True if every distinguishing word is one of the model's, and there is at least one."""
    telling = words - OPTIONAL
    return bool(telling) and all(word in _of(model) or _form_of(word, model) for word in telling)


def _form_of(word: str, model: GpuModel) -> bool:
    """True for "sxm" where the model is of any SXM form."""
    return word == "sxm" and any(each.startswith("sxm") for each in _of(model))


def _unsaid(words: frozenset[str], model: GpuModel) -> set[str]:
    """Words of the model's name, memory aside, that the text lacks."""
    return {word for word in _words(model.name) if word not in words and not ("sxm" in words and word[:3] == "sxm")}


def _of(model: GpuModel) -> set[str]:
    return {*_words(model.name), f"{model.vram_gb}gb"}


def _words(text: str) -> Iterator[str]:
    spaced = text.lower()
    for joined, apart in JOINED:
        spaced = joined.sub(apart, spaced)
    yield from re.findall(r"[a-z0-9]+", spaced)
