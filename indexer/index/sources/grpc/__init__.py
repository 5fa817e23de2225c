"""A Yellowstone gRPC server as a source: it streams whole blocks, of which it sends the program's transactions."""
