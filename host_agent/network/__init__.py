"""The machine's network: what tenants reach, and what strangers may open.

`egress`          the firewall's rules that isolate tenants
`firewall_watch`  puts dropped rules back
`one_firewall`    refusal of a second agent with other rules
`doors`           limits of strangers' connections
`port_ranges`     forwarded ports, divided among listings
"""
