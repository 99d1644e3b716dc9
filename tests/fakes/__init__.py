"""Scripted stand-ins for the engine's ports. They record what they were asked, and wait only for events."""
