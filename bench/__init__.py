"""The offline benchmark: the real engine over the sample web, with a scripted model and a clock of its own."""
