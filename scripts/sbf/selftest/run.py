"""Checks the toolchain's 128-bit arithmetic and stack arguments against Python: run.py wide.so (needs solders)"""

import random
import sys
from pathlib import Path

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

M = 1 << 128
LOW = (1 << 64) - 1
svm = LiteSVM().with_mainnet_features()
program = Pubkey.new_unique()
payer = Keypair()
svm.add_program_from_file(program, Path(sys.argv[1]))
svm.airdrop(payer.pubkey(), 10**12)


def signed(x: int) -> int:
    return x - M if x >> 127 else x


def expected(a: int, b: int, s: int) -> list[int]:
    sa = signed(a)
    sb = signed(b)
    quotient = abs(sa) // abs(sb) * (-1 if (sa < 0) != (sb < 0) else 1)
    folded = 0
    for value, factor in zip(
        (a & LOW, a >> 64, b & LOW, b >> 64, s, (a & LOW) ^ 1, (b & LOW) ^ 2, 7),
        (3, 5, 7, 11, 13, 17, 19, 23),
        strict=True,
    ):
        folded ^= value * factor & LOW
    product = a * b
    return [
        product % M,
        a // b,
        a % b,
        quotient % M,
        (sa - quotient * sb) % M,
        (a << s) % M,
        a >> s,
        (sa >> s) % M,
        min(product, M - 1),
        folded,
    ]


def actual(a: int, b: int, s: int) -> list[int]:
    instruction = Instruction(program, a.to_bytes(16, "little") + b.to_bytes(16, "little") + bytes([s]), [])
    message = MessageV0.try_compile(payer.pubkey(), [instruction], [], svm.latest_blockhash())
    data = bytes(svm.simulate_transaction(VersionedTransaction(message, [payer])).meta().return_data().data).ljust(
        160, b"\0"
    )
    return [int.from_bytes(data[i : i + 16], "little") for i in range(0, 160, 16)]


def operand() -> int:
    bits = random.choice([1, 8, 31, 32, 33, 63, 64, 65, 96, 127, 128])
    value = random.getrandbits(bits)
    return random.choice([value, (1 << bits) - 1, 1 << (bits - 1), -value % M])


random.seed(5)
edges = [1, 2, 3, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**127 - 1, 2**127, M - 1, M - 2]
cases = [(a, b, s) for a in edges for b in edges for s in (0, 1, 63, 64, 65, 127)]
cases += [(operand(), operand() or 1, random.randrange(128)) for _ in range(6000)]
wrong = [case for case in cases if actual(*case) != expected(*case)]
print(f"{len(cases)} cases, {len(wrong)} wrong {wrong[:3]}")
sys.exit(bool(wrong))
