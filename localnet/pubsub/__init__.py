"""Solana's PubSub: subscriptions over WebSocket, fed by what the cluster does."""
