"""The markets that tests act on, all of them made of the same parts.

`spec`         the machine that hosts list
`marketplace`  a market over RPC, run by the client
"""
