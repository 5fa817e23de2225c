"""Detects a machine's hardware, as reported by its kernel and its drivers.

`gpus`       GPUs of the PCI bus, and what NVIDIA's driver adds
`machine`    processor, memory, disk and network
`benchmark`  a few seconds of measuring
"""
