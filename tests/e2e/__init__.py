"""Tests of whole stacks: a seeded cluster in the test's own process, or `gpu-market up`."""
