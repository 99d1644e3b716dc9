"""What the program writes down about itself: its log, and reports of its crashes. Nothing is sent."""
