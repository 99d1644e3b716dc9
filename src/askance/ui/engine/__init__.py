"""Between the windows and the engine: a thread beside the window, and the conversation it serves.

Widgets ask through `bridge`; what a person does with a conversation goes through `session`.
"""
