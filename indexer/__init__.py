"""The index: finalized transactions of the program in, SQL and a read API out.

`sources`    a cluster's transactions, in the chain's order, resumable
`decode`     transaction -> events of our own program
`ingest`     events, projections and cursor in one SQL transaction
`handlers`   one projection step for each event
`models`     the tables; `migrations` makes them
`rebuild`    projections again from the raw events
`reconcile`  the index against the vaults
`api`        what it serves
"""
