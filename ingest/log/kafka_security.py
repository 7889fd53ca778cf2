"""How to get into a Kafka cluster: TLS and SASL, from the environment. Secrets are never in an address or a home.

Left out: Kerberos and OAuth (a token needs a provider of its own), and certificates that a cluster revoked.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from models.errors import TerminalError

Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)

PREFIX = "FLYWHEEL_KAFKA_"
YES, NO = ("yes", "on", "true", "1"), ("no", "off", "false", "0")

HOPELESS = {
    "certificate has expired": "the broker's certificate has run out: renew it there",
    "certificate is not yet valid": "the broker's certificate is not valid yet: see that both clocks are right",
    "Hostname mismatch": "the broker's certificate is for another host: give --log the name that is in it",
    "IP address mismatch": "the broker's certificate is for another host: give --log the name that is in it",
    "unable to get local issuer certificate": f"who signed the broker's certificate is not known: {PREFIX}CA has to "
    "name the file with that CA",
    "self-signed certificate": f"who signed the broker's certificate is not known: {PREFIX}CA has to name the file "
    "with that CA",
    "CERTIFICATE_VERIFY_FAILED": f"the broker's certificate is refused: see {PREFIX}CA",
    "WRONG_VERSION_NUMBER": f"this port speaks no TLS: use the cluster's TLS port, or {PREFIX}TLS=no",
    "certificate required": f"the broker wants a certificate of ours: {PREFIX}CERT and {PREFIX}KEY name its files",
    "alert bad certificate": f"the broker takes no client without its own certificate, or refuses the one in "
    f"{PREFIX}CERT",
    "alert certificate expired": f"our certificate in {PREFIX}CERT has run out: renew it",
    "alert certificate unknown": f"the broker refuses our certificate in {PREFIX}CERT: it has run out, or its CA is "
    "not one that the broker knows",
    "alert unknown ca": f"the broker does not know the CA of our certificate in {PREFIX}CERT",
    "alert handshake failure": "the broker and this machine share no way of TLS, or it wants a certificate of ours "
    f"({PREFIX}CERT)",
}  # fmt: skip
"""What TLS says -> what it means and the way out. None of these goes away by itself."""


class KafkaSecurity(NamedTuple):
    """What a client needs to be let in. The default is a cluster that lets everybody in, without encryption."""

    tls: bool = False
    ca: str | None = None
    """PEM file of who may sign a broker's certificate; None for those that the system trusts."""
    cert: str | None = None
    """PEM file of our own certificate, where the cluster asks for one."""
    key: str | None = None
    key_password: str | None = None
    mechanism: Mechanism | None = None
    user: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        """Without the secrets: this may stand in a traceback."""
        return f"KafkaSecurity({self.protocol}, mechanism={self.mechanism}, user={self.user})"

    @property
    def protocol(self) -> str:
        """Kafka's word for it."""
        return ("SASL_" if self.mechanism else "") + ("SSL" if self.tls else "PLAINTEXT")

    def for_kafka_python(self) -> dict[str, Any]:
        """The settings of kafka-python's clients."""
        settings: dict[str, Any] = {"security_protocol": self.protocol}
        if self.tls:
            settings |= {"ssl_cafile": self.ca, "ssl_certfile": self.cert, "ssl_keyfile": self.key}
            settings |= {"ssl_password": self.key_password}
        if self.mechanism:
            settings |= {"sasl_mechanism": self.mechanism}
            settings |= {"sasl_plain_username": self.user, "sasl_plain_password": self.password}
        return settings

    def for_librdkafka(self) -> dict[str, Any]:
        """The settings of confluent-kafka's clients."""
        settings: dict[str, str | None] = {"security.protocol": self.protocol}
        if self.tls:
            settings |= {"ssl.ca.location": self.ca, "ssl.certificate.location": self.cert}
            settings |= {"ssl.key.location": self.key, "ssl.key.password": self.key_password}
        if self.mechanism:
            settings |= {"sasl.mechanisms": self.mechanism, "sasl.username": self.user, "sasl.password": self.password}
        return {name: value for name, value in settings.items() if value is not None}


OPEN = KafkaSecurity()


def security(environment: Mapping[str, str] = os.environ) -> KafkaSecurity:
    """What the environment says; see `docs/commands.md` for the names.

    TLS is on where any of its files, or a password, is given: a password crosses the network in the clear only if
    `FLYWHEEL_KAFKA_TLS=no` says so. Raises `TerminalError` naming the variable.
    """
    found = _Environment(environment)
    ca, cert, key = found.file("CA"), found.file("CERT"), found.file("KEY")
    mechanism, user, password = found("SASL_MECHANISM"), found("USER"), found.secret("PASSWORD")
    if mechanism is not None:
        mechanism = mechanism.upper()
        if mechanism not in MECHANISMS:
            raise TerminalError(f"{PREFIX}SASL_MECHANISM is {mechanism!r}; known: {', '.join(MECHANISMS)}")
    elif user or password:
        raise TerminalError(
            f"{PREFIX}USER or {PREFIX}PASSWORD is set, and {PREFIX}SASL_MECHANISM is not: {', '.join(MECHANISMS)}"
        )
    if mechanism and not (user and password):
        raise TerminalError(
            f"{PREFIX}SASL_MECHANISM={mechanism} needs {PREFIX}USER, and {PREFIX}PASSWORD or {PREFIX}PASSWORD_FILE"
        )
    if bool(cert) != bool(key):
        raise TerminalError(f"{PREFIX}CERT and {PREFIX}KEY belong together: only one of them is set")
    tls = found.choice("TLS", default=bool(ca or cert or mechanism))
    if not tls and (ca or cert):
        raise TerminalError(f"{PREFIX}TLS=no, and {PREFIX}{'CA' if ca else 'CERT'} is set: unset one of them")
    return KafkaSecurity(
        tls=tls,
        ca=ca,
        cert=cert,
        key=key,
        key_password=found.secret("KEY_PASSWORD"),
        mechanism=mechanism,
        user=user,
        password=password,
    )


def hopeless(said: str) -> str | None:
    """What stands in the way for good, by what TLS `said`; None where the same may work later."""
    return next((meaning for words, meaning in HOPELESS.items() if words.lower() in said.lower()), None)


class _Environment:
    """Reads variables that begin with `PREFIX`; an empty one counts as not set."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def __call__(self, name: str) -> str | None:
        return self._environment.get(PREFIX + name) or None

    def file(self, name: str) -> str | None:
        """The path of a file that is there."""
        path = self(name)
        if path is not None:
            self._content(name, path)
        return path

    def secret(self, name: str) -> str | None:
        """The secret, or what the file under `<name>_FILE` holds."""
        if (path := self(f"{name}_FILE")) is None:
            return self(name)
        if self(name) is not None:
            raise TerminalError(f"{PREFIX}{name} and {PREFIX}{name}_FILE are both set: unset one of them")
        return self._content(f"{name}_FILE", path).decode().rstrip("\r\n")

    def choice(self, name: str, *, default: bool) -> bool:
        """Yes or no."""
        said = (self(name) or (YES if default else NO)[0]).lower()
        if said not in YES + NO:
            raise TerminalError(f"{PREFIX}{name} is {said!r}; say yes or no")
        return said in YES

    def _content(self, name: str, path: str) -> bytes:
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise TerminalError(f"{PREFIX}{name} names {path}, which can't be read: {error.strerror}") from error
