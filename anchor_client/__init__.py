"""The Python client of gpu-market, and what the indexer and the keeper share with it.

`market`        Market: the whole market behind typed methods
`transactions`  from instructions to a confirmed transaction
`orders`, `sealing`   what is to run, for the host's eyes only
`governance`    what proposals do, with which accounts, and how they stand
`prices`        the program's arithmetic, exact to the base unit
`tokens`, `wallet`, `catalog`   payment tokens, keys, GPU models and regions
`rpc`, `node`, `json_rpc`, `answers`, `events`   reading a cluster
`loader`        the upgradeable loader: code, buffers and who may replace them
`program_metadata`   what explorers show of a program
`redaction`     what may be said of URLs with keys in them
`errors`        every refusal, with its remedy
`generated`     accounts, instructions, events, errors and types of the program, written from its IDL by `anchor_idl`
"""
