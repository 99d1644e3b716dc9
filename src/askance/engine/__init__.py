"""The run: one coroutine that reads like the picture in the documentation, one module a stage."""
