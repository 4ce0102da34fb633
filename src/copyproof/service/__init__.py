"""The live principal behind HTTP: ``copyproof serve``.

From the outside in: ``run`` (the process), ``protocol`` (a connection), ``gateway`` (the way of a
request; decisions and rewards), ``app`` and ``routes`` (everything else, with FastAPI),
``leadership`` (which markets this process serves), ``writer`` (where requests of a market wait),
``committer`` (one thread for all markets, one sync for all that wait). ``messages`` are the bodies,
``errors`` the refusals; ``access`` says who may do what and how much of it, ``keys`` makes and
keeps API keys.

For whoever watches it: ``observation`` notes every request, ``metrics`` counts and ``exposition``
tells Prometheus, ``logs`` and ``tracing`` write down. ``feed`` tells consoles what changes, with
``rates``; ``history`` reads who was shown, ``audits`` finds out what copies would gain.
"""

from copyproof.service.access import Limits
from copyproof.service.app import create_app, document
from copyproof.service.run import bind, run

__all__ = ["Limits", "bind", "create_app", "document", "run"]
