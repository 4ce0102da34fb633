"""The console at ``/console``: a page, its style sheet and its scripts, from the package alone.

Nothing here is secret, and none of it needs a key: the page asks for one, keeps it in memory, and
sends it with every request. What the page may do is said by its **Content-Security-Policy**: run
the scripts of this service and no others, talk to this service and nobody else, be put into no
frame, and never make markup or script of a text (``require-trusted-types-for``).
"""

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from fastapi.responses import Response

from copyproof.pages import style
from copyproof.service.errors import Refusal
from copyproof.service.open_pages import Page, page_of, sent

router = APIRouter(prefix="/console", include_in_schema=False)

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@cache
def assets() -> dict[str, Page]:
    """Return the files of the console by name.

    Examples
    --------
    >>> sorted(assets())[:2]
    ['actions.js', 'agents.js']
    """
    found = {}
    for each in files("copyproof.service").joinpath("console").iterdir():
        kind = _KINDS.get(each.name.rpartition(".")[2])
        if kind is not None:
            data = each.read_bytes()
            if each.name == "console.css":  # on top of what all pages share
                data = style("tokens.css", "controls.css").encode() + data
            found[each.name] = page_of(kind, data)
    return found


@router.get("")
async def console(request: Request) -> Response:
    """The page; needs no key, and says nothing of any market."""
    return _sent(request, "index.html")


@router.get("/{name}")
async def asset(name: str, request: Request) -> Response:
    """A script or a style sheet of the page."""
    return _sent(request, name)


def _sent(request: Request, name: str) -> Response:
    found = assets().get(name)
    if found is None:
        raise Refusal(404, "path", "path is not known")
    return sent(request, found, _HEADERS)
