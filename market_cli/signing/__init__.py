"""Signatures made elsewhere, or kept.

`unsigned`     a command's transaction, and the order before it, for a wallet whose key is elsewhere
`signed_file`  both, once the wallet has signed
`signed_in`    the tokens of a wallet's sign-in
"""
