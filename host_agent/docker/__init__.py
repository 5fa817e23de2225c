"""A machine that runs orders in containers of a Docker engine.

`container`  what an order asks for, as the engine is told
`engine`     containers, networks and images of one machine
`machine`    the machine: background job, order, wiping
`shell`      commands in a container, for SSH
"""
