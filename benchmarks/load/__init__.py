"""A market with as many parties and rentals as a benchmark needs, and the clients that read it.

`world`       the market that tests act on, recorded
`recording`   every transaction of the program, as a node tells it
`requests`    an open-loop generator of HTTP requests, in a process of its own
`process`     a server in a child process
"""
