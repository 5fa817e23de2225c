"""Words that no command takes: each is refused before anything is sent, and the error names it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from solders.keypair import Keypair

from market_cli.main import main
from tests.market_cli.surroundings import only_of

RENT = "rent --gpu 4090 --duration 1h"
WRONG = {
    "rent": "--duration",
    "rent --duration 1h": "--min-vram",
    "rent --gpu nosuch --duration 1h": "'nosuch'",
    "rent --gpu h100 --duration 1h": "nvidia-h100-nvl-94gb",
    "rent --gpu 4090": "--duration",
    "rent --gpu 4090 --duration 400x": "'400x'",
    "rent --gpu 4090 --duration 0": "'0'",
    "rent --gpu 4090 --duration ''": "3600, 90m",
    "rent --gpu 4090 --duration 1.5": "'1.5'",
    "rent --listing x --duration 1h": "'x'",
    f"{RENT} --gpus 0": "--gpus",
    f"{RENT} --gpus two": "'two'",
    f"{RENT} --region mars": "eu-west",
    f"{RENT} --min-vram 80GB": "'80GB'",
    f"{RENT} --min-vram 65536": "65535",
    f"{RENT} --min-score 101": "'101'",
    f"{RENT} --min-score high": "'high'",
    f"{RENT} --min-tflops=-5": "--min-tflops",
    f"{RENT} --min-disk-mbps fast": "'fast'",
    f"{RENT} --min-network-mbps 1e3": "'1e3'",
    f"{RENT} --kind weekly": "reserved",
    f"{RENT} --bid 1": "--kind spot",
    f"{RENT} --max-price cheap": "'cheap'",
    f"{RENT} --max-price 1,5": "'1,5'",
    f"{RENT} --max-cost=-3": "'-3'",
    f"{RENT} --port 99999/tcp": "port",
    f"{RENT} --port 80/udp": "'80/udp'",
    f"{RENT} --port http": "'http'",
    f"{RENT} --env NOVALUE": "'NOVALUE'",
    f"{RENT} --env =x": "env",
    f"{RENT} --env-file bad.env": "bad.env:1",
    f"{RENT} --env-file bytes": "bytes",
    f"{RENT} --env-file nosuch": "nosuch",
    f"{RENT} --ssh-key empty": "empty",
    f"{RENT} --ssh-key id.json": "id.json",
    f"{RENT} --image 'Not An Image'": "image",
    f"{RENT} --template nosuch": "'nosuch'",
    f"{RENT} --fetch out": "--script",
    f"{RENT} --storage-gb 5": "--max-charges",
    f"{RENT} --storage-gb 4294967296": "4294967295",
    f"{RENT} --respawn": "--max-price",
    f"{RENT} --script id.json --respawn --max-price 1": "--respawn",
    f"{RENT} --keep-workspace 'a b'": "keep_workspace",
    f"{RENT} --name ''": "''",
    f"{RENT} --name @last": "@last",
    f"{RENT} --name Upper": "Upper",
    f"{RENT} --colour blue": "--colour",
    f"{RENT} extra": "extra",
    "serve": "model",
    "serve '' --gpu 4090 --duration 1h": "Qwen/Qwen2.5-7B-Instruct",
    "serve 'a b' --gpu 4090 --duration 1h": "'a b'",
    "serve a/b/c --gpu 4090 --duration 1h": "'a/b/c'",
    "serve Qwen/x --duration 1h": "--gpu",
    "serve Qwen/x --gpu 4090 --duration 1h --local 70000": "--local",
    "serve Qwen/x --gpu 4090 --duration 1h --script id.json": "--script",
    "run nosuch.yaml": "nosuch.yaml",
    "run bad.yaml": "bad.yaml:1",
    "run odd.yaml": "odd.yaml:3: colour",
    "run empty": "empty:1",
    "run bytes": "bytes",
    "rate @last 6": "1<=x<=5",
    "rate @last five": "'five'",
    "exec @last": "COMMAND",
    "cp a b": "JOB:PATH",
    "cp x:a y:b": "JOB:PATH",
    "cp": "source",
    "forward @last abc": "'abc'",
    "forward @last 99999": "'99999'",
    "forward @last 80:99999": "'80:99999'",
    "logs @last --tail=-1": "--tail",
    "logs @last --tail many": "'many'",
    "keep-alive @last --max-extensions 0 --max-total 1": "--max-extensions",
    "job import-key nosuch": "nosuch",
    "request open --gpu 4090 --duration 1h --max-price free": "'free'",
    "request open --gpu 4090 --duration 1h": "--max-price",
    "request open --duration 1h --max-price 1": "--gpu",
    "listings --gpu nosuch": "'nosuch'",
    "listings --region mars": "us-east",
    "listings --kind odd": "--kind",
    "jobs --renter nope": "'nope'",
    "template show nosuch": "'nosuch'",
    "template delete nosuch": "'nosuch'",
    "template save x nosuch.yaml": "nosuch.yaml",
    "search remove nope": "'nope'",
    "search remove 0123456789ABCDEF0123456789ABCDEF": "'0123456789ABCDEF",
    "webhook show nope": "'nope'",
    "webhook remove ''": "''",
    "webhook replay nope": "'nope'",
    "webhook test nope": "'nope'",
    "webhook rotate nope": "'nope'",
    "webhook deliveries nope": "'nope'",
    "api-key revoke nope": "'nope'",
    "api-key create": "name",
    "wallet show nope": "'nope'",
    "wallet quota nope": "'nope'",
    "wallet send nope 1": "'send'",
    "host show nope": "'nope'",
    "host list": "--gpu",
    "host maintenance tomorrow": "tomorrow",
    "governance vote x for": "'x'",
    "governance show x": "'x'",
    "governance list --stage odd": "voting",
    "config set rpc_url ftp://x": "'ftp://x'",
    "config set api_url nope": "'nope'",
    "config set cluster x": "'x'",
    "config get cluster": "'get'",
    "submit nosuch": "nosuch",
    "up --port 99999": "65535",
    "up --port x": "--port",
    "--cluster": "--cluster",
    "gpus --rpc nope": "'nope'",
}
IN_NO_COMMAND = ("config", "up", "--cluster", "gpus")
"""First words of commands that take no key or node of this test."""


@pytest.fixture
def typed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a key, and with files that no command can use."""
    only_of(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "id.json": Keypair().to_json(),
        "empty": "",
        "bad.yaml": "gpu: [",
        "odd.yaml": "gpu: 4090\nduration: 1h\ncolour: blue\n",
        "bad.env": "no equals sign\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    return tmp_path


@pytest.mark.parametrize("words", WRONG)
def test_command__wrong_word__is_named_with_a_remedy(
    capsys: pytest.CaptureFixture[str], typed_in: Path, words: str
) -> None:
    given = shlex.split(words)
    if given[0] not in IN_NO_COMMAND:
        given += ["--rpc", "http://127.0.0.1:1", "--keypair", str(typed_in / "id.json")]
    assert main(given) == 2
    out, err = capsys.readouterr()
    message, remedy = err.splitlines()
    assert message.startswith("error: ") and len(remedy) > len("See it.")
    assert WRONG[words] in err
    assert out == ""
