"""Settings of a host's agent.

`machine`  what a machine gives to its orders, and their limits
`agent`    settings of the agent itself
`options`  their declaration; `gpu-market host run` has a flag for each
"""
