"""The whole market on one machine: cluster, seeded market, hosts, oracle, indexer and keeper in one process, the API
in another."""
