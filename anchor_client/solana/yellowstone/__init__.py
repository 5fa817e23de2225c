"""The wire format of Yellowstone gRPC, in which providers stream what validators do; needs the `grpc` extra.

`generated` holds the messages, made by scripts/yellowstone.py from the protos of yellowstone-grpc-proto (Apache-2.0).
`service` names the methods. Nothing here knows of this market.
"""
