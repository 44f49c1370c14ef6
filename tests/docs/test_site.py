"""The site builds without a warning, is whole, and needs nothing from elsewhere."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from kfusion.source.codes import CODES
from tests.support.pages import ROOT

BUILD = [sys.executable, "-m", "properdocs", "build", "--strict", "-d"]
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """What a page has: ids, links, and what a browser fetches to show it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in FETCHED and FETCHED[tag] in found:
            self.fetched.append(found[FETCHED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([*BUILD, folder], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_all_links_lead_somewhere(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in [*page.links, *page.fetched]:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            assert not parts.scheme, f"{path}: {link}"
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path}: {link}"
            if parts.fragment:
                assert unquote(parts.fragment) in pages[target].ids, f"{path}: {link}"


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        for place in Page(path).fetched:
            assert place.startswith("data:") or not urlsplit(place).netloc, f"{path}: {place}"
    for path in site.rglob("*.css"):
        assert "url(" not in path.read_text()
        assert "@import" not in path.read_text()


def test_each_code_has_a_page_that_texts_lead_to(site: Path) -> None:
    assert {path.stem for path in site.glob("codes/KF*.html")} == {*CODES}
    assert "codes/KF241.html" in Page(site / "limits.html").links
    assert "KF235.html" in Page(site / "codes/KF201.html").links


def test_link_that_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# A page\n\n[lost](lost.md), [gone](#gone)\n")
    text = (ROOT / "properdocs.yml").read_text()
    before, _, rest = text.partition("hooks:")
    text = before + rest.partition("\n")[2]
    text = text.partition("nav:\n  -")[0].replace("docs/theme", str(ROOT / "docs/theme"))
    (tmp_path / "properdocs.yml").write_text(text)
    command: list[str | Path] = [*BUILD, tmp_path / "site"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "'lost.md'" in done.stderr
    assert "'#gone'" in done.stderr
