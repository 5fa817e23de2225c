"""A machine that runs orders in containers of a Docker engine.

`container`  an order as the engine's container options
`engine`     containers, networks and images of one machine
`machine`    the machine: background job, order, wiping
`shell`      commands in a container, for SSH
"""
