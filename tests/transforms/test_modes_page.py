"""The page of the failure modes, whole: on the sample, twice, then with what somebody would like to smuggle in."""

import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flywheel.cli import cli
from models.events.comment import CommentLeft
from models.events.taxonomy import ModeProposed, ModeRenamed
from models.feedback import Author, Target
from tests.transforms.conftest import NOON, Lab

EVIL = "<script>alert('x')</script> & <img src=x onerror=alert(1)>"
GERMAN = "Die Antwort geht überhaupt nicht auf meine Frage nach den Öffnungszeiten der Bibliothek am Sonntag ein{}"
VOID = frozenset(["meta", "br", "img", "link", "input"])


class Outline(HTMLParser):
    """What a browser would make of it: open tags, headings, ids, links, charts without words."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.seen: set[str] = set()
        self.headings: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.silent = 0
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        in_words = bool(self.open and self.open[-1][1])
        if tag == "svg" and not in_words:
            self.silent += 1
        if tag in {"h1", "h2", "h3"}:
            self.headings.append(tag)
        if tag in {"article", "h2"} and said.get("id"):
            self.ids.append(str(said["id"]))
        if said.get("href"):
            self.links.append(str(said["href"]))
        if tag not in VOID:
            self.open.append((tag, in_words or bool(said.get("role") == "img" and said.get("aria-label"))))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag


@pytest.fixture(scope="module")
def lab(new_lab: Callable[[str], Lab], sampled: Any) -> Lab:
    """A copy of the sample's home."""
    lab = new_lab("paged")
    shutil.copytree(sampled.home.lake, lab.home.lake, dirs_exist_ok=True)
    shutil.copytree(sampled.home.builds, lab.home.builds)
    lab.home.warehouse.symlink_to(sampled.home.warehouse.readlink())
    return lab


@pytest.fixture(scope="module")
def pages(lab: Lab) -> tuple[str, str, str]:
    """The first report of a home, one of the same build, and one after a mode was proposed and one renamed."""
    out = lab.home.path / "page.html"

    def page() -> str:
        done = CliRunner().invoke(
            cli, ["modes", "report", "--home", str(lab.home.path), "--out", str(out)], catch_exceptions=False
        )
        assert str(out) in done.output
        return out.read_text(encoding="utf-8")

    first, same = page(), page()
    keys = [f"evil|{number}" for number in range(3)]
    lab.land(
        *(
            CommentLeft(
                id=str(number), source="evil", target=Target(kind="response", id="r-0001"), occurred_at=NOON,
                author=Author(kind="human", id=f"u{number}"), text=EVIL if number else EVIL.upper(),
            )
            for number in range(3)
        ),
        *(
            CommentLeft(
                id=f"de{number}", source="evil", target=Target(kind="response", id="r-0001"), occurred_at=NOON,
                author=Author(kind="human", id=f"u{number}"), text=GERMAN.format("!" * number),
            )
            for number in range(2)
        ),
        ModeProposed(
            id="proposed", source="test", mode_id="mode-evil", discovery_id="d", name=f"evil {EVIL}", terms=("<b>",),
            centroid=(1.0, *[0.0] * 383), cohesion=0.9, embedding="any", member_keys=tuple(keys), medoid_key=keys[1],
        ),
        ModeRenamed(id="renamed", source="test", mode_id="tool_use", name="Tools", renamed_by="somebody"),
    )  # fmt: skip
    lab.build()
    return first, same, page()


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    found.close()
    return found


def test_the_page_stands_alone_and_is_whole(pages: tuple[str, str, str]) -> None:
    for page in pages:
        found = outline(page)
        assert found.open == []
        assert not found.seen & {"script", "iframe", "link", "img", "object"}
        assert not any(name.startswith("on") for name in found.attributes)
        assert not re.search(r"(src|href)=\"(?!#)|url\(|@import", page)
        assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
        assert found.headings[:3] == ["h1", "h2", "h2"]
        assert found.silent == 0
        assert "prefers-color-scheme: dark" in page


def test_what_people_wrote_is_text(pages: tuple[str, str, str]) -> None:
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &lt;img src=x onerror=alert(1)&gt;" in pages[2]
    assert "in the middle, confidence" in pages[2]


def test_copies_are_one_complaint_of_several_authors(pages: tuple[str, str, str]) -> None:
    assert "3 comments and reports, 1 distinct complaints by 3 authors" in pages[2]
    assert "said 3 times by 3 authors" in pages[2]


def test_a_text_is_counted_in_its_own_language_and_with_its_likes(pages: tuple[str, str, str], lab: Lab) -> None:
    german = "event_key in ('evil|de0', 'evil|de1')"
    assert len(pages) == 3
    assert lab.ask(f"select distinct language from int_mode_cells where {german}") == [("de",)]
    assert lab.one(f"select count(distinct text_hash) from int_mode_cells where {german}") == 2
    assert lab.one(f"select count(distinct complaint_key) from int_mode_cells where {german}") == 1


def test_what_changed_is_told_from_the_last_build_that_was_reported_on(pages: tuple[str, str, str]) -> None:
    first, same, last = pages
    assert "first report of this home" in first
    assert same == first
    assert "<strong>Tool use</strong> is called <strong>Tools</strong>" in last
    assert "Born: <strong>evil &lt;script&gt;" in last
    assert "5 more comments and reports" in last


def test_a_page_of_no_build_says_what_to_do(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["modes", "report", "--home", str(tmp_path / "none")])
    assert done.exit_code != 0
