"""The pieces that windows are put together from."""
