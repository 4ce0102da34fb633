"""Studies: from one question to a hundred thousand games, on one machine or on a cluster.

A study is a file, or a ``Study``; its cells are content-addressed, its run can be broken off at any
moment, and its result is one table. Nothing is loaded here, so that ``copyproof study status`` need
not wait for the engine.
"""
