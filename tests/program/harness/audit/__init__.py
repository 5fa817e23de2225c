"""Checks every transaction against what its events say: invariants 1 to 7, 9, 10, 15, 16, 36 and 37.

`sequences` every change of an entity carries the entity's next number
`books`     rentals and vaults as a reader of events alone would keep them
`reputation` what listings count for their hosts, and the scores that come of it
`meters`    meters, within `books`
`stakes`    stake, rewards and locks the same way
`rights`    nobody acted for another
`movements` tokens and lamports that the events announce, and no others, have moved
`audit`     all of it together
"""

from .audit import Audit

__all__ = ["Audit"]
