"""Opens a market on a cluster and keeps its program up to date.

`document`    market.toml: what somebody wants a market to be
`template`    a market.toml to start from, with every parameter and its bounds
`keys`        the key files that it names, made where they are missing
`binary`      the program's code, and the address it is for
`upload`      puts bytes into a buffer, resumable at any point
`targets`     buffers: of the loader, and of a program's metadata
`published`   the documents that are published of a program
`publication` publishes them through the Program Metadata program
`program`     deploys, upgrades, verifies and closes a program
`steps`       transactions that are only sent while the account that they make is missing
`market`      the steps that open a market as a document wants it
`plan`        what is missing on a cluster, what it costs, and what cannot be undone
`manifest`    market.json: what others need to use a market, and to verify it
"""
