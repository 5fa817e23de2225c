"""Acts that are refused for this moment alone: built again from what the chain shows then, and sent again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from anchor_client.generated import errors as refusals

ATTEMPTS: Final = 5
SECOND: Final = 1.0
PASSING: Final = (refusals.JustPlaced, refusals.JustWithdrawn)
"""The next second takes these back."""
OVERTAKEN: Final = (refusals.MeterMissing,)
"""A meter was opened after the rental had been read."""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def again(act: Callable[Arguments, Awaitable[Result]]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """Has an act read, build and send up to ATTEMPTS times. Whatever is refused has moved nothing."""

    @wraps(act)
    async def patiently(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        for _ in range(ATTEMPTS - 1):
            try:
                return await act(*args, **kwargs)
            except PASSING:
                await asyncio.sleep(SECOND)
            except OVERTAKEN:
                pass
        return await act(*args, **kwargs)

    return patiently
