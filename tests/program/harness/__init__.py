"""The compiled program in an embedded cluster, watched.

`keys`     named keypairs with fixed seeds
`cluster`  LiteSVM with the program, a settable clock and one way to send
`outcome`  what a transaction did; `expect` for one that must be refused
`tokens`   mints and token accounts
`terms`    listing specifications, payment mint terms and orders
`audit`    checks every transaction against a model built from events alone
`market`   the seeded market and its snapshot
`world`    the seeded market with an instruction builder for each act
"""
