"""A broker with every kind of door: TLS, TLS that asks who we are, one with a certificate that ran out, passwords.

The certificates are made for the test, by a CA that nobody else trusts.
"""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import trustme
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from ingest.kafka_broker.cluster import Cluster, cluster
from ingest.kafka_broker.node import Listener
from ingest.log.kafka_client import kafka

USER, PASSWORD = "sink", "correct horse battery staple"
LONG_AGO = datetime.now(UTC) - timedelta(days=30)
YESTERDAY = datetime.now(UTC) - timedelta(days=1)


class Doors(NamedTuple):
    """The broker, and what a client needs to be let in."""

    cluster: Cluster
    folder: Path

    def url(self, door: str, prefix: str) -> str:
        """The log behind one door."""
        return f"kafka://{self.cluster.nodes[0].at(door)}/{prefix}"

    def file(self, name: str) -> str:
        """`ca`, `other-ca`, `client`, `late-client`: a PEM file."""
        return str(self.folder / f"{name}.pem")

    def environment(self, *, ca: str = "ca", cert: str = "", mechanism: str = "", **others: str) -> dict[str, str]:
        """The variables; `others` are named in lower case without what they all begin with."""
        found = {"CA": self.file(ca) if ca else "", "SASL_MECHANISM": mechanism}
        if cert:
            found |= {"CERT": self.file(cert), "KEY": self.file(cert)}
        if mechanism:
            found |= {"USER": USER, "PASSWORD": PASSWORD}
        found |= {name.upper(): value for name, value in others.items()}
        return {f"FLYWHEEL_KAFKA_{name}": value for name, value in found.items()}


@contextmanager
def doors(folder: Path, soon_s: float = 3600.0) -> Generator[Doors]:
    """Run the broker; `folder` gets the PEM files. The certificate of the door SOON runs out after `soon_s` seconds."""
    ca, other = trustme.CA(), trustme.CA()
    ca.cert_pem.write_to_path(folder / "ca.pem")
    other.cert_pem.write_to_path(folder / "other-ca.pem")
    for name, leaf in {
        "broker": ca.issue_cert("127.0.0.1", "localhost"),
        "late-broker": ca.issue_cert("127.0.0.1", not_before=LONG_AGO, not_after=YESTERDAY),
        "soon-broker": ca.issue_cert("127.0.0.1", not_after=datetime.now(UTC) + timedelta(seconds=soon_s)),
        "elsewhere-broker": ca.issue_cert("kafka.example.org"),
        "client": ca.issue_cert("sink@example.org"),
        "late-client": ca.issue_cert("sink@example.org", not_before=LONG_AGO, not_after=YESTERDAY),
        "strange-client": other.issue_cert("sink@example.org"),
    }.items():
        (folder / f"{name}.pem").write_bytes(_pem(leaf))
    with cluster(listeners=_listeners(folder)) as running:
        with kafka.KafkaAdminClient(bootstrap_servers=running.bootstrap) as admin:
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
                user = kafka.admin.UserScramCredentialUpsertion(USER, mechanism, PASSWORD)
                assert admin.alter_user_scram_credentials([user]) == {USER: None}
        yield Doors(running, folder)


def _pem(leaf: trustme.LeafCert) -> bytes:
    """Key and certificates, the key in the form that Java reads (PKCS 8)."""
    key = load_pem_private_key(leaf.private_key_pem.bytes(), None)
    chain = b"".join(certificate.bytes() for certificate in leaf.cert_chain_pems)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + chain


def _listeners(folder: Path) -> list[Listener]:
    def tls(broker: str) -> dict[str, str]:
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(folder / f"{broker}.pem"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(folder / "ca.pem"),
        }

    login = "org.apache.kafka.common.security.{}LoginModule required"
    sasl = {
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
        "plain.sasl.jaas.config": f'{login.format("plain.Plain")} user_{USER}="{PASSWORD}";',
        "scram-sha-256.sasl.jaas.config": f"{login.format('scram.Scram')};",
        "scram-sha-512.sasl.jaas.config": f"{login.format('scram.Scram')};",
    }
    return [
        Listener("TLS", "SSL", tls("broker")),
        Listener("MUTUAL", "SSL", {**tls("broker"), "ssl.client.auth": "required"}),
        Listener("LATE", "SSL", tls("late-broker")),
        Listener("SOON", "SSL", tls("soon-broker")),
        Listener("ELSEWHERE", "SSL", tls("elsewhere-broker")),
        Listener("PASSWORD", "SASL_PLAINTEXT", sasl),
        Listener("BOTH", "SASL_SSL", {**tls("broker"), **sasl}),
    ]
