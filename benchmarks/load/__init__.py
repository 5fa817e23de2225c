"""A market with as many parties and rentals as a benchmark needs, and the clients that read it.

`population`  a seeded market on the embedded cluster, with hosts and renters of its own
`lives`       the instructions of a rental's life
`recording`   every transaction of the program, as a node tells it
`requests`    an open-loop generator of HTTP requests, in a process of its own
`process`     a server in a child process
"""
