"""``copyproof lab``: the game in a browser, with the engine behind it."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from copyproof._files import write_or_refuse
from copyproof.cli import options
from copyproof.cli.output import emit, emit_json, say
from copyproof.validation import FieldError, whole_in

PORT = 8100


def lab(
    port: Annotated[int, options.whole("Where it listens; 0 for a free one.", "PORT")] = PORT,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser of this machine.")
    ] = False,
    page: Annotated[
        Path | None,
        options.optional("Write the page into an .html file instead; it plays by itself.", "FILE"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object when it is up.")
    ] = False,
) -> None:
    """Serve the game on this machine, with the engine behind it.

    All policies of the catalogue, market files by drag and drop, audits, and downloads. It listens
    on the loopback address alone, until it is interrupted (Ctrl-C).
    """
    whole_in("--port", port, 0, 65535)
    if page is not None:
        _write(page, as_json)
        return
    from copyproof.lab.server import HOST, LabServer

    try:
        server = LabServer(port)
    except OSError as error:
        said = f"= {port}: {HOST} cannot be listened on there: {error.strerror}"
        raise FieldError("--port", port, "a free port", said) from None
    with server:
        if as_json:
            emit_json({"url": server.url})
        else:
            emit(f"the game is on {server.url} (Ctrl-C ends it)\n")
        server.warm_up(lambda: say("compiling the engine, once for this version (about 45 s) ..."))
        if open_page:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            if not as_json:
                say("stopped")


def _write(path: Path, as_json: bool) -> None:
    from copyproof.lab.packing import page

    if path.suffix.lower() not in (".html", ".htm"):
        raise FieldError("--page", str(path), "a file that ends in .html")
    content = page().encode()
    write_or_refuse(path, content)
    if as_json:
        emit_json({"page": str(path), "bytes": len(content)})
    else:
        emit(f"{path}\n")
