"""Shows that each invariant is tested: takes a check out of the code and expects the tests named for it to fail.

`listed`  docs/mutations.toml
`weave`   Rust sources that carry several mutations, of which the finished program has one chosen
`copy`    a copy of the checkout that is changed, built and tested
`judge`   what becomes of each mutation
"""
