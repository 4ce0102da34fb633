"""The client of the service under its old name; it is the package ``copyproof_client``."""

from copyproof_client import (
    ApiError,
    ApiKey,
    AsyncClient,
    Client,
    Decision,
    Told,
    Unavailable,
)

__all__ = ["ApiError", "ApiKey", "AsyncClient", "Client", "Decision", "Told", "Unavailable"]
