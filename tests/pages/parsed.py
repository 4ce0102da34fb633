"""Pages as tests read them, and what a template asks for."""

from html.parser import HTMLParser

from jinja2 import meta, nodes

from copyproof.pages import environment

EMPTY = {"meta", "img", "br", "hr"}


class Page(HTMLParser):
    """Tags with attributes, all closed in order; ids; text outside of styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.words.append(data)

    def values(self, tag: str, attribute: str) -> list[str]:
        """An attribute of all tags of one kind that have it."""
        return [value for one in self.all(tag) if (value := one.get(attribute)) is not None]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def ids(self) -> list[str]:
        return [name for _, attributes in self.tags if (name := attributes.get("id")) is not None]


def template_variables(package: str, template: str) -> set[str]:
    """The names that a template, and all that it extends and includes, takes from its page."""
    found = environment(package)
    assert found.loader is not None
    names: set[str] = set()
    waiting = [template]
    while waiting:
        source, _, _ = found.loader.get_source(found, waiting.pop())
        parsed = found.parse(source)
        declared = {macro.name for macro in parsed.find_all(nodes.Macro)}
        for imported in parsed.find_all(nodes.FromImport):
            declared |= {name for name in imported.names if isinstance(name, str)}
        # Macros and imports stand outside of the blocks that use them, where jinja2 overlooks them.
        names |= meta.find_undeclared_variables(parsed) - declared
        waiting += [one for one in meta.find_referenced_templates(parsed) if one is not None]
    return names
