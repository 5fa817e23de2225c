"""Generates Python clients from Anchor IDLs. Run as `python -m anchor_idl.codegen <step>`.

`extract`   builds the IDL from the program
`complete`  adds the addresses that Anchor's macro leaves out, by address rules
`legacy`    writes the pre-0.30 form that anchorpy reads
`python`    writes a Python package
`generate`  does all of it, or checks that the files on disk are up to date

`idl` is the model of an IDL, `parse` reads it, `python/` writes Python, `project` reads the settings.
"""
