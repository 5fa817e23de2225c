"""Measures NVIDIA's GPUs by their driver's library alone, and prints what it finds as JSON.

It needs no package and nothing of this one: its text is also sent to machines over SSH, to whatever Python 3.7 or newer
they have. FP32 is what a long chain of multiply-adds reaches, the figure of data sheets; GEMM is a tiled product of two
matrices, which programs come near. Results are checked. Rates are the best of several runs, in 10^12 and 10^9 a second.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from array import array
from collections.abc import Callable
from typing import Any

LIBRARY = "libcuda.so.1"
SIZE = 4096
"""Rows and columns of the matrices; a multiple of TILE."""
TILE = 128
DEEP = 8
PATTERN = 4093
"""Matrices repeat that many numbers: a prime, so that no two rows are alike."""
CHECKED = 32
CHAINS, LINKS = 8, 16
"""Sums that a thread forms at once, and multiply-adds of each in a round."""
ROUNDS = 1 << 15
THREADS = 256
BLOCKS_OF_MULTIPROCESSOR = 8
COPIED = 256 << 20
RUNS = 6
NAME_BYTES = 128
MULTIPROCESSORS = 16
"""The number of an attribute of a device, as in cuda.h."""
HEADER = ".version 6.0\n.target sm_50\n.address_size 64\n"


class Failed(Exception):
    """The driver refuses something, or a result is wrong."""


def chain_code() -> str:
    """PTX of `chain(out, a, b, rounds)`: each thread's sums become a x + b, LINKS times a round."""
    sums = [f"%x{each}" for each in range(CHAINS)]
    lines = [
        ".visible .entry chain(.param .u64 out, .param .f32 a, .param .f32 b, .param .u32 rounds) {",
        f".reg .f32 %x<{CHAINS}>, %a, %b; .reg .u32 %n, %i, %t, %s; .reg .u64 %p, %q; .reg .pred %m;",
        "ld.param.u64 %p, [out]; ld.param.f32 %a, [a]; ld.param.f32 %b, [b]; ld.param.u32 %n, [rounds];",
        *(f"mov.f32 {each}, 0f00000000;" for each in sums),
        "again:",
        *(f"fma.rn.f32 {each}, {each}, %a, %b;" for _ in range(LINKS) for each in sums),
        "sub.u32 %n, %n, 1; setp.ne.u32 %m, %n, 0; @%m bra again;",
        *(f"add.rn.f32 %x0, %x0, {each};" for each in sums[1:]),
        "mov.u32 %i, %ctaid.x; mov.u32 %s, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %s, %t;",
        "cvta.to.global.u64 %p, %p; mul.wide.u32 %q, %i, 4; add.u64 %p, %p, %q;",
        "st.global.f32 [%p], %x0; ret; }",
    ]
    return "\n".join(lines) + "\n"


def gemm_code() -> str:
    """PTX of `gemm(c, a, b, n)`: C = A B, row by row. A block makes TILE x TILE of C, each of its threads 8 x 8."""
    lines = [
        ".visible .entry gemm(.param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n) {",
        f".shared .align 16 .b8 left[{4 * TILE * DEEP}]; .shared .align 16 .b8 right[{4 * TILE * DEEP}];",
        ".reg .f32 %c<64>, %l<8>, %r<8>, %v<4>; .reg .pred %m; .reg .u64 %pc, %pa, %pb, %q, %step;",
        ".reg .u32 %n, %k, %t, %u, %w, %x, %row, %col, %sl, %sr, %pl, %pr;",
        "ld.param.u64 %pc, [c]; ld.param.u64 %pa, [a]; ld.param.u64 %pb, [b]; ld.param.u32 %n, [n];",
        "cvta.to.global.u64 %pc, %pc; cvta.to.global.u64 %pa, %pa; cvta.to.global.u64 %pb, %pb;",
        "mov.u32 %t, %tid.x; mov.u32 %u, %ctaid.x; mov.u32 %w, %ctaid.y;",
        f"mul.lo.u32 %row, %w, {TILE}; mul.lo.u32 %col, %u, {TILE};",
        # What it fetches of A: row t / 2 of its block, four numbers from column t % 2 * 4 on.
        "shr.u32 %u, %t, 1; and.b32 %w, %t, 1; shl.b32 %w, %w, 2;",
        "add.u32 %x, %row, %u; mad.lo.u32 %x, %x, %n, %w; mul.wide.u32 %q, %x, 4; add.u64 %pa, %pa, %q;",
        f"mov.u32 %sl, left; mad.lo.u32 %x, %w, {TILE}, %u; mad.lo.u32 %sl, %x, 4, %sl;",
        # And of B: row t / 32, four numbers from column t % 32 * 4 on.
        "shr.u32 %u, %t, 5; and.b32 %w, %t, 31; shl.b32 %w, %w, 2;",
        "mul.lo.u32 %x, %u, %n; add.u32 %x, %x, %col; add.u32 %x, %x, %w; mul.wide.u32 %q, %x, 4;",
        "add.u64 %pb, %pb, %q;",
        f"mov.u32 %sr, right; mad.lo.u32 %x, %u, {TILE}, %w; mad.lo.u32 %sr, %x, 4, %sr;",
        # What it makes: eight rows from t / 16 * 8 on, and twice four columns, from t % 16 * 4 on.
        "shr.u32 %u, %t, 4; and.b32 %w, %t, 15;",
        "mov.u32 %pl, left; mad.lo.u32 %pl, %u, 32, %pl; mov.u32 %pr, right; mad.lo.u32 %pr, %w, 16, %pr;",
        "mad.lo.u32 %row, %u, 8, %row; mad.lo.u32 %col, %w, 4, %col;",
        *(f"mov.f32 %c{each}, 0f00000000;" for each in range(64)),
        f"mul.wide.u32 %step, %n, {4 * DEEP}; mov.u32 %k, 0;",
        "again:",
        f"ld.global.v4.f32 {quad('v')}, [%pa];",
        *(f"st.shared.f32 [%sl+{4 * TILE * each}], %v{each};" for each in range(4)),
        f"ld.global.v4.f32 {quad('v')}, [%pb]; st.shared.v4.f32 [%sr], {quad('v')};",
        f"add.u64 %pa, %pa, {4 * DEEP}; add.u64 %pb, %pb, %step; bar.sync 0;",
        *(line for deep in range(DEEP) for line in products(4 * TILE * deep)),
        f"bar.sync 0; add.u32 %k, %k, {DEEP}; setp.lt.u32 %m, %k, %n; @%m bra again;",
        "mad.lo.u32 %x, %row, %n, %col; mul.wide.u32 %q, %x, 4; add.u64 %pc, %pc, %q; mul.wide.u32 %step, %n, 4;",
    ]
    for row in range(8):
        lines += [
            f"st.global.v4.f32 [%pc], {quad('c', 8 * row)};",
            f"st.global.v4.f32 [%pc+{2 * TILE}], {quad('c', 8 * row + 4)}; add.u64 %pc, %pc, %step;",
        ]
    return "\n".join([*lines, "ret; }"]) + "\n"


def products(at: int) -> list[str]:
    """PTX that adds to 8 x 8 sums the products of eight numbers of each side, `at` bytes on in the tiles."""
    return [
        f"ld.shared.v4.f32 {quad('l')}, [%pl+{at}]; ld.shared.v4.f32 {quad('l', 4)}, [%pl+{at + 16}];",
        f"ld.shared.v4.f32 {quad('r')}, [%pr+{at}]; ld.shared.v4.f32 {quad('r', 4)}, [%pr+{at + 2 * TILE}];",
        *(
            f"fma.rn.f32 %c{8 * row + column}, %l{row}, %r{column}, %c{8 * row + column};"
            for row in range(8)
            for column in range(8)
        ),
    ]


def quad(name: str, first: int = 0) -> str:
    """Four registers, as PTX names them together."""
    return "{" + ", ".join(f"%{name}{first + each}" for each in range(4)) + "}"


class Driver:
    """The driver's library."""

    def __init__(self) -> None:
        """OSError when it is not there, Failed when it finds no GPU."""
        self._library = ctypes.CDLL(LIBRARY)
        self("cuInit", ctypes.c_uint(0))

    def __call__(self, name: str, *arguments: Any) -> None:
        """Calls a function. Failed."""
        code = getattr(self._library, name)(*arguments)
        if code:
            raise Failed(f"{name} gives {code}")

    def number(self, name: str, *arguments: Any) -> int:
        """Calls a function that answers with a number."""
        answer = ctypes.c_int()
        self(name, ctypes.byref(answer), *arguments)
        return answer.value

    def handle(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        """Calls a function that answers with memory, or with a handle that other functions take."""
        answer = ctypes.c_void_p()
        self(name, ctypes.byref(answer), *arguments)
        return answer

    def text(self, name: str, device: int) -> str:
        """Calls a function that answers with text about a device."""
        answer = ctypes.create_string_buffer(NAME_BYTES)
        self(name, answer, ctypes.c_int(NAME_BYTES), ctypes.c_int(device))
        return answer.value.decode("ascii", "replace")


class Device:
    """One GPU, whose context is the thread's."""

    def __init__(self, driver: Driver, number: int) -> None:
        self._driver = driver
        self._device = ctypes.c_int(driver.number("cuDeviceGet", ctypes.c_int(number)))
        driver("cuCtxSetCurrent", driver.handle("cuDevicePrimaryCtxRetain", self._device))
        code = ctypes.c_char_p((HEADER + chain_code() + gemm_code()).encode())
        self._module = driver.handle("cuModuleLoadData", code)

    def close(self) -> None:
        """Gives back all that it holds."""
        self._driver("cuDevicePrimaryCtxRelease_v2", self._device)

    def chain_rate(self) -> float:
        """Multiply-adds of a chain, as two operations each, in 10^12 a second."""
        many = self._driver.number("cuDeviceGetAttribute", ctypes.c_int(MULTIPROCESSORS), self._device)
        blocks = many * BLOCKS_OF_MULTIPROCESSOR
        out = self._memory(4 * THREADS * blocks)
        one = ctypes.c_float(1)
        launch = self._launch("chain", (blocks, 1), out, one, one, ctypes.c_uint(ROUNDS))
        seconds = self._fastest(launch)
        for place in (0, THREADS * blocks // 2, THREADS * blocks - 1):
            if self._read(out, place) != CHAINS * LINKS * ROUNDS:
                raise Failed("a chain of multiply-adds has a wrong result")
        self._driver("cuMemFree_v2", out)
        return 2.0 * CHAINS * LINKS * ROUNDS * THREADS * blocks / seconds / 1e12

    def gemm_rate(self) -> float:
        """Multiply-adds of a product of matrices, as two operations each, in 10^12 a second."""
        left, right = (array("f", (byte % 8 for byte in os.urandom(PATTERN))) for _ in range(2))
        a, b, c = (self._memory(4 * SIZE * SIZE) for _ in range(3))
        for place, pattern in ((a, left), (b, right)):
            numbers = (pattern * (SIZE * SIZE // PATTERN + 1))[: SIZE * SIZE]
            self._driver("cuMemcpyHtoD_v2", place, numbers.tobytes(), ctypes.c_size_t(4 * SIZE * SIZE))
        tiles = SIZE // TILE
        seconds = self._fastest(self._launch("gemm", (tiles, tiles), c, a, b, ctypes.c_uint(SIZE)))
        for _ in range(CHECKED):
            row, column = (int.from_bytes(os.urandom(4), "little") % SIZE for _ in range(2))
            terms = (left[(row * SIZE + k) % PATTERN] * right[(k * SIZE + column) % PATTERN] for k in range(SIZE))
            if self._read(c, row * SIZE + column) != sum(terms):
                raise Failed("a product of matrices has a wrong result")
        for memory in (a, b, c):
            self._driver("cuMemFree_v2", memory)
        return 2.0 * SIZE**3 / seconds / 1e12

    def copy_rates(self) -> dict[str, float]:
        """Bytes that its memory reads and writes to copy itself, and that come over PCIe, in 10^9 a second."""
        source = self._memory(COPIED)
        target = self._memory(COPIED)
        size = ctypes.c_size_t(COPIED)
        inside = self._fastest(lambda: self._driver("cuMemcpyDtoD_v2", target, source, size))
        pinned = self._driver.handle("cuMemAllocHost_v2", size)
        across = self._fastest(lambda: self._driver("cuMemcpyHtoD_v2", target, pinned, size))
        self._driver("cuMemFreeHost", pinned)
        for memory in (source, target):
            self._driver("cuMemFree_v2", memory)
        return {"memory_gb_per_second": 2 * COPIED / inside / 1e9, "pcie_gb_per_second": COPIED / across / 1e9}

    def _memory(self, size: int) -> ctypes.c_void_p:
        return self._driver.handle("cuMemAlloc_v2", ctypes.c_size_t(size))

    def _read(self, memory: ctypes.c_void_p, place: int) -> float:
        answer = ctypes.c_float()
        where = ctypes.c_void_p((memory.value or 0) + 4 * place)
        self._driver("cuMemcpyDtoH_v2", ctypes.byref(answer), where, ctypes.c_size_t(4))
        return answer.value

    def _launch(self, name: str, grid: Any, *arguments: Any) -> Callable[[], None]:
        function = self._driver.handle("cuModuleGetFunction", self._module, name.encode())
        numbers = [ctypes.c_uint(each) for each in (*grid, 1, THREADS, 1, 1, 0)]

        def launch() -> None:
            places = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(each) for each in arguments))
            self._driver("cuLaunchKernel", function, *numbers, None, places, None)

        return launch

    def _fastest(self, act: Callable[[], None]) -> float:
        """Seconds of the fastest of RUNS, after one that is not counted."""
        begun, ended = (self._driver.handle("cuEventCreate", ctypes.c_uint(0)) for _ in range(2))
        act()
        times: list[float] = []
        for _ in range(RUNS):
            self._driver("cuEventRecord", begun, None)
            act()
            self._driver("cuEventRecord", ended, None)
            self._driver("cuEventSynchronize", ended)
            milliseconds = ctypes.c_float()
            self._driver("cuEventElapsedTime", ctypes.byref(milliseconds), begun, ended)
            times.append(milliseconds.value / 1e3)
        for event in (begun, ended):
            self._driver("cuEventDestroy_v2", event)
        return max(min(times), 1e-9)


def measure(driver: Driver, number: int) -> dict[str, Any]:
    """Figures of one GPU."""
    named = driver.number("cuDeviceGet", ctypes.c_int(number))
    told: dict[str, Any] = {"name": driver.text("cuDeviceGetName", named)}
    told["bus"] = driver.text("cuDeviceGetPCIBusId", named).lower()
    device = Device(driver, number)
    try:
        told["fp32_tflops"] = round(device.chain_rate(), 3)
        told["gemm_tflops"] = round(device.gemm_rate(), 3)
        told.update((rate, round(value, 1)) for rate, value in device.copy_rates().items())
    finally:
        device.close()
    return told


def main() -> None:
    """Prints what each GPU does, or in one line why that cannot be measured."""
    try:
        driver = Driver()
        count = driver.number("cuDeviceGetCount")
        answer: dict[str, Any] = {"gpus": [measure(driver, number) for number in range(count)]}
    except (OSError, AttributeError, Failed) as error:
        answer = {"gpus": [], "reason": str(error)}
    print(json.dumps(answer))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
