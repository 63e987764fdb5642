"""Check a built site: links inside it lead to pages and places that exist, and no page loads anything from elsewhere.

Usage: python check_pages.py FOLDER. Exit code 1 and a line for each fault, if there are any.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that a browser fetches automatically, unlike links.
LOADED = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "object": "data", "embed": "src"}


class Page(HTMLParser):
    """Anchors, links and loaded files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = {"", "top"}
        self.links: list[tuple[int, str]] = []
        self.loaded: list[tuple[int, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the anchor, link or loaded file of an element."""
        line, found = self.getpos()[0], {name: value or "" for name, value in attrs}
        self.places.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append((line, found["href"]))
        if tag == "link" and found.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon", "modulepreload"):
            self.loaded.append((line, found["href"]))
        if LOADED.get(tag) in found:
            self.loaded.append((line, found[LOADED[tag]]))


def check(folder: Path) -> list[str]:
    """Return the problems of all pages of a folder, one line each."""
    folder = folder.resolve()
    files = (file for file in sorted(folder.rglob("*.html")) if folder / "_static" not in file.parents)
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in files}
    faults = [] if pages else [f"{folder}: no pages"]
    for file, page in pages.items():
        where = file.relative_to(folder)
        for line, address in page.loaded:
            if urlsplit(address).netloc:
                faults.append(f"{where}:{line}: loads {address} from elsewhere")
        for line, address in page.links + page.loaded:
            if fault := _fault(file, address, pages):
                faults.append(f"{where}:{line}: {address}: {fault}")
    return faults


def _fault(file: Path, address: str, pages: dict[Path, Page]) -> str:
    """Return the problem with a link, if any; links to other sites are not followed."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    if target in pages and unquote(parts.fragment) not in pages[target].places:
        return "no such place on that page"
    return ""


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    sys.exit("\n".join(found) if found else 0)
