"""What this machine is, and how this program is started on it."""
