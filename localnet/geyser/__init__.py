"""Yellowstone gRPC of the embedded cluster: whole blocks as a stream, replayed from a bounded window."""
