"""A client of the service, with types and retries; it needs nothing but the standard library.

::

    from copyproof_client import Client

    with Client("http://127.0.0.1:8000", key) as client:
        [decision] = client.ask("site")
        client.tell("site", decision.id, 1.0)

``AsyncClient`` has the same methods, to be awaited.
"""

from copyproof_client.async_client import AsyncClient
from copyproof_client.client import Client
from copyproof_client.records import ApiError, ApiKey, Decision, Told, Unavailable

__all__ = ["ApiError", "ApiKey", "AsyncClient", "Client", "Decision", "Told", "Unavailable"]
