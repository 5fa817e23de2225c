"""The machine's disk and its shares.

`room`            room for the next order
`file_systems`    file systems of tenants' own, where the disk has no quotas
`one_disk`        refusal of a second agent on a disk where nothing limits tenants
`workspaces`      workspaces kept between rentals
`sealed_archive`  their form: an archive that its writer cannot read
"""
