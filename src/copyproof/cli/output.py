"""Where output goes: standard output in one piece, and files that can be known to be writable."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from copyproof.cli.tables import Part, printed
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.devices.together import DeviceTime


def emit(text: str) -> None:
    """Write to standard output; a reader that has gone away (``| head``) ends the command.

    Raises
    ------
    typer.Exit
        If the reader has gone away.
    OSError
        If the output cannot be written for another reason, such as a full disk.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
        raise typer.Exit(1) from None
    except OSError:
        silence_stdout()
        raise


def emit_json(answer: Mapping[str, object]) -> None:
    """Write one JSON object to standard output."""
    emit(json.dumps(answer, allow_nan=False) + "\n")


def emit_answer(
    as_json: bool, answer: Callable[[], Mapping[str, object]], parts: Iterable[Part]
) -> None:
    """Write what a command found: as one JSON object, or as lines and tables for people."""
    if as_json:
        emit_json(answer())
    else:
        emit(printed(parts))


def emit_results(as_json: bool, results: Sequence[Any], parts: Iterable[Part]) -> None:
    """Write what a command found of each policy."""
    emit_answer(as_json, lambda: {"policies": [one.to_dict() for one in results]}, parts)


def say(line: str) -> None:
    """Write a line to standard error, if there is one."""
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)


def device_answer(time: "DeviceTime | None") -> dict[str, object]:
    """What an answer says of the GPU that played; nothing if none did."""
    return {} if time is None else {"device": time.to_dict()}


def tell_device(time: "DeviceTime | None") -> None:
    """Say on standard error how long the GPU that played was at work."""
    if time is not None:
        say(
            f"{time.games:,} games in {time.launches:,} launches: {time.seconds:.2f} s on the "
            f"device, kernels side by side ({time.kernel_seconds:.2f} s one after the other)"
        )


def silence_stdout(*, if_closed: bool = False) -> None:
    """Send what is left of standard output nowhere, so that Python's exit has nothing to say.

    Parameters
    ----------
    if_closed : bool
        Only if it cannot be written.
    """
    try:
        if if_closed:
            sys.stdout.flush()
            return
    except AttributeError:  # there is no standard output
        return
    except OSError:
        pass
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def one_line(text: str) -> str:
    """Return a message on one line, with nothing in it that could steer a terminal.

    Examples
    --------
    >>> one_line("two" + chr(10) + "  lines" + chr(27))
    'two lines?'
    """
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "?" for letter in words)


def check_outputs(market: str, /, what: str = "the market file", **files: Path | None) -> None:
    """Refuse, before any work, a file that could not be written or would overwrite another.

    Parameters
    ----------
    market : str
        The market file, or another that is read, which is not to be overwritten.
    what : str
        What that file is.
    **files : Path or None
        The files to write, by the name of their option.

    Raises
    ------
    FieldError
        That names the option.
    """
    taken = {os.path.realpath(market): what}
    for option, path in files.items():
        if path is None:
            continue
        try:
            _check_writable(path)
        except OSError as error:
            raise _refusal(option, path, f"cannot be written: {error.strerror}") from None
        place = os.path.realpath(path)
        if place in taken:
            raise _refusal(option, path, f"would overwrite {taken[place]}")
        taken[place] = f"--{option}"


def _refusal(option: str, path: Path, why: str) -> FieldError:
    return FieldError(f"--{option}", path, "a new file that can be written", f"{path} {why}")


def _check_writable(path: Path) -> None:
    """Raise ``OSError`` unless ``write_atomically`` could write there."""
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    if path.exists() and not path.is_file():  # a device or a pipe
        if not os.access(path, os.W_OK):
            raise PermissionError(0, "permission denied")
        return
    with tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent):
        pass
