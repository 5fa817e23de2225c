"""Runs a gateway; see `daemon`."""

import sys

from host_agent.gateway.daemon import main

main(sys.argv[1:])
