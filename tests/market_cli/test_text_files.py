"""Files of variables, SSH keys and job files as editors and other tools write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from market_cli.errors import BadJobFile, BadOption
from market_cli.ordering.env_file import read_env_file
from market_cli.ordering.job_file import read_job_file
from market_cli.ordering.order_options import OrderOptions
from market_cli.ordering.orders import order_parts

DOUBLING = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, 99))
"""Tables of 2**98 keys, were each alias read again."""
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "B" * 43


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\ufeffA=1\n", {"A": "1"}),
        (
            "A=one\u2028two\nB=a\u0085b\nC=a\x0cb\nD=a\x0bb",
            {"A": "one\u2028two", "B": "a\x85b", "C": "a\x0cb", "D": "a\x0bb"},
        ),
        ("export\tA=1\nexport  B=2\nexports=3\nA.export=4", {"A": "1", "B": "2", "exports": "3", "A.export": "4"}),
        ("A=1\r\nB=2\rC=3", {"A": "1", "B": "2", "C": "3"}),
        ('KEY="-----BEGIN-----\nline\n-----END-----"\nB=2', {"KEY": "-----BEGIN-----\nline\n-----END-----", "B": "2"}),
        ("A='{\n \"a\": 1\n}' \nB=x", {"A": '{\n "a": 1\n}', "B": "x"}),
        ('A="x"\nB=\'y"\'\nC="a"b\nD=it\'s\nE=', {"A": "x", "B": 'y"', "C": '"a"b', "D": "it's", "E": ""}),
        ("# no\n\n \t\n\tA = 1", {"A": "1"}),
        (
            'A="x" # note\nB=\'y\'\t#\nC="x"#y\nD="a # b"\nE=x # y',
            {"A": "x", "B": "y", "C": '"x"#y', "D": "a # b", "E": "x # y"},
        ),
        ('A="l1\nl2" # it is two\nB="x # \'y\'"', {"A": "l1\nl2", "B": "x # 'y'"}),
    ],
)
def test_env_file__as_others_write_it__is_read(tmp_path: Path, text: str, found: dict[str, str]) -> None:
    file = tmp_path / "variables.env"
    file.write_bytes(text.encode())
    assert read_env_file(file) == found
    file.write_bytes(text.removeprefix("\ufeff").encode("utf-16"))
    assert read_env_file(file) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("A=1\nB", ":2: this is not a variable"),
        ("A=1\n=2", ":2: this is not a variable"),
        ("A=1\nB C=2", ":2: the name 'B C' has a blank"),
        ("A=1\n\ufeffB=2", r":2: the name '.ufeffB' has .* invisible"),
        ("\xa0A=1", ":1: the name"),
        ('A=1\nB="x\nC=y\n', ":2: the quoted value is not closed"),
        ('A=1\nB="x\nC="y"\n', ":3: text follows the quote"),
    ],
)
def test_env_file__what_it_cannot_mean__names_the_line(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "variables.env"
    file.write_text(text)
    with pytest.raises(BadJobFile, match=why):
        read_env_file(file)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("? [a, b]\n: c\nduration: 1h", ":1: a key is a list"),
        ("duration: 1h\nenv:\n  ? {a: b}\n  : c", ":3: a key is a list or a table"),
        ("gpu: nvidia-rtx-4090-24gb\nduration: 1h\nenv: {A: 1, A: 2}", ":3: A is repeated"),
        ("duration: 1h\nduration: 2h", ":2: duration is repeated"),
        ("duration: 1h\nenv:\n  A: 1\n  B: [1]", ":4: env.B is not valid"),
        ("duration: 1h\nports:\n  - 22\n  - 99999999", ":2: '99999999' is not a port"),
        ("duration: 1h\nimage: a\x07b", ":2: this is not YAML: U.0007"),
        ("duration: *x", ":1: this is not YAML"),
        ("- a", ":1: this is not a job file"),
        ("", ":1: this is not a job file"),
        ("duration: " + "[" * 5_000, "nested too deeply|not YAML"),
        ("duration: 1h\nmax_price: 0", ":2: '0' is not a price"),
        ("duration: 1h\nmax_price: 2,50", ":2: '2,50' is not an amount"),
        ("duration: 1h\nstorage_gb: 99999999999999999999", ":2: storage_gb is not valid"),
        (DOUBLING, ":1: a0 is not a key"),
        ("duration: 1h\nenv: &a {b: *a}", "env.b is not valid|nested too deeply|not YAML"),
        ("duration: 1h\nbid: $0.0000001", ":2: "),
        ('duration: 1h\nenv_file: "a\\0b"', ":2: the path .* has a NUL"),
        ('duration: 1h\nscript: "a\\0b"', ":2: the path .* has a NUL"),
        ("duration: 1h\nmin_driver: newest", ":2: 'newest' is not a driver version"),
    ],
)
def test_job_file__what_it_cannot_mean__names_the_line(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(text)
    with pytest.raises(BadJobFile, match=why):
        read_job_file(file)


def test_job_file__byte_order_mark__is_no_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    for encoding in ("utf-8-sig", "utf-16"):
        file.write_text("duration: 2h\nenv: &both {A: 1}", encoding)
        assert read_job_file(file).duration == "2h"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_ssh_key__file_in_any_unicode__is_read(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "id.pub"
    file.write_text(f"{KEY.replace(' ', '  ')}  me\n", encoding)
    assert order_parts(OrderOptions(ssh_key=file)).ssh_key == f"{KEY} me"


@pytest.mark.parametrize(("text", "why"), [(KEY[:-9], "cut short"), ("hello AAAA", "not a type"), ("\udcff", "UTF-8")])
def test_ssh_key__that_lets_nobody_in__names_the_file(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "id.pub"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadOption, match=rf"id\.pub.*{why}"):
        order_parts(OrderOptions(ssh_key=file))
