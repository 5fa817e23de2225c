"""Addresses of a node's services."""

from __future__ import annotations

from anchor_client.solana.endpoints import websocket_url


def test_websocket_url__of_an_rpc_url__is_the_next_port_or_the_same_address() -> None:
    assert websocket_url("http://127.0.0.1:8899") == "ws://127.0.0.1:8900"
    assert websocket_url("https://api.devnet.solana.com") == "wss://api.devnet.solana.com"
    assert websocket_url("https://rpc.example/path?key=1") == "wss://rpc.example/path?key=1"
    assert websocket_url("http://[::1]:8899") == "ws://[::1]:8900"
    assert websocket_url("https://rpc.example:8443") == "wss://rpc.example:8444"
