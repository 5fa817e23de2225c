"""The machine's listings, kept true while the agent runs.

`offering`      changes of listings that an agent makes for their owner
`overlap`       listings that share GPUs or a disk
`maintenance`   maintenance with a date
`shortfalls`    properties in which the machine falls short of its listings
`listed_watch`  looks for them while the machine is idle
`health_watch`  health of the machine while no tenant has it
"""
