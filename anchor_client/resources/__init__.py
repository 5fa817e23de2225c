"""Jobs, listings, hosts, requests, stakes and proposals: the client returns these models, the API answers with them and
`--json` prints them.

Amounts are integers in Python and decimal strings in JSON, since JavaScript's numbers end at 2^53; addresses and
signatures are base58 in JSON. Times are unix seconds, `*_usd` micro-USD, `*_bps` basis points. A field that only one
side knows is null on the other.
"""
