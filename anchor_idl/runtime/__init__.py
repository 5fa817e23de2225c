"""What every generated client shares: layouts, accounts, events, instructions, errors.

`layouts`      construct layouts of the IDL's types, all little-endian and without padding
`structs`      Struct, Account, Event, TaggedUnion: what generated dataclasses derive from
`instructions` InstructionSpec: takes an instruction apart
`addresses`    the cached search for program addresses
`discriminators` which entry of a table some bytes start with
`program_errors` ProgramError and the framework's own codes
`errors`       what goes wrong while encoding and decoding
"""
