"""From finalized transactions to rows.

`sources`    a cluster's transactions, in the chain's order, resumable
`decode`     transaction -> events of our own program
`ingest`     events, projections and cursor in one SQL transaction
`handlers`   one projection step for each event
`follow`     all of it, for as long as the service runs
`rebuild`    projections again from the raw events
`proof`      the index against the chain: vaults, supplies, gaps
"""
