"""Devices: the engine's own games on a GPU, a game per thread, with the same decisions."""
