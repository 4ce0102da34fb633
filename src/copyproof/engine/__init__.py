"""The engine: compiled kernels that take arrays and give arrays."""
