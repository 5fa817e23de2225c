"""Images that a host fetches, and blame for one that does not come."""

from __future__ import annotations

import pytest

from host_agent.errors import MachineFault, OrderRefused, OrderUnwanted, Unproven
from host_agent.images.rules import LEAST_BYTES, Download, ImageRules, full_name, is_unanswered, registry_of

OWN = "registry.example.com:5000"
NO_ANSWER = 'Get "https://registry.example.com:5000/v2/": dial tcp: lookup registry.example.com: no such host'


@pytest.mark.parametrize(
    ("image", "registry"),
    [
        ("ubuntu", "docker.io"),
        ("nvidia/cuda:12.6.3-runtime-ubuntu24.04", "docker.io"),
        ("ghcr.io/owner/name@sha256:00", "ghcr.io"),
        ("localhost/name", "localhost"),
        ("registry:5000/name:1", "registry:5000"),
        ("ghcr.io", "docker.io"),
    ],
)
def test_registry_of__an_images_name__is_the_one_that_it_means(image: str, registry: str) -> None:
    assert registry_of(image) == registry


@pytest.mark.parametrize(
    ("image", "full"),
    [
        ("f", "docker.io/library/f"),
        ("sha256:00", "docker.io/library/sha256:00"),
        ("ubuntu@sha256:00", "docker.io/library/ubuntu@sha256:00"),
        ("own/image:1", "docker.io/own/image:1"),
        ("docker.io/library/ubuntu", "docker.io/library/ubuntu"),
        ("registry:5000/name:1", "registry:5000/name:1"),
    ],
)
def test_full_name__any_name__has_its_registry(image: str, full: str) -> None:
    assert full_name(image) == full


def test_require_wanted__registry_is_not_listed__host_does_not_want_the_order() -> None:
    rules = ImageRules(registries=("docker.io", "ghcr.io"))
    rules.require_wanted("ubuntu")
    rules.require_wanted("ghcr.io/owner/name")
    with pytest.raises(OrderUnwanted, match=r"quay\.io") as refused:
        rules.require_wanted("quay.io/owner/name")
    assert "docker.io or ghcr.io" in refused.value.remedy
    ImageRules().require_wanted("quay.io/owner/name")


def test_download__data_trickle__moves_by_each_part_or_layer_that_arrives() -> None:
    download = Download()

    def told(layer: str, status: str, arrived: int = 0) -> bool:
        message = {"id": layer, "status": status, "progressDetail": {"current": arrived, "total": 2**30}}
        download.take(message)
        return download.has_moved(message)

    assert not told("latest", "Pulling from own/image")
    assert not told("a", "Pulling fs layer") and not told("b", "Pulling fs layer")
    assert not told("a", "Downloading", 1) and not told("a", "Downloading", LEAST_BYTES - 1)
    assert told("a", "Downloading", LEAST_BYTES) and not told("b", "Downloading", LEAST_BYTES - 1)
    assert not told("a", "Downloading", 0), "a retry counts nothing twice"
    assert not told("a", "Downloading", LEAST_BYTES) and told("a", "Download complete")
    assert download.awaited == {"b"}
    assert not download.is_at_work
    assert told("b", "Downloading", 2 * LEAST_BYTES) and told("b", "Pull complete") and not download.awaited
    assert download.is_at_work, "a is unpacked"
    assert told("a", "Pull complete") and not download.is_at_work, "the configuration may not come"


def test_require_small__at_the_limit_and_past_it__only_the_larger_is_refused() -> None:
    rules = ImageRules(max_bytes=10**10)
    rules.require_small("ubuntu", 10**10)
    with pytest.raises(OrderRefused, match=r"10\.0 GB"):
        rules.require_small("ubuntu", 10**10 + 1)
    ImageRules().require_small("ubuntu", 10**15)


@pytest.mark.parametrize(
    ("image", "said", "fault"),
    [
        ("ubuntu", NO_ANSWER, MachineFault),
        (f"{OWN}/name", NO_ANSWER, MachineFault),
        ("other.example.com/name", NO_ANSWER, OrderRefused),
        ("ubuntu", 'Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout', MachineFault),
        ("ubuntu", "toomanyrequests: You have reached your pull rate limit.", MachineFault),
        ("other.example.com/name", "write /var/lib/docker/tmp/x: no space left on device", MachineFault),
        ("ubuntu:nope", "manifest for ubuntu:nope not found: manifest unknown", OrderRefused),
        ("a/b", "pull access denied for a/b, repository does not exist or may require 'docker login'", OrderRefused),
        ("ubuntu", "no matching manifest for linux/amd64 in the manifest list entries", OrderRefused),
        ("ubuntu", "failed to register layer: exit status 1", Unproven),
        ("ubuntu", "invalid rootfs in image configuration", Unproven),
    ],
)
def test_blame__what_the_engine_says__is_the_hosts_fault_or_the_orders(
    image: str, said: str, fault: type[Exception]
) -> None:
    found = ImageRules(registries=(OWN,)).blame(image, said)
    assert type(found) is fault and said in str(found)


@pytest.mark.parametrize("words", ["no space left on device", "write /x: disk quota exceeded"])
def test_blame__registry_says_that_the_disk_is_full__counts_only_if_it_is(words: str) -> None:
    said, image = f"error from registry: {words}", "other.example.com/name"
    assert type(ImageRules().blame(image, said, is_full=False)) is OrderRefused
    assert type(ImageRules().blame(image, said, is_full=True)) is MachineFault


@pytest.mark.parametrize(("had_room", "fault"), [(False, MachineFault), (True, OrderRefused)])
def test_blame__image_fills_a_disk_with_room_for_the_largest__is_the_orders(
    had_room: bool, fault: type[Exception]
) -> None:
    said = "failed to register layer: write /x: no space left on device"
    assert type(ImageRules(max_bytes=100).blame("ubuntu", said, had_room=had_room)) is fault
    assert type(ImageRules().blame("ubuntu", said, had_room=had_room)) is MachineFault


def test_blame__engine_refuses__is_the_orders() -> None:
    assert type(ImageRules().blame("Ubuntu", "repository name must be lowercase", is_refusal=True)) is OrderRefused


def test_require_platform__another_machines_image__is_the_orders() -> None:
    rules = ImageRules()
    rules.require_platform("ubuntu", "linux/amd64", "linux/amd64")
    with pytest.raises(OrderRefused, match=r"ubuntu is for linux/arm64; this machine is linux/amd64"):
        rules.require_platform("ubuntu", "linux/arm64", "linux/amd64")


@pytest.mark.parametrize(
    ("said", "may_pass"),
    [
        (NO_ANSWER, True),
        ("unexpected EOF", True),
        ("manifest unknown", False),
        ("toomanyrequests: You have reached your pull rate limit.", False),
        ("write /x: no space left on device: i/o timeout", False),
    ],
)
def test_is_unanswered__what_the_engine_says__may_pass_or_not(said: str, may_pass: bool) -> None:
    assert is_unanswered(said) is may_pass


def test_download__layers_are_announced__are_summed_once() -> None:
    download = Download()
    for told, total in (
        ({"status": "Pulling fs layer", "id": "a", "progressDetail": {}}, 0),
        ({"status": "Downloading", "id": "a", "progressDetail": {"current": 1, "total": 700}}, 700),
        ({"status": "Downloading", "id": "b", "progressDetail": {"current": 1, "total": 50}}, 750),
        ({"status": "Downloading", "id": "a", "progressDetail": {"current": 700, "total": 700}}, 750),
        ({"status": "Extracting", "id": "a", "progressDetail": {"current": 1, "total": 9_000}}, 750),
        ({"status": "Digest: sha256:00"}, 750),
    ):
        assert download.take(told) == total
