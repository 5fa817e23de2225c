"""The whole market on one machine, in one process: cluster, seeded market, hosts, oracle, indexer with API, keeper."""
