"""From what a renter types to an order.

`machine_options`  the options that say which machine is wanted
`order_options`    the options that describe an order
`rental_options`   the options that describe a rental
`orders`           orders from flags
`job_file`         job files of `gpu-market run`; `job_keys` are their keys
`env_file`         environment variables from a file
"""
