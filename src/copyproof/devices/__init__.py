"""Devices: the engine's own games on a GPU, a game per thread, with the same decisions.

``batch`` lays games out as arrays, ``cuda_source`` is the kernel around the engine's ``play``,
``specialise`` puts what is known of a policy into the engine's functions, ``cuda_compile`` turns
the whole into PTX, once for each shape of a policy, ``launch`` plays it with NumPy and CuPy, and
``side_by_side`` many of them at a time.
"""
