"""Acts of a wallet, one file an area. Each route's operation id is the client's action: `rental_extend` is
`market.rental.extend`."""
