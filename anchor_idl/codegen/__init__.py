"""IDL and code generator: the one place that knows IDL syntax. Run as `python -m anchor_idl.codegen <step>`.

`extract`   asks the program for its IDL
`complete`  adds the addresses that the program's macro leaves out, by the rules of idl/addresses.toml
`legacy`    writes the pre-0.30 form that anchorpy reads
`python`    writes a Python package
`generate`  does all of it, or compares what is on disk with it

`idl` is the model of an IDL, `parse` reads it, `python/` holds what writes Python.
"""
