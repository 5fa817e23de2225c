"""Detects what a machine has to offer, from what its kernel and its drivers report.

`gpus`        GPUs of the PCI bus, and what NVIDIA's driver adds
`machine`     processor, memory, disk and network
`benchmark`   a few seconds of measuring
"""
