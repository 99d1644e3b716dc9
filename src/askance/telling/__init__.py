"""What every front end says, and how text of unknown origin is made fit to be shown."""
