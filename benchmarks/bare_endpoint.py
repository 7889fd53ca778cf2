"""The peer of `benchmarks.collector`: a Litestar endpoint that produces what it is sent to Kafka, and nothing else.

python -m benchmarks.bare_endpoint HOST:PORT TOPIC LINGER_MS
"""

import asyncio
import socket
import sys
from typing import Any

import msgspec
import uvicorn
from litestar import Litestar, Request, Response, post

from ingest.log.kafka_client import admin, kafka

ANSWER = b'{"refused":0}'

_PARTS = msgspec.json.Decoder(list[msgspec.Raw])


def main() -> None:
    """Serve until it is told to end."""
    server, topic, linger_ms = sys.argv[1:]
    client = admin.KafkaAdminClient(bootstrap_servers=server)
    client.create_topics({topic: {"num_partitions": 3, "replication_factor": 1, "configs": {}}})
    client.close()
    # The settings of `ingest.log.kafka_client.connect_producer`, but for the linger: nobody flushes here.
    producer: Any = kafka.KafkaProducer(
        bootstrap_servers=server,
        acks="all",
        enable_idempotence=True,
        compression_type="lz4",
        linger_ms=int(linger_ms),
        batch_size=262_144,
        max_request_size=1_048_576,
        metrics_enabled=False,
    )
    place = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{place.getsockname()[1]}", flush=True)
    app = Litestar([_endpoint(producer, topic)], openapi_config=None, logging_config=None)
    config = uvicorn.Config(app, log_config=None, access_log=False)
    uvicorn.Server(config).run(sockets=[place])


def _endpoint(producer: Any, topic: str) -> Any:
    @post("/v1/events")
    async def events(request: Request[Any, Any, Any]) -> Response[bytes]:
        body = await request.body()
        parts = [bytes(part) for part in _PARTS.decode(body)] if body[:1] == b"[" else [body]
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        left = len(parts)

        def acknowledged(_: object) -> None:
            nonlocal left
            left -= 1
            if not left:
                loop.call_soon_threadsafe(done.set_result, None)

        for part in parts:
            producer.send(topic, value=part).add_callback(acknowledged)
        await done
        return Response(ANSWER, status_code=202, media_type="application/json")

    return events


if __name__ == "__main__":
    main()
