"""The Python client of gpu-market, and what the indexer, the keeper and the host agent share with it.

`market`         Market: the whole market behind typed methods
`orders`, `sealing`   what is to run, for the host's eyes only
`api`            the market's own API: its answers and its feed
`resources`      what client, command line and API show: jobs, machines, proposals
`rules`          the program's arithmetic, exact to the base unit
`governance`     what proposals do, with which accounts, and how they stand
`deploy`, `doctor`   putting a market on a cluster, and examining it
`solana`         a client of the chain, which knows nothing of the market
`service`        what long-lived processes share: supervision, logs, metrics, locks
`errors`         every refusal, with its remedy
`generated`      accounts, instructions, events, errors and types of the program, written from its IDL by `anchor_idl`
"""
