"""Solana Actions, version 2.4 of their specification: the acts that wallets, QR codes and links show as buttons."""
