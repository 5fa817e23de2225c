"""The markets that tests act on; the program's own, in LiteSVM alone, is tests.program.harness.

`spec`         the machine that hosts list in all of them
`stake`        stake accounts as the program stores them
`recorded`     in process, every transaction kept as a node tells it
`parties`      behind RPC, seeded as local markets are: hosts and renters in pairs
`marketplace`  behind RPC, seeded as local markets are, acted upon by the client
`cluster`      where a cluster answers, and how to move its time
"""
