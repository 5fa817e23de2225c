"""Runtime that all generated clients share: layouts, accounts, events, instructions, errors.

`layouts`      construct layouts of the IDL's types, all little-endian and without padding
`structs`      Struct, Account, Event, TaggedUnion: base classes of generated dataclasses
`instructions` InstructionSpec: decodes an instruction
`addresses`    the cached search for program addresses
`discriminators` looks up the entry whose discriminator some bytes start with
`lazy`         imports the parts of a generated package on first use
`program_errors` ProgramError and the framework's own codes
`errors`       encoding and decoding errors
"""
