"""`fathom run` on devices and hierarchies that this machine may not have."""
