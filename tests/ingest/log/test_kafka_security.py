"""TLS and passwords against a real broker: who is let in, and what a person reads who is not."""

import gc
import warnings
from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest

from ingest.log import Entry, kafka_client, open_log
from ingest.log.kafka_security import KafkaSecurity, security
from models.errors import FlywheelError, TerminalError, TransientError
from tests.kafka_doors import PASSWORD, Doors, doors

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Generator[Doors]:
    try:
        with doors(tmp_path_factory.mktemp("pem")) as opened:
            yield opened
    except FlywheelError as error:
        pytest.skip(str(error))


@pytest.fixture
def enter(secured: Doors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator["Enter"]:
    yield Enter(secured, tmp_path, monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # kafka-python leaves a socket whose handshake failed to us
        gc.collect()


class Enter:
    """Goes through one door with what the environment then says, writes an event and reads it."""

    def __init__(self, secured: Doors, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secured, self.home, self.monkeypatch = secured, home, monkeypatch

    def __call__(self, door: str, scheme: str = "kafka", **said: str) -> None:
        for name, value in self.secured.environment(**said).items():
            self.monkeypatch.setenv(name, value)
        url = self.secured.url(door, f"test-{uuid4().hex}").replace("kafka", scheme)
        with open_log(url, self.home) as log:
            log.append([Entry("jobs", "k", b"v")])
            assert [record.value for record in log.read("jobs", 0, 0).records] == [b"v"]


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("door", "said"),
    [
        ("TLS", {}),
        ("MUTUAL", {"cert": "client"}),
        *(("PASSWORD", {"ca": "", "tls": "no", "mechanism": mechanism}) for mechanism in MECHANISMS),
        *(("BOTH", {"mechanism": mechanism}) for mechanism in MECHANISMS),
    ],
    ids=str,
)
def test_who_has_what_the_door_asks_for_is_let_in(enter: Enter, door: str, said: dict[str, str]) -> None:
    enter(door, **said)


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("door", "said"), [("MUTUAL", {"cert": "client"}), ("BOTH", {"mechanism": "SCRAM-SHA-512"})], ids=str
)
def test_the_fast_client_is_let_in_as_well(enter: Enter, door: str, said: dict[str, str]) -> None:
    pytest.importorskip("confluent_kafka")
    enter(door, "kafka+fast", **said)


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("door", "said", "reason"),
    [
        ("TLS", {"ca": "other-ca"}, "who signed the broker's certificate is not known: FLYWHEEL_KAFKA_CA"),
        ("TLS", {"ca": "", "tls": "yes"}, "who signed the broker's certificate is not known: FLYWHEEL_KAFKA_CA"),
        ("LATE", {}, "the broker's certificate has run out: renew it there"),
        ("ELSEWHERE", {}, "the broker's certificate is for another host"),
        ("MUTUAL", {}, "the broker .*without its own certificate"),
        ("MUTUAL", {"cert": "late-client"}, "refuses our certificate in FLYWHEEL_KAFKA_CERT: it has run out"),
        ("MUTUAL", {"cert": "strange-client"}, "refuses our certificate in FLYWHEEL_KAFKA_CERT"),
        *(("BOTH", {"mechanism": m, "password": "wrong"}, "refuses the user or the password") for m in MECHANISMS),
        ("BOTH", {"mechanism": "PLAIN", "user": "nobody"}, "refuses the user or the password"),
    ],
    ids=str,
)
def test_who_has_not_is_told_what_is_missing_and_nothing_is_tried_again(
    enter: Enter, door: str, said: dict[str, str], reason: str
) -> None:
    with pytest.raises(TerminalError, match=reason) as caught:
        enter(door, **said)
    assert "\n" not in str(caught.value)
    assert PASSWORD not in str(caught.value)


@pytest.mark.kafka
def test_a_client_that_says_nothing_is_told_what_the_door_may_want(
    enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_client, "BOOTSTRAP_TIMEOUT_MS", 500)
    with pytest.raises(TerminalError, match="speaks TLS on this port: set FLYWHEEL_KAFKA_TLS=yes or"):
        enter("TLS", ca="")
    with pytest.raises(TransientError, match="if it wants a user, see FLYWHEEL_KAFKA_USER"):
        enter("PASSWORD", ca="")
    with pytest.raises(TransientError, match="if it speaks no TLS, set FLYWHEEL_KAFKA_TLS=no"):
        enter("PLAINTEXT")


def test_nothing_said_is_an_open_cluster() -> None:
    assert security({}) == security({"FLYWHEEL_KAFKA_CA": ""}) == KafkaSecurity()


def test_a_password_goes_encrypted_unless_told_otherwise(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("secret\n")
    said = {
        "FLYWHEEL_KAFKA_SASL_MECHANISM": "scram-sha-512",
        "FLYWHEEL_KAFKA_USER": "sink",
        "FLYWHEEL_KAFKA_PASSWORD_FILE": str(tmp_path / "password"),
    }
    found = security(said)
    assert (found.protocol, found.mechanism, found.password) == ("SASL_SSL", "SCRAM-SHA-512", "secret")
    assert "secret" not in f"{found} {found!r}"
    assert security({**said, "FLYWHEEL_KAFKA_TLS": "no"}).protocol == "SASL_PLAINTEXT"


def test_both_clients_are_told_the_same() -> None:
    everything = KafkaSecurity(True, "ca", "cert", "key", "key-password", "PLAIN", "user", "password")
    assert everything.for_kafka_python() == {
        "security_protocol": "SASL_SSL", "ssl_cafile": "ca", "ssl_certfile": "cert", "ssl_keyfile": "key",
        "ssl_password": "key-password", "sasl_mechanism": "PLAIN", "sasl_plain_username": "user",
        "sasl_plain_password": "password",
    }  # fmt: skip
    assert everything.for_librdkafka() == {
        "security.protocol": "SASL_SSL", "ssl.ca.location": "ca", "ssl.certificate.location": "cert",
        "ssl.key.location": "key", "ssl.key.password": "key-password", "sasl.mechanisms": "PLAIN",
        "sasl.username": "user", "sasl.password": "password",
    }  # fmt: skip
    assert KafkaSecurity().for_librdkafka() == {"security.protocol": "PLAINTEXT"}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"CA": "/no/such.pem"}, "FLYWHEEL_KAFKA_CA names /no/such.pem, which can't be read: No such file"),
        ({"PASSWORD_FILE": "/no/such"}, "FLYWHEEL_KAFKA_PASSWORD_FILE names /no/such"),
        ({"SASL_MECHANISM": "GSSAPI"}, "is 'GSSAPI'; known: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"SASL_MECHANISM": "PLAIN", "USER": "u"}, "needs FLYWHEEL_KAFKA_USER, and FLYWHEEL_KAFKA_PASSWORD"),
        ({"USER": "u", "PASSWORD": "p"}, "FLYWHEEL_KAFKA_SASL_MECHANISM is not"),
        ({"TLS": "maybe"}, "FLYWHEEL_KAFKA_TLS is 'maybe'; say yes or no"),
        ({"CERT": __file__}, "belong together"),
        ({"CA": __file__, "TLS": "no"}, "FLYWHEEL_KAFKA_TLS=no, and FLYWHEEL_KAFKA_CA is set"),
        ({"PASSWORD": "p", "PASSWORD_FILE": __file__}, "are both set"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_named(said: dict[str, str], reason: str) -> None:
    with pytest.raises(TerminalError, match=reason):
        security({f"FLYWHEEL_KAFKA_{name}": value for name, value in said.items()})
