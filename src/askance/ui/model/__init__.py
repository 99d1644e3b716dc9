"""What the window shows, as frozen values folded from events. No Qt, no clock, no file."""
