"""Job files and templates, as people write and share them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anchor_client.orders import TemplateDirectory, Workload
from market_cli.main import main
from market_cli.ordering.job_file import read_job_file
from market_cli.paths import template_directory

GPU = "nvidia-a100-pcie-40gb"


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "job.yaml"


def test_job_file__every_part__is_read_as_text(file: Path) -> None:
    file.write_text(
        f"gpu: {GPU}\nduration: 3h\nmax_price: 0.90\nimage: a/b:1\ncommand: |\n  one\n  two\n"
        "ports: [22/tcp, 8888/http]\n"
        "env: {SEED: 007, YES: no}\nuntil_exit: true\nrespawn: true\nssh_key: id.pub\n"
    )
    job = read_job_file(file)
    assert (job.max_price, job.command, job.ports) == ("0.90", "one\ntwo\n", ("22/tcp", "8888/http"))
    assert job.env == {"SEED": "007", "YES": "no"}
    assert job.until_exit and job.respawn and not job.wait
    assert job.ssh_key == file.parent / "id.pub"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"gpu: {GPU}\nduratoin: 3h\n", "job.yaml:2: duratoin is not a key of a job file"),
        (f"gpu: {GPU}\n", "duration is missing"),
        (f"gpu: {GPU}\nduration:\n", "job.yaml:2: duration has no value"),
        (f"gpu: {GPU}\nduration: 3h\nuntil_exit: maybe\n", "job.yaml:3: until_exit"),
        (f"gpu: {GPU}\nduration: 3h\nstorage_gb: -1\n", "job.yaml:3: storage_gb"),
        (f"gpu: {GPU}\nduration: 3h\ngpu: {GPU}\n", "job.yaml:3: gpu is repeated"),
        (f"gpu: {GPU}\nduration: 3h\nports: 22\n", "job.yaml:3: ports"),
        ("gpu: x\n  y: [\n", "job.yaml:2: this is not YAML"),
        ("only text\n", "is not a job file"),
        ("", "is not a job file"),
        ("duration: 3h\n", "--gpu"),
        ("gpu: nvidia-h100-pci-80gb\nduration: 3h\n", "job.yaml:1: There is no GPU model 'nvidia-h100-pci-80gb'"),
        (f"gpu: {GPU}\nduration: soon\n", "job.yaml:2: 'soon' is not a duration"),
        (f"gpu: {GPU}\nduration: 3h\nregion: moon\n", "job.yaml:3: "),
        (f"gpu: {GPU}\nduration: 3h\nkind: kept\n", "job.yaml:3: "),
        (f"gpu: {GPU}\nduration: 3h\nmax_cost: much\n", "job.yaml:3: 'much' is not an amount"),
        (f"gpu: {GPU}\nduration: 3h\nscript: nope.py\n", "nope.py"),
        (f"gpu: {GPU}\nduration: 3h\nscript: /dev/null\n", "neither a file nor a folder"),
        (f"gpu: {GPU}\nduration: 3h\nmax_price: cheap\n", "job.yaml:3: 'cheap' is not an amount"),
        (f"gpu: {GPU}\nduration: 3h\nrespawn: true\n", "--max-price"),
        (f"gpu: {GPU}\nduration: 3h\nenv_file: nope.env\n", "nope.env"),
        (f"gpu: {GPU}\nduration: 3h\nports: [ssh]\n", "job.yaml:3: 'ssh' is not a port"),
        (f"gpu: {GPU}\nduration: 3h\nname: My Job\n", "job.yaml:3: 'My Job' is not a valid name for a job"),
    ],
)
def test_run__file_is_wrong__names_the_line(
    capsys: pytest.CaptureFixture[str], file: Path, text: str, told: str
) -> None:
    file.write_text(text)
    assert main(["run", str(file), "--check"]) == 2
    output = capsys.readouterr()
    message, remedy = output.err.splitlines()
    assert told in message and remedy and output.out == ""


def test_run__no_file__names_it(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    assert main(["run", str(file)]) == 2
    assert str(file) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("A=1\n# no\n\nexport B='two words'\nC=\"x=y\"\nD=\n", {"A": "1", "B": "two words", "C": "x=y", "D": ""}),
        ("A=1\nmine", None),
        ("=1", None),
    ],
)
def test_run__variables_of_a_file__are_read_or_named(
    capsys: pytest.CaptureFixture[str], file: Path, text: str, variables: dict[str, str] | None
) -> None:
    (file.parent / "my.env").write_text(text)
    file.write_text(f"gpu: {GPU}\nduration: 3h\nenv: {{A: mine}}\nenv_file: my.env\n")
    assert main(["template", "save", "kept", str(file)]) == (0 if variables else 2)
    if variables is None:
        assert "my.env:" in capsys.readouterr().err
    else:
        assert TemplateDirectory(template_directory()).load("kept").env == {**variables, "A": "mine"}


def test_template__shared_and_saved_again__is_the_same_without_secrets(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    templates = TemplateDirectory(template_directory())
    ports = ({"port": 22, "protocol": "tcp"},)
    order = Workload.of(
        image="a/b",
        command="echo [hi] # 'x'\nnext",
        ports=ports,
        env={"T": "s3cret"},
        jupyter_token="t0k",
        keep_workspace="data",
        checkpoint="python save.py",
    )
    templates.save("mine", order)
    assert main(["template", "share", "mine"]) == 0
    shared = capsys.readouterr().out
    assert "s3cret" not in shared and "t0k" not in shared and "# Set your own in env or env_file: T" in shared
    file.write_text(shared)
    assert main(["template", "save", "theirs", str(file)]) == 0
    assert templates.load("theirs") == order.changed(env={}, jupyter_token=None)
    capsys.readouterr()
    assert main(["template", "share", "mine", "--secrets"]) == 0
    file.write_text(capsys.readouterr().out)
    assert main(["template", "save", "all", str(file)]) == 0
    assert templates.load("all") == order


def test_template__listed_shown_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    templates = TemplateDirectory(template_directory())
    templates.save("mine", Workload.of(image="a/b", command="echo [hi]", env={"T": "s3cret"}))
    assert main(["template"]) == 0
    assert "echo [hi]" in capsys.readouterr().out
    assert main(["template", "show", "mine"]) == 0
    assert "T=set" in (shown := capsys.readouterr().out) and "s3cret" not in shown
    assert main(["template", "show", "mine", "--secrets", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["env"] == {"T": "s3cret"}
    assert main(["template", "delete", "mine"]) == 0
    capsys.readouterr()
    assert main(["template", "show", "mine"]) == 2
    assert "mine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("gpu-market rent --gpu nvidia-h2", "nvidia-h200-sxm5-141gb"),
        ("gpu-market rent --region eu", "eu-west"),
        ("gpu-market rent --template mi", "mine"),
    ],
)
def test_completion__what_is_known_here__is_offered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str, offered: str
) -> None:
    TemplateDirectory(template_directory()).save("mine", Workload())
    monkeypatch.setenv("_GPU_MARKET_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit):
        main([])
    assert offered in capsys.readouterr().out.split()
