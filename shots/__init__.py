"""Pictures of the real window, made without a screen: for the README, and for the tests to compare.

The program's own parts run: the desktop, its windows, the engine, the reader, on the sample web. Only
what differs from one time to the next is given: what the model says, the clock, the containers.
"""
