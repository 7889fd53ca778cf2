"""kafka-python with types and with our settings: the only file that imports it.

What is set differs from its defaults for a reason: its producer's memory has no bound and its calls may wait for ever,
so everything has a timeout here; a deserializer that raises makes the next `poll()` spin, so there is none.
"""

import socket
import ssl
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

from ingest.log.kafka_security import OPEN, PREFIX, KafkaSecurity, hopeless
from ingest.log.kafka_types import Admin, Consumer, Member, Producer, TopicPartition
from models.errors import TerminalError, TransientError

with warnings.catch_warnings():
    # It reads its schemas through a function of importlib that Python 3.11 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka as _kafka
    import kafka.admin as _admin
    import kafka.coordinator.assignors.cooperative_sticky as _assignors  # pyright: ignore[reportMissingTypeStubs]
    import kafka.errors as _errors
    import kafka.net.compat as _network  # pyright: ignore[reportMissingTypeStubs]

kafka = cast(Any, _kafka)
admin = cast(Any, _admin)
assignors = cast(Any, _assignors)
errors = cast(Any, _errors)
network = cast(Any, _network)

PASSING = (errors.RetriableError, errors.UnknownBrokerIdError, errors.InvalidReplicationFactorError)
"""What the same call may not meet again. kafka-python counts among the faults that stay a partition without a
leader just now (broker -1), and a topic that can't be created while a broker is away."""

CONNECT_TIMEOUT = 3.0  # seconds for a TCP connection to one broker
BOOTSTRAP_TIMEOUT_MS = 8_000
REQUEST_TIMEOUT_MS = 10_000
DELIVERY_TIMEOUT_MS = 30_000
FETCH_WAIT_MS = 100
"""How long the broker holds a fetch that finds nothing. Short: the next partition's fetch waits behind it."""


def connect_admin(servers: list[str], security: KafkaSecurity = OPEN) -> Admin:
    """A client for topics and offsets. `TransientError` where no server takes a connection."""
    # Asked by hand first: kafka-python tries until its time is up where a refusal says at once that nobody is there.
    reasons = [reason for server in servers if (reason := _refusal(server))]
    if len(reasons) == len(servers):
        raise TransientError(
            f"No Kafka broker answers at {', '.join(servers)} ({reasons[0]}). Start one (make kafka), or correct --log."
        )
    return cast(Admin, _connect(kafka.KafkaAdminClient, servers, security))


def connect_producer(servers: list[str], security: KafkaSecurity = OPEN) -> Producer:
    """An idempotent producer that acknowledges once all in-sync replicas have the entry."""
    settings = {
        "acks": "all",
        "enable_idempotence": True,
        "compression_type": "lz4",
        "linger_ms": 20,  # fills batches; who waits for an acknowledgement flushes and does not wait for it
        "batch_size": 262_144,  # a batch beyond the broker's message.max.bytes is split and never acknowledged
        "max_request_size": 1_048_576,
        "max_block_ms": REQUEST_TIMEOUT_MS,
        "delivery_timeout_ms": DELIVERY_TIMEOUT_MS,
        "allow_auto_create_topics": False,
        "metrics_enabled": False,
    }
    return cast(Producer, _connect(kafka.KafkaProducer, servers, security, **settings))


def connect_consumer(servers: list[str], security: KafkaSecurity = OPEN) -> Consumer:
    """A consumer without a group: it reads what it is told to, from the offset it is told, and commits nothing."""
    settings = {
        "enable_auto_commit": False,
        "auto_offset_reset": "none",
        "isolation_level": "read_committed",
        "check_crcs": True,
        "allow_auto_create_topics": False,
        "max_partition_fetch_bytes": 4 * 1024 * 1024,
        "fetch_max_wait_ms": FETCH_WAIT_MS,
        "metrics_enabled": False,
    }
    return cast(Consumer, _connect(kafka.KafkaConsumer, servers, security, **settings))


def connect_member(
    servers: list[str], security: KafkaSecurity, group: str, topics: list[str], session_s: float
) -> Member:
    """A consumer in `group` that fetches nothing: all that it is given it pauses."""
    settings = {
        "group_id": group,
        "enable_auto_commit": False,
        "auto_offset_reset": "latest",
        "partition_assignment_strategy": [assignors.CooperativeStickyAssignor()],
        "session_timeout_ms": int(1_000 * session_s),
        "heartbeat_interval_ms": int(1_000 * session_s / 4),
        "allow_auto_create_topics": False,
        "metrics_enabled": False,
    }
    member: Any = _connect(kafka.KafkaConsumer, servers, security, **settings)
    member.subscribe(topics=topics, listener=_Pausing(member))
    return cast(Member, member)


class _Pausing(kafka.ConsumerRebalanceListener):
    """Before anything is fetched: what a fetch may meet (a damaged batch) must not end a membership."""

    def __init__(self, member: Any) -> None:
        self._member = member

    def on_partitions_assigned(self, assigned: Any) -> None:
        self._member.pause(*assigned)

    def on_partitions_revoked(self, revoked: Any) -> None:
        """Nothing is held for them."""


def topic_partition(topic: str, partition: int) -> TopicPartition:
    """kafka-python's own class: it refuses any other tuple."""
    return cast(TopicPartition, kafka.TopicPartition(topic, partition))


def earliest() -> Any:
    """What to ask `list_partition_offsets` for to get the first offset kept."""
    return kafka.OffsetSpec.EARLIEST


def latest() -> Any:
    """What to ask `list_partition_offsets` for to get the end."""
    return kafka.OffsetSpec.LATEST


def isolation(committed: bool) -> Any:
    """The isolation level at which `list_partition_offsets` sees the end."""
    return kafka.IsolationLevel.READ_COMMITTED if committed else kafka.IsolationLevel.READ_UNCOMMITTED


def error_of(code: int) -> type[Exception]:
    """The class for an error code in an answer; `errors.NoError` for 0."""
    return cast("type[Exception]", errors.for_code(code))


def topic_settings(topic: str, settings: list[str]) -> Any:
    """What to ask `describe_configs` for to get these settings of a topic."""
    return admin.ConfigResource(admin.ConfigResourceType.TOPIC, topic, dict.fromkeys(settings))


def topic_changes(topic: str, settings: dict[str, str]) -> Any:
    """What to give `alter_configs` so that these settings of a topic get these values, and the others stay."""
    return admin.ConfigResource(admin.ConfigResourceType.TOPIC, topic, dict(settings))


@contextmanager
def reaching(address: str, what: str) -> Generator[None]:
    """Where the block could not `what`: a `TransientError` if the same may work later, else a `TerminalError`."""
    try:
        yield
    except errors.SaslAuthenticationFailedError as error:
        raise TerminalError(
            f"Kafka at {address} refuses the user or the password ({reason(error)}): see {PREFIX}USER, "
            f"{PREFIX}PASSWORD and {PREFIX}SASL_MECHANISM."
        ) from error
    except errors.UnsupportedSaslMechanismError as error:
        raise TerminalError(
            f"Kafka at {address} does not take this SASL mechanism ({reason(error)}): see {PREFIX}SASL_MECHANISM."
        ) from error
    except PASSING as error:
        if is_hopeless(error):
            raise TerminalError(f"Kafka at {address} can't be talked to: {hopeless(str(error))}.") from error
        raise TransientError(
            f"Kafka at {address} does not answer (to {what}: {reason(error)}). See that it runs, or correct --log."
        ) from error
    except errors.KafkaError as error:
        raise TerminalError(f"Kafka at {address} refused to {what}: {reason(error)}.") from error


def is_hopeless(error: BaseException) -> bool:
    """Whether kafka-python takes `error` for one to try again, and it is a certificate or a password that is wrong."""
    refused = (errors.SaslAuthenticationFailedError, errors.UnsupportedSaslMechanismError)
    return isinstance(error, refused) or hopeless(str(error)) is not None


def reason(error: BaseException) -> str:
    """The first line of what kafka-python says, which may be a whole request long."""
    return (str(error) or type(error).__name__).splitlines()[0][:200].rstrip(".")


def knock(servers: list[str], security: KafkaSecurity) -> None:
    """Raise what keeps us out for good, a password or a certificate; nothing where we are let in, or nobody answers.

    For when a client was not served: kafka-python says of all of these only that its time was up.
    """
    try:
        client = network.KafkaNetClient(bootstrap_servers=servers, **security.for_kafka_python())
    except errors.KafkaError:
        return  # a name that can't be resolved now
    try:
        client._manager.run(_knock, client._manager)
    finally:
        client.close()
    if not security.tls and any(_speaks_tls(server) for server in servers):
        raise TerminalError(
            f"Kafka at {', '.join(servers)} speaks TLS on this port: set {PREFIX}TLS=yes or {PREFIX}CA."
        )


def _connect(client: Callable[..., object], servers: list[str], security: KafkaSecurity, **settings: object) -> object:
    """Make a client; where that fails, end the thread and sockets that kafka-python leaves behind."""
    networks: list[Any] = []

    def connect(**configs: object) -> object:
        networks.append(network.KafkaNetClient(**configs))
        if security != OPEN:
            manager = networks[-1]._manager
            manager.run(_knock, manager)
        return networks[-1]

    try:
        return client(
            bootstrap_servers=servers,
            bootstrap_timeout_ms=BOOTSTRAP_TIMEOUT_MS,
            request_timeout_ms=REQUEST_TIMEOUT_MS,
            kafka_client=connect,
            **security.for_kafka_python(),
            **settings,
        )
    except BaseException as error:
        for started in networks:
            started.close()
        if isinstance(error, errors.KafkaTimeoutError):
            knock(servers, security)
            if security.tls or security.mechanism is None:
                doubt = f"speaks no TLS, set {PREFIX}TLS=no" if security.tls else f"wants a user, see {PREFIX}USER"
                raise errors.KafkaTimeoutError(f"it takes the connection and then is silent; if it {doubt}") from error
        raise


async def _knock(manager: Any) -> None:
    """See whether a server lets us in, and raise what no second try would change.

    kafka-python's own bootstrap takes every fault for a passing one, tries until its time is up, and then says only
    that it is. The connection that this makes is the one that bootstrap goes on with.
    """
    turned_away = 0
    for server in manager.cluster.bootstrap_brokers() * 2:
        if manager.connection_delay(server.node_id) > 0:
            await manager._net.sleep(manager.connection_delay(server.node_id))
        connection = manager.get_connection(
            server.node_id, pop_on_close=False, refresh_metadata_on_err=False, reset_backoff_on_connect=False
        )
        try:
            await connection
        except errors.KafkaError as error:
            if is_hopeless(error):
                raise
            manager._conns.pop(server.node_id, None)
            # What comes together with the end of a connection kafka-python throws away, and a broker says no just so.
            turned_away += connection.sasl_enabled and connection.broker_version is not None
            if turned_away == 2:
                raise errors.SaslAuthenticationFailedError("it ends the connection once it has seen them") from None
        else:
            return


def _speaks_tls(server: str) -> bool:
    """Whether `server` answers to TLS, whoever signed its certificate."""
    host, _, port = server.rpartition(":")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT) as plain:
            context.wrap_socket(plain).close()
    except OSError:
        return False
    return True


def _refusal(server: str) -> str | None:
    """Why `server` (host:port) takes no connection; None if it does."""
    host, _, port = server.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()
    except OSError as error:
        return str(error.strerror or error)
    return None
