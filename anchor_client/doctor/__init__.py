"""Examines a market: each check says what it has found, how grave that is, and what to do about it.

`finding`    what a check has found
`context`    what checks may look at
`node`       the RPC node: health, time, slots, versions of transactions
`program`    the deployed code, and who may replace it
`settings`   parameters against their bounds, pauses, mints and their prices
`vaults`     what vaults hold against what they owe
`hosts`      machines that are not heard of, rentals that nobody has ended
`services`   the index by its API, and the keeper's wallet
`examine`    all of it
"""
