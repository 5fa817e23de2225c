"""Settings from their sources, on a declaration of the test's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

import pytest

from anchor_client.service.errors import BadSetting
from anchor_client.service.setting_kinds import (
    FILE,
    LIST,
    SWITCH,
    TEXT,
    URL,
    SettingKind,
    choice,
    commas,
    integer,
    number,
    table,
    text,
)
from anchor_client.service.setting_sources import Sources, read, require_known_variables
from anchor_client.service.settings import REQUIRED, Settings, declared, meanings, setting, variable, without_links


@dataclass(frozen=True, kw_only=True)
class OvenSettings(Settings):
    """Settings of an oven."""

    SECTION: ClassVar[str] = "oven"
    PREFIX: ClassVar[str] = "OVEN_"

    heat: int = setting(180, integer(50, 300))
    """Its [heat](heat.md)."""
    door: str = setting(REQUIRED, TEXT)
    """Place in which it opens."""
    trays: tuple[str, ...] = setting((), LIST)
    """Goods that it bakes."""
    token: str | None = setting(None, TEXT, secret=True)
    """Its key."""
    url: str | None = setting(None, URL, flag="--display", secret=True)
    """Its display."""
    fan: bool = setting(False, SWITCH)
    """Moves the air."""
    node: str = setting("none", TEXT, of_cluster=True)
    """The cluster's."""


def oven(**sources: Any) -> OvenSettings:
    return read(OvenSettings, Sources(**{"flags": {"door": "left"}, **sources})).settings


def test_read__value_in_every_source__flag_then_environment_then_file_then_default() -> None:
    file: dict[str, object] = {"door": "front", "heat": 100}
    environment = {"OVEN_HEAT": "120", "HEAT": "7"}
    for sources, heat, origin in (
        ({"flags": {"heat": "140"}, "environment": environment, "section": file}, 140, "flag"),
        ({"environment": environment, "section": file}, 120, "environment"),
        ({"section": file}, 100, "file"),
        ({"section": {"door": "front"}}, 180, "default"),
        ({"environment": {"OVEN_HEAT": ""}, "section": {"door": "front"}}, 180, "default"),
    ):
        found = read(OvenSettings, Sources(**sources))  # type: ignore[arg-type]
        assert (found.settings.heat, found.origins["heat"]) == (heat, origin)
        assert found.settings.door == "front"


def test_read__switch_and_list_of_the_file__are_overridden_by_flags() -> None:
    file: dict[str, object] = {"fan": True, "trays": ["bread", "two buns"]}
    assert oven(section=file).fan and oven(section=file).trays == ("bread", "two buns")
    assert not oven(section=file, flags={"door": "left", "fan": False}).fan
    assert oven(environment={"OVEN_TRAYS": "bread 'two buns'"}).trays == ("bread", "two buns")


def test_read__setting_of_the_cluster__comes_from_its_profile_alone() -> None:
    sources = Sources({"door": "left"}, {"OVEN_NODE": "mine"}, of_cluster={"node": "theirs"}, origins={"node": "file"})
    found = read(OvenSettings, sources)
    assert (found.settings.node, found.origins["node"]) == ("theirs", "file")
    assert variable(OvenSettings, "node") == "GPU_MARKET_NODE"
    with pytest.raises(BadSetting, match="'node' of oven"):
        oven(section={"node": "mine"})


@pytest.mark.parametrize(
    ("sources", "remedy"),
    [
        ({"flags": {"door": "left", "heat": "hot"}}, "Correct --heat."),
        ({"environment": {"OVEN_HEAT": "hot"}}, "Correct OVEN_HEAT."),
        ({"section": {"heat": "hot"}, "file": "oven.toml"}, "Correct `heat` of oven in oven.toml."),
        ({"section": {"heat": 49}}, "Correct `heat` of oven in the settings file."),
    ],
)
def test_read__value_not_valid__names_its_source_and_does_not_repeat_it(
    sources: Mapping[str, Any], remedy: str
) -> None:
    with pytest.raises(BadSetting, match="The setting heat is not valid") as refused:
        oven(**sources)
    assert refused.value.remedy == remedy and "hot" not in refused.value.message


def test_read__required_setting_missing__names_flag_variable_and_file() -> None:
    with pytest.raises(BadSetting, match="door is missing") as refused:
        read(OvenSettings, Sources())
    assert all(name in refused.value.remedy for name in ("--door", "OVEN_DOOR", "`door` of oven"))


@pytest.mark.parametrize(("name", "remedy"), [("haet", "Did you mean heat?"), ("zzz", "docs/settings.md")])
def test_read__unknown_name_in_the_file__names_the_nearest(name: str, remedy: str) -> None:
    with pytest.raises(BadSetting, match=f"oven.toml sets '{name}' of oven") as refused:
        oven(section={name: 1}, file="oven.toml")
    assert remedy in refused.value.remedy


def test_variables__one_misspelt__names_the_nearest() -> None:
    known = {variable(OvenSettings, name) for name in declared(OvenSettings)}
    require_known_variables({"OVEN_HEAT", "PATH", "GPU_MARKET_NODE"}, "OVEN_", known)
    with pytest.raises(BadSetting, match="OVEN_HAET") as refused:
        require_known_variables({"OVEN_HEAT", "OVEN_HAET"}, "OVEN_", known)
    assert refused.value.remedy == "Did you mean OVEN_HEAT?"


def test_secrets__set__are_said_nowhere() -> None:
    secret = "c0ffee5ec2e7c0ffee5e"
    found = read(
        OvenSettings, Sources({"door": "x", "token": secret, "url": f"https://me:{secret}@oven.example/{secret}"})
    )
    rows = {name: value for name, value, _ in found.rows()}
    assert (rows["token"], rows["url"]) == ("***", "https://***@oven.example/***")
    assert secret not in repr(found.settings)
    assert declared(OvenSettings)["token"].flags("token") is None


def test_settings__made_in_code__are_checked_as_well() -> None:
    assert OvenSettings(door="left", heat=300).heat == 300
    with pytest.raises(BadSetting, match="heat"):
        OvenSettings(door="left", heat=301)


def test_flags__of_each_kind__are_named_after_the_setting() -> None:
    about = declared(OvenSettings)
    assert [about[name].flags(name) for name in about] == [
        *("--heat", "--door", "--trays", None, "--display", "--fan/--no-fan", None)
    ]
    assert meanings(OvenSettings)["heat"] == "Its [heat](heat.md)." and without_links("Its [heat](x).") == "Its heat."


class Size(StrEnum):
    """Sizes."""

    SMALL = "small"
    LARGE = "large"


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (integer(1, 5), "5", 5),
        (number(above=0), "0.5", 0.5),
        (number(least=1), 1, 1.0),
        (SWITCH, "ON", True),
        (SWITCH, False, False),
        (FILE, "/tmp/x", Path("/tmp/x")),
        (LIST, ["a b", 1], ("a b", "1")),
        (choice(Size), "large", Size.LARGE),
        (commas(int), [1, 2], "1,2"),
        (URL, ["https://a.example", "http://b.example"], "https://a.example,http://b.example"),
        (table(dict), '{"a": "b"}', {"a": "b"}),
        (text(r"\d+", "no digits"), "12", "12"),
    ],
)
def test_kind__what_it_takes__becomes_a_value(kind: SettingKind, given: object, value: object) -> None:
    assert kind.parse(given) == value
    assert kind.parse(value) == value


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *((integer(1, 5), given) for given in ("0", 6, "x", "1.5", 1.5, True, None)),
        *((number(above=0), given) for given in ("0", -1, "inf", "nan", "x", True, None)),
        (number(least=1), 0.9),
        *((SWITCH, given) for given in ("maybe", 2, "")),
        (choice(Size), "middling"),
        (commas(int), "1,x"),
        *((URL, given) for given in ("ftp://a.example", "https://a.example,ftp://b", "http://a:0", 7)),
        *((table(dict), given) for given in ("[]", "{", 3)),
        *((text(r"\d+", "no digits", least=2), given) for given in ("x1", "1", 12)),
    ],
)
def test_kind__what_it_does_not_take__is_a_value_error(kind: SettingKind, given: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        kind.parse(given)
