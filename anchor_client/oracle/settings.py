"""Settings of `gpu-market post-price`, which has a flag for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anchor_client.service.errors import BadSetting
from anchor_client.service.setting_kinds import COUNT, PORT, POSITIVE, TEXT, commas, integer
from anchor_client.service.settings import PREFIX, Settings, setting

if TYPE_CHECKING:
    from anchor_client.oracle.judgement import Bounds
    from anchor_client.oracle.sources import Source

BELIEF: Final = "What is believed"
SHARE: Final = integer(1, 10_000)


def _source(text: str) -> Any:
    from anchor_client.oracle.sources import Source  # noqa: PLC0415 - takes long, and help needs none

    return Source.parse(text)


@dataclass(frozen=True, kw_only=True)
class OracleSettings(Settings):
    """Settings of an oracle; durations are seconds."""

    SECTION: ClassVar[str] = "oracle"
    PREFIX: ClassVar[str] = f"{PREFIX}ORACLE_"

    sources: str = setting("", commas(_source), BELIEF)
    """Sources of the price instead of a constant one, separated by commas: `pyth:FEED`, `coinbase:SOL-USD`,
    `bitstamp:solusd`, `file:PATH`, `fixed:0.05`; `@URL` after one names another server. Each may be named once."""
    least_sources: int | None = setting(None, COUNT, BELIEF, shown="more than half")
    """Sources that must be fresh and agree."""
    max_age: int = setting(120, COUNT, BELIEF)
    """Maximum age of a source's price."""
    max_deviation_bps: int = setting(200, SHARE, BELIEF, flag="--max-deviation")
    """Maximum distance of a source from the median, in hundredths of a percent; one farther away is left out."""
    max_change_bps: int = setting(3_000, SHARE, BELIEF, flag="--max-change")
    """Maximum distance of the median from the posted price, in hundredths of a percent; beyond, nothing is posted."""
    source_timeout: float = setting(10.0, POSITIVE, BELIEF)
    """Maximum time for a source's answer."""
    metrics_port: int | None = setting(None, PORT)
    """Port that serves metrics for Prometheus, and `/health`."""
    metrics_host: str = setting("127.0.0.1", TEXT)
    """Address of that port."""

    def require_consistent(self) -> None:
        """A source that is named twice would count twice in the median. BadSetting."""
        names = [source.name for source in self.named]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                raise BadSetting(
                    f"The sources name {name} {names.count(name)} times",
                    "Name each source once, with one URL: it would count more than once in the median.",
                )

    @property
    def named(self) -> tuple[Source, ...]:
        """The sources."""
        return tuple(_source(text) for text in self.sources.split(",") if text.strip())

    @property
    def bounds(self) -> Bounds:
        """Bounds for this many sources."""
        from anchor_client.oracle.judgement import Bounds  # noqa: PLC0415 - as above

        least = len(self.named) // 2 + 1 if self.least_sources is None else self.least_sources
        return Bounds(least, self.max_age, self.max_deviation_bps, self.max_change_bps)
