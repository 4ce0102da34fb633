"""A client of the service, with types and retries; it needs nothing but the standard library.

::

    from copyproof.client import Client  # `copyproof_client` where copyproof-client is installed

    with Client("http://127.0.0.1:8000", key) as client:
        [decision] = client.ask("site")
        client.tell("site", decision.id, 1.0)

``AsyncClient`` has the same methods, to be awaited.
"""

from .async_client import AsyncClient
from .client import Client
from .records import ApiError, ApiKey, Decision, Told, Unavailable

__all__ = ["ApiError", "ApiKey", "AsyncClient", "Client", "Decision", "Told", "Unavailable"]
