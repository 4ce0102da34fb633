"""The game in a browser: its page, which plays by itself, and ``copyproof lab``, which serves it."""
