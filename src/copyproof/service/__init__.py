"""The live principal behind HTTP: ``copyproof serve``.

From the outside in: ``run`` (the process), ``door`` (keys, limits, the two hot requests), ``app``
and ``routes`` (everything else, with FastAPI), ``office`` (markets and leases), ``writer`` (one
thread for each market, one sync for all that wait). ``messages`` are the bodies, ``keys`` and
``roles`` say who may do what.
"""

from copyproof.service.app import create_app, document
from copyproof.service.limits import Limits
from copyproof.service.run import bind, run

__all__ = ["Limits", "bind", "create_app", "document", "run"]
