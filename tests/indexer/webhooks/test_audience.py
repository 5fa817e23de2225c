"""Endpoints that receive notices: the place below which there is nothing for any of them."""

from __future__ import annotations

from dataclasses import replace

from indexer.api.feed.relations import Relations
from indexer.api.webhooks.audience import Audience, NoticeEndpoint

END = 9
"""The last event's number."""
ENDPOINT = NoticeEndpoint("one", frozenset(), (), (), number=4, since=0, anew=False, is_behind=False)


def test_lowest__of_nobody__is_the_end() -> None:
    assert Audience(Relations()).lowest(END) == END


def test_lowest__endpoints_come_change_and_leave__is_that_of_the_ones_there_are() -> None:
    audience = Audience(Relations(), [ENDPOINT, replace(ENDPOINT, id="other", number=6)])
    assert (audience.lowest(END), audience.lowest(3)) == (4, 3)
    audience.put(replace(ENDPOINT, id="third", number=2))
    assert audience.lowest(END) == 2
    audience.put(replace(ENDPOINT, id="third", number=8))
    assert audience.lowest(END) == 4
    audience.drop("one")
    assert audience.lowest(END) == 6
    for id in ("other", "third"):
        audience.drop(id)
    assert audience.lowest(END) == END
    audience.put(ENDPOINT)
    assert audience.lowest(END) == 4
