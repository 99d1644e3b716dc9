"""What each command does, a module each."""
