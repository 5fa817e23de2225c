"""Detects a machine's hardware, as reported by its kernel and its drivers.

`gpus`       GPUs that can be offered, and those that cannot
`pci_bus`    GPUs of the PCI bus
`nvidia_smi` what NVIDIA's driver says of its GPUs
`device_nodes` the driver's files under /dev
`machine`    processor, memory, disk and network
`benchmark`  a few seconds of measuring
"""
