"""Checks every transaction against what its events say.

Invariants SYS-1, SYS-2, SYS-5, MKT-1 to MKT-3, HST-1, HST-2, RNT-1 to RNT-4, RNT-8.

`sequences` every change of an entity carries the entity's next number
`books`     rentals and vaults as a reader of events alone would keep them
`reputation` what listings count for their hosts, and the scores that come of it
`charges`   meters, within `books`
`staking`   stake, rewards and locks the same way
`rights`    nobody acted for another
`movements` tokens and lamports that the events announce, and no others, have moved
`audit`     all of it together
"""

from .audit import Audit

__all__ = ["Audit"]
