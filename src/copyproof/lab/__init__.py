"""The game in a browser: a page that plays by itself, and ``copyproof lab``, which serves it."""
