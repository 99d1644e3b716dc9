"""The guarded HTTP of every client, what local services say of themselves, and which addresses are this machine's."""
