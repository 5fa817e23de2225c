"""The markets that tests act on: in the process by the program harness's acts, over RPC by the client's own.

`spec`         the machine that hosts list in all of them
`stake`        stake accounts as the program stores them

In the process; the program's own tests have the harness's market in LiteSVM alone.
`node`         the harness's cluster on a node's, so that its acts are what tests do there too
`recorded`     the harness's market, every transaction of which is kept as a node tells it
`parties`      seeded as local markets are, with hosts and renters in pairs, and served to who reads it over RPC

Over RPC, on whichever cluster answers there.
`marketplace`  seeded as local markets are, acted upon by the client
`cluster`      where a cluster answers, and how to move its time
"""
