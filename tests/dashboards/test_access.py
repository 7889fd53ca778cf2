"""Who is let in and what they see: this machine's people, keys and their sessions, a proxy's people."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dashboards.access import COOKIE, Door, Proxy, Refused
from dashboards.headers import HEADERS
from dashboards.pages import PAGES
from dashboards.server import door_for
from ingest.collector.keys import Scope, create, keys_file, revoke
from ingest.home import Home
from models.errors import TerminalError
from tests.dashboards import hostile_comments as hostile
from tests.dashboards.addresses import ADDRESSES

Opened = Callable[..., Any]
EMAIL = {"X-Forwarded-Email": "lead@example.com"}


@pytest.fixture
def keys(tmp_path: Path) -> Callable[..., str]:
    """Makes a key with these scopes in a home of keys."""
    home = Home.open(tmp_path / "keys")

    def make(name: str, *scopes: Scope) -> str:
        return create(home, name, "*", scopes)[1]

    return make


@pytest.fixture
def keyed(opened: Opened, tmp_path: Path) -> Any:
    """A client of dashboards that ask for those keys."""
    return opened(Door(keys_file(Home(tmp_path / "keys"))))


def sign_in(client: Any, key: str, **headers: str) -> Any:
    return client.post("/sign-in", data={"key": key, "back": "/jobs"}, headers=headers, follow_redirects=False)


def test_this_machine_needs_no_key_but_a_name_of_its_own(opened: Opened) -> None:
    client = opened()
    assert client.get("/jobs").status_code == 200
    assert client.get("/jobs", headers={"Host": "localhost:8090"}).status_code == 200
    assert client.get("/jobs", headers={"Host": "[::1]:8090"}).status_code == 200
    assert client.get("/jobs", headers={"Host": "evil.example"}).status_code == 403


def test_a_key_signs_in_until_it_is_revoked(keyed: Any, keys: Callable[..., str], tmp_path: Path) -> None:
    key = keys("lead", "reader")
    asked = keyed.get("/jobs?state=failed", follow_redirects=False)
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in?back=%2Fjobs%3Fstate%3Dfailed")
    assert sign_in(keyed, "fw_nonsense").status_code == 401
    entered = sign_in(keyed, key)
    assert (entered.status_code, entered.headers["location"]) == (303, "/jobs")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert key not in cookie
    assert keyed.get("/jobs", follow_redirects=False).status_code == 200
    assert "Sign out" in keyed.get("/jobs").text
    revoke(Home(tmp_path / "keys"), "lead")
    assert keyed.get("/jobs", follow_redirects=False).status_code == 303


def test_a_session_ends_with_signing_out_and_is_not_to_be_made_up(keyed: Any, keys: Callable[..., str]) -> None:
    sign_in(keyed, keys("lead", "reader"))
    session = keyed.cookies[COOKIE]
    assert keyed.post("/sign-out", follow_redirects=False).status_code == 303
    assert keyed.get("/jobs", follow_redirects=False).status_code == 303
    key_id, until, signature = session.split(".")
    for forged in (f"{key_id}.{int(until) + 1}.{signature}", f"{key_id}.{until}.{'0' * 64}", f"{key_id}..", "é", "."):
        cookie = {"Cookie": f"{COOKIE}={forged}".encode()}
        assert keyed.get("/jobs", headers=cookie, follow_redirects=False).status_code == 303


def test_a_key_for_sending_opens_nothing(keyed: Any, keys: Callable[..., str]) -> None:
    key = keys("web", "feedback", "internal", "erase")
    assert sign_in(keyed, key).status_code == 401
    assert keyed.get("/jobs", headers={"Authorization": f"Bearer {key}"}).status_code == 403


def test_a_program_sends_its_key_and_is_told_where_it_is_none(keyed: Any, keys: Callable[..., str]) -> None:
    bearer = {"Authorization": f"Bearer {keys('script', 'viewer')}"}
    assert keyed.get("/jobs?format=csv&table=jobs", headers=bearer).headers["content-type"].startswith("text/csv")
    refused = keyed.get("/jobs?format=csv&table=jobs", headers={"Authorization": "Bearer x", "Accept": "text/csv"})
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


def test_a_form_of_another_site_signs_nobody_in_or_out(keyed: Any, keys: Callable[..., str]) -> None:
    key = keys("lead", "reader")
    assert sign_in(keyed, key, origin="https://evil.example").status_code == 401
    assert COOKIE not in keyed.cookies
    sign_in(keyed, key, origin="http://127.0.0.1")
    keyed.post("/sign-out", headers={"origin": "https://evil.example"}, follow_redirects=False)
    assert keyed.get("/jobs", follow_redirects=False).status_code == 200


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_nobody_is_led_away(opened: Opened, back: str) -> None:
    answer = opened().get("/theme", params={"to": "dark", "back": back}, follow_redirects=False)
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("name", [name for name in ADDRESSES if name != "jobs"])
def test_a_viewer_sees_numbers_and_no_word_or_name_of_people(
    keyed: Any, keys: Callable[..., str], name: str, counted: Any
) -> None:
    bearer = {"Authorization": f"Bearer {keys('viewer', 'viewer')}"}
    address = {"feedback": "/feedback?source=hostile"}.get(name, ADDRESSES[name])
    page = keyed.get(address, headers=bearer)
    assert page.status_code == 200
    texts = [page.text]
    for table in re.findall(r"table=([a-z_]+)", page.text):
        texts.append(keyed.get(address, params={"format": "csv", "table": table}, headers=bearer).text)
    for text in texts:
        assert "window.evil" not in text
        assert hostile.ARABIC not in text
        assert "script&lt;/b&gt;" not in text
    if name in ("feedback", "event", "mode", "response"):
        assert "hidden" in page.text.lower()
    assert counted("select 1") == 1


def test_a_viewer_finds_nothing_out_by_searching_or_sorting(keyed: Any, keys: Callable[..., str]) -> None:
    bearer = {"Authorization": f"Bearer {keys('viewer', 'viewer')}"}
    every, some = (
        keyed.get(f"/feedback?source=hostile{q}&format=csv&table=feedback", headers=bearer).text
        for q in ("", "&q=window.evil")
    )
    assert every == some
    assert keyed.get("/feedback?sort.feedback=author_id", headers=bearer).status_code == 400
    assert keyed.get("/event?id=hostile%7Clong&all=yes", headers=bearer).text.count("long long") == 0


def test_a_proxy_says_who_asks_and_its_groups_who_reads(opened: Opened) -> None:
    door = Door(proxy=Proxy("X-Forwarded-Email", reader_groups=frozenset({"research"})))
    named = {"x-forwarded-email": "lead@example.com"}
    assert door.visitor(named, {}, "127.0.0.1").role == "viewer"
    assert door.visitor({**named, "x-forwarded-groups": "sales, research"}, {}, "127.0.0.1").role == "reader"
    with pytest.raises(Refused, match="must send X-Forwarded-Email"):
        door.visitor({}, {}, "127.0.0.1")
    assert opened(door).get("/jobs", headers=EMAIL).status_code == 403  # it comes from no address at all


@pytest.mark.parametrize(
    ("peer", "is_let_in"), [("10.1.2.3", True), ("11.1.2.3", False), ("fd00::1", True), ("unix", False), ("", False)]
)
def test_only_the_proxy_is_believed(peer: str, is_let_in: bool) -> None:
    door = Door(proxy=Proxy("X-Forwarded-Email", networks=("10.0.0.0/8", "fd00::/8")))
    headers = {name.lower(): value for name, value in EMAIL.items()}
    if is_let_in:
        assert door.visitor(headers, {}, peer).name == "lead@example.com"
    else:
        with pytest.raises(Refused, match="is not the proxy"):
            door.visitor(headers, {}, peer)


def test_other_hosts_are_not_served_without_sign_in(tmp_path: Path) -> None:
    home = Home.open(tmp_path / "home")
    with pytest.raises(TerminalError, match=r"nobody could sign in at 0\.0\.0\.0"):
        door_for(home.path, "0.0.0.0", keys=None, sign_in=False, proxy=None)
    create(home, "web", "web", ("feedback",))
    with pytest.raises(TerminalError, match="scope viewer or reader"):
        door_for(home.path, "0.0.0.0", keys=None, sign_in=False, proxy=None)
    create(home, "lead", "*", tuple[Scope, ...](["viewer"]))
    assert door_for(home.path, "0.0.0.0", keys=None, sign_in=False, proxy=None).takes_keys
    assert not door_for(home.path, "127.0.0.1", keys=None, sign_in=False, proxy=None).takes_keys
    assert door_for(home.path, "127.0.0.1", keys=None, sign_in=True, proxy=None).takes_keys
    assert not door_for(home.path, "0.0.0.0", keys=None, sign_in=False, proxy=Proxy("X-User")).takes_keys


def test_every_answer_says_what_browsers_may_do_with_it(opened: Opened) -> None:
    client = opened()
    for address in (*(page.path for page in PAGES), "/static/style.css", "/nothing", "/healthz", "/theme"):
        headers = client.get(address, follow_redirects=False).headers
        assert {name: headers.get(name) for name, _ in HEADERS} == dict(HEADERS), address
        assert headers["cache-control"]
    policy = dict(HEADERS)["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
