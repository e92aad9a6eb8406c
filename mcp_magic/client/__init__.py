"""The client side of the protocol: one background loop, one connection a server."""
