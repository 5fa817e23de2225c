"""A job's machine: reached, asked what it is, files and a workspace brought to it and away."""
