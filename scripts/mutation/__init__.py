"""Shows that each invariant is tested: removes a check from the code and expects the tests named for it to fail.

`listed`  docs/mutations.toml
`items`   named items of a source, in which mutations are found
`weave`   Rust sources with several mutations, one of which is chosen in the built program
`copy`    a copy of the checkout that is changed, built and tested
`judge`   the verdict on each mutation
"""
