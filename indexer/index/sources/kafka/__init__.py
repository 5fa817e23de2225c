"""A Kafka topic as a source: any number of processes write a program's transactions to it, one projector reads them.

The topic has one partition, so that everyone reads the same order. A mark says that what its source has sent of some
slots is all that they hold; without it, a slot is not released. Only finalized transactions come in, so a slot names
one block.
"""
