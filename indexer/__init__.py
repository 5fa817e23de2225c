"""The index and its API: finalized transactions of the program in, SQL and answers out.

`index`      from finalized transactions to rows
`models`     the tables; `migrations` makes them
`store`      the database: connections, rows, queries
`changes`    reports what each commit has changed
`api`        what it serves; `accounts` who may ask for more, `dashboard` its page

`index` and `api` meet in the tables: neither imports the other, but for what tests/docs/test_architecture.py declares.
"""
