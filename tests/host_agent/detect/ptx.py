"""The probe's PTX as C: what a stand-in for the library of NVIDIA's driver runs on the processor.

Threads of a block go through each instruction together, and branches are those of the first: the probe's are the same
for all of them. Only what the probe uses is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

TYPES: Final = {"u32": "uint32_t", "u64": "uint64_t", "f32": "float", "pred": "int"}
SPECIAL: Final = {"%tid.x": "T", "%ctaid.x": "X", "%ctaid.y": "Y", "%ntid.x": "THREADS", "0f00000000": "0"}
PLAIN: Final = {
    "mov": "{0} = {1}",
    "cvta.to.global": "{0} = {1}",
    "fma.rn": "{0} = fmaf({1}, {2}, {3})",
    "add": "{0} = {1} + {2}",
    "add.rn": "{0} = {1} + {2}",
    "sub": "{0} = {1} - {2}",
    "mul.lo": "{0} = {1} * {2}",
    "mad.lo": "{0} = {1} * {2} + {3}",
    "mul.wide": "{0} = (uint64_t){1} * {2}",
    "shr": "{0} = {1} >> {2}",
    "shl": "{0} = {1} << {2}",
    "and": "{0} = {1} & {2}",
    "setp.ne": "{0} = {1} != {2}",
    "setp.lt": "{0} = {1} < {2}",
}
OPERAND: Final = re.compile(r"\{[^}]*\}|\[[^]]*\]|[^,\s]+")


class Kernel:
    """One entry of PTX."""

    def __init__(self, code: str, threads: int) -> None:
        head, _, body = code.partition(") {")
        self.name = re.findall(r"entry (\w+)", head)[0]
        self._parameters = re.findall(r"\.param \.\w+ (\w+)", head)
        self._statements = [each.strip() for each in re.split(r"[;\n]", body.rpartition("}")[0])]
        sizes = re.findall(r"\.b8 (\w+)\[(\d+)\]", body)
        self._shared = dict(
            zip((name for name, _ in sizes), accumulate((int(size) for _, size in sizes), initial=0), strict=False)
        )
        self._threads = threads

    def in_c(self) -> str:
        """A function of its parameters' places and of a block's place in the grid."""
        lines = [f"static void {self.name}(void **P, uint32_t X, uint32_t Y) {{ enum {{ THREADS = {self._threads} }};"]
        for statement in filter(None, self._statements):
            lines += self._lines(statement)
        return "\n".join([*lines, "}"])

    def _lines(self, statement: str) -> Iterator[str]:
        if statement.startswith(".reg"):
            kind, names = re.findall(r"\.reg \.(\w+) (.*)", statement)[0]
            for name, count in re.findall(r"%([a-z]+)(?:<(\d+)>)?", names):
                for each in range(int(count)) if count else [""]:
                    yield f"static {TYPES[kind]} r_{name}{each}[THREADS];"
        elif statement.endswith(":"):
            yield statement + ";"
        elif statement.startswith("@"):
            yield re.sub(r"@%(\w+) bra (\w+)", r"if (r_\1[0]) goto \2;", statement)
        elif statement == "ret":
            yield "return;"
        elif not statement.startswith((".shared", "bar.sync")):
            yield f"for (int T = 0; T < THREADS; T++) {{ {self._instruction(statement)} }}"

    def _instruction(self, statement: str) -> str:
        code, _, rest = statement.partition(" ")
        name, _, _ = code.rpartition(".")
        operands = OPERAND.findall(rest)
        if name in PLAIN:
            return PLAIN[name].format(*map(self._value, operands)) + ";"
        act, space, *_ = code.split(".")
        if (act, space) == ("ld", "param"):
            target = self._value(operands[0])
            return f"memcpy(&{target}, P[{self._parameters.index(operands[1].strip('[]'))}], sizeof {target});"
        place, numbers = (operands[1], operands[0]) if act == "ld" else (operands[0], operands[1])
        registers = [self._value(each) for each in OPERAND.findall(numbers.strip("{}"))]
        cells = [f"((float *)({self._address(place, space)}))[{each}]" for each in range(len(registers))]
        pairs = zip(registers, cells, strict=True) if act == "ld" else zip(cells, registers, strict=True)
        return " ".join(f"{target} = {source};" for target, source in pairs)

    def _address(self, place: str, space: str) -> str:
        register, _, on = place.strip("[]").partition("+")
        base = "shared + " if space == "shared" else "(char *)"
        return f"{base}{self._value(register)} + {on or 0}"

    def _value(self, operand: str) -> str:
        if operand in SPECIAL:
            return SPECIAL[operand]
        if operand in self._shared:
            return str(self._shared[operand])
        return f"r_{operand[1:]}[T]" if operand.startswith("%") else operand
