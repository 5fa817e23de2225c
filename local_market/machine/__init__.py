"""The machines of a local market, which answer on loopback with programs of this computer.

`machines`  all of them, and where their programs run
`machine`   one of them: SSH, terminal and ports of its tenant
`tenancy`   what survives a restart of `up`
`sandbox`   namespaces of Linux around a tenant's programs
`own`       no sandbox: programs run as on this computer, for `up --shell`
`emulated`  a few commands instead, where there are no namespaces
`inside`    processes and terminals of a tenant
`reports`   the hardware that programs see, all of it simulated
"""
