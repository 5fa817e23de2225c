"""Settings of commands and services.

`cluster`  cluster and wallet: flags override the environment, which overrides the settings file
`keys`     settings of every command, and the declarations of the services' settings
`options`  options of a command from the declaration of a service's settings
`service`  settings of a service from flags, environment, settings file and cluster
"""
