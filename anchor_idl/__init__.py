"""Python from Anchor IDLs, for any program: `codegen` writes it, `runtime` is what it stands on."""
