"""Writes an IDL as a Python package: `package` puts together what `types`, `accounts`, `events`, `instructions`,
`pdas`, `constants` and `errors` emit. `names` and `layouts` say how one name and one type look in Python."""
