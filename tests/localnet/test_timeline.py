"""Slots and time, against hand-moved clocks."""

import pytest
from solders.hash import Hash

from localnet.blockhashes import Blockhashes
from localnet.timeline import CATCH_UP_SLOTS, Segment, Timeline

START = 1_800_000_000.0


class Hands:
    """A wall clock and a monotonic clock that move together."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.segments: list[Segment] = []

    def timeline(self) -> Timeline:
        return Timeline(
            wall=lambda: START + self.elapsed, monotonic=lambda: self.elapsed, on_segment=self.segments.append
        )


@pytest.mark.parametrize(("elapsed", "slot"), [(0.0, 1), (0.399, 1), (0.4, 2), (0.799, 2), (4.0, 11)])
def test_tick__time_passed__opens_a_slot_each_400_ms(elapsed: float, slot: int) -> None:
    hands = Hands()
    timeline = hands.timeline()
    hands.elapsed = elapsed
    timeline.tick()
    assert timeline.slot == slot
    assert timeline.unix_ms == int(START * 1000) + (slot - 1) * 400


def test_tick__long_stall__opens_one_slot_at_the_present_time() -> None:
    hands = Hands()
    timeline = hands.timeline()
    hands.elapsed = (CATCH_UP_SLOTS + 2) * 0.4
    assert list(timeline.tick()) == [2]
    assert timeline.unix_ms == int((START + hands.elapsed) * 1000)


def test_pause__time_passed__stands_still_and_resumes_in_the_next_slot() -> None:
    hands = Hands()
    timeline = hands.timeline()
    timeline.pause()
    hands.elapsed = 10.0
    assert not timeline.tick()
    assert timeline.unix_ms == int(START * 1000)
    assert list(timeline.resume()) == [2]
    assert timeline.unix_ms == int((START + 10) * 1000)


def test_warp__forward__adds_up_and_keeps_the_past() -> None:
    hands = Hands()
    timeline = hands.timeline()
    hands.elapsed = 0.8
    timeline.tick()
    timeline.warp(60_000)
    timeline.warp(60_000)
    assert timeline.slot == 5
    assert timeline.unix_ms == int(START * 1000) + 800 + 120_000
    assert [timeline.unix_ms_of(slot) - int(START * 1000) for slot in (1, 2, 3)] == [0, 400, 800]


def test_warp__during_a_pause__moves_time_by_no_more() -> None:
    hands = Hands()
    timeline = hands.timeline()
    timeline.pause()
    hands.elapsed = 10.0
    timeline.warp(500)
    assert timeline.unix_ms == int(START * 1000) + 500
    hands.elapsed = 13.0
    timeline.resume()
    assert timeline.unix_ms == int(START * 1000) + 3_500


def test_warp__backwards__is_refused() -> None:
    with pytest.raises(ValueError, match="forward"):
        Hands().timeline().warp(-1)


def test_tick__wall_clock_set_back__never_moves_time_back() -> None:
    wall = [START]
    elapsed = [0.0]
    timeline = Timeline(wall=lambda: wall[0], monotonic=lambda: elapsed[0])
    elapsed[0], wall[0] = 0.8, START - 3600
    timeline.tick()
    stamp = timeline.unix_ms
    timeline.warp(0)
    assert timeline.unix_ms >= stamp >= int(START * 1000)


@pytest.mark.parametrize(("slot", "valid"), [(151, True), (152, False)])
def test_blockhash__150_slots_on__is_still_valid_and_then_not(slot: int, valid: bool) -> None:
    hashes = Blockhashes(Hash.new_unique())
    assert hashes.is_valid(hashes.of(1), slot) is valid


def test_blockhash__of_the_open_slot__is_not_known_yet() -> None:
    hashes = Blockhashes(Hash.new_unique())
    assert hashes.slot_of(hashes.of(7), 7) is None
    assert hashes.slot_of(hashes.of(7), 8) == 7


def test_blockhash__expired__is_invalid_before_its_age() -> None:
    hashes = Blockhashes(Hash.new_unique())
    hashes.expire_before(6)
    assert not hashes.is_valid(hashes.of(5), 7)
    assert hashes.is_valid(hashes.of(6), 7)
