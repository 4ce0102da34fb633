"""``copyproof store forget``: the name of an agent, in a store and in its backups."""

import os
from pathlib import Path
from typing import Annotated

import typer

from copyproof.cli import options
from copyproof.cli.opening import opened
from copyproof.cli.store import Market, print_done, record, require_market
from copyproof.validation import FieldError


def forget(
    market: Market,
    agent: Annotated[str, typer.Argument(metavar="AGENT", show_default=False)],
    store: options.StoreUrl = options.DEFAULT_STORE,
    backups: Annotated[
        Path | None, options.optional("In the backups of this folder, too.", "FOLDER", "--backups")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Forget the name of an agent and of its arms; the market must not be served meanwhile.

    Tokens stand in their place from then on, in the journal, in the snapshots and in the record of
    what operators did, and API keys of the agent are deleted. The chain and all decisions stay as
    they are, and the agent cannot come back under this name. Exports made before are not changed.
    """
    if backups is not None and not backups.is_dir():
        raise FieldError("--backups", backups, "a folder", f"= {backups} is not a folder")
    with opened(store) as found:
        from copyproof.live.forgetting import forget as forget_agent
        from copyproof.live.forgetting import forget_in_backups
        from copyproof.live.stores.backups import copies_in

        require_market(found, market)
        copies = [] if backups is None else copies_in(backups, found)
        for path in copies:  # before anything is changed anywhere
            _check_backup(path)
        before = len(found.keys())
        try:
            token, events = forget_agent(found, market, agent)
        except LookupError:
            raise FieldError("AGENT", agent, "an agent of the market") from None
        deleted = before - len(found.keys())
        record(found, "store forget", market=market, agent=token)
    changed = forget_in_backups(copies, market, agent)
    done = {"market": market, "token": token, "events": events, "keys": deleted}
    print_done(done if backups is None else {**done, "backups": changed}, as_json)


def _check_backup(path: Path) -> None:
    """Refuse a file that is no backup, or a damaged one."""
    from copyproof.live.forgetting import check_backups
    from copyproof.live.stores import StoreError

    try:
        check_backups([path])
    except StoreError as error:
        why = str(error).removeprefix(f"{os.path.abspath(path)}: ")
        said = f"{path}: {why}; nothing was forgotten anywhere"
        raise FieldError("", path, "a backup", said, source="--backups") from None
