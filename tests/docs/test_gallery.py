"""The gallery: each block of its page draws its picture, and each picture is shown."""

import re

import pytest

from tools import gallery

PNG = b"\x89PNG\r\n\x1a\n"
NAMES = list(gallery.blocks())


@pytest.mark.parametrize("name", NAMES)
def test_a_block_draws_its_picture(name: str) -> None:
    with gallery.drawn(name, gallery.blocks()[name]) as picture:
        made = picture.read_bytes()
    shown = (gallery.PICTURES / name).read_bytes()
    assert made.startswith(PNG)
    # Width and height: the picture that is shown is of this code.
    assert made[16:24] == shown[16:24]
    assert abs(len(made) - len(shown)) < 0.2 * len(shown)


def test_each_is_shown_with_words() -> None:
    text = gallery.PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"!\[([^\]]{30,})\]\(images/gallery/(\w+\.png)\)", text)
    assert [name for _, name in shown] == NAMES
    assert sorted(each.name for each in gallery.PICTURES.iterdir()) == sorted(NAMES)
