"""Functions stay small enough to be read."""

from pathlib import Path

from tools import sizes


def test_no_function_is_too_long() -> None:
    assert sizes.long_functions() == []


def test_what_is_counted(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text(
        '"""Not counted.\n\nNor this."""\n\nX = """counted,\n\nall three"""  # with a comment\n'
        "# not counted\n\n\ndef f(\n    x: int,\n) -> int:\n"
        '    """Not counted."""\n    return x\n'
    )
    size = sizes.size_of(source)
    assert size.code == 7
    assert size.functions == {"f (line 11)": 4}
    command = tmp_path / "cli" / "some.py"
    command.parent.mkdir()
    command.write_text(source.read_text())
    assert sizes.size_of(command).functions == {"f (line 11)": 1}
    page = tmp_path / "page.j2"
    page.write_text("<p>\n\n</p>\n")
    assert sizes.size_of(page).code == 2
