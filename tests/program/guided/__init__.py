"""Coverage-guided fuzzing: what the crate in fuzzer/ starts from, and the full audit of what it has kept.

`recorder`  a cluster that writes down what is done to it
`seeds`     what the tests do, as the fuzzer reads it
`replay`    a kept sequence on a cluster that the audit follows
`recording` what tests do, written down as sequences
`engines`   what each of the random tests alone reaches
`runtimes`  what recorded sequences leave on the runtime that comes, which the crate in ahead/ is built with
"""
