import json
import random
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from environments.world import Offer
from evals.policies.endpoint import EndpointPolicy
from evals.policies.pace import BURST_S, Pace
from evals.policies.policy import Refused, Unreadable
from evals.policies.settings import Prices
from models.errors import FlywheelError, TerminalError, TransientError
from models.events.rollout import Step
from tests.evals.agents.model_server import Http, model, text
from tests.evals.answering import answering, said

HELLO = [Step(role="user", text="Hello")]


def test_what_is_asked_for_is_in_the_request() -> None:
    tool = Offer("read", "Read.", {"type": "object"})
    with answering(lambda prompt: said("Hi")) as server:
        policy = EndpointPolicy(
            server.url,
            "m",
            system="Be brief.",
            extra={"max_tokens": 5},
            prices=Prices(prompt=2, completion=3),
            seeded=True,
        )
        reply = policy.at("s", 1).reply(HELLO, [tool], 10)
        policy.reply(HELLO, (), 10)
        policy.close()
    first, second = server.bodies
    assert first["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    assert (first["max_tokens"], first["tools"][0]["function"]["name"]) == (5, "read")
    assert isinstance(first["seed"], int)
    assert not {"seed", "tools"} & second.keys()
    assert (reply.text, reply.usage.usd) == ("Hi", (2 * 60 + 3 * 40) / 1e6)
    assert server.connections == 1


def test_who_is_asked_to_wait_waits_together() -> None:
    answers: list[dict[str, Any] | Http] = [Http(429, "slow down", (("retry-after", "1"),)), text("a"), text("b")]
    with model(answers) as server:
        policy = EndpointPolicy(server.url, "m", pause=0.01)
        began = time.monotonic()
        assert policy.reply(HELLO, (), 10).text == "a"
        assert time.monotonic() - began >= 0.9
        policy.close()


def test_an_answer_that_trickles_in_is_given_up() -> None:
    def slow(prompt: str) -> dict[str, Any]:
        time.sleep(0.4)
        return said("too late")

    with answering(slow) as server:
        policy = EndpointPolicy(server.url, "m", tries=2, pause=0.01, seconds=0.1)
        with pytest.raises(TransientError, match="after 2 tries, the last: ReadTimeout"):
            policy.reply(HELLO, (), 10)
        policy.close()


def test_an_answer_whose_connection_breaks_off_is_asked_for_again() -> None:
    whole = json.dumps(text("whole")).encode()
    said = [whole[:20], whole]
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for content in said:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(whole), content))

        thread = threading.Thread(target=serve)
        thread.start()
        policy = EndpointPolicy(f"http://127.0.0.1:{server.getsockname()[1]}/v1", "m", pause=0.01)
        assert policy.reply(HELLO, (), 10).text == "whole"
        policy.close()
        thread.join()


def nonsense(luck: random.Random, depth: int = 0) -> Any:
    names = ["choices", "message", "content", "tool_calls", "function", "name", "arguments", "usage", "prompt_tokens"]
    kinds: list[Callable[[], Any]] = [
        lambda: None, lambda: luck.choice([True, -1, 1.5, 10**30]), lambda: luck.choice(["", "x", "\ud83d", "stop"]),
    ]  # fmt: skip
    if depth < 5:
        kinds += [
            lambda: [nonsense(luck, depth + 1) for _ in range(luck.randrange(3))],
            lambda: {luck.choice(names): nonsense(luck, depth + 1) for _ in range(luck.randrange(4))},
        ] * 2
    return luck.choice(kinds)()


def test_nonsense_is_a_reply_or_a_fault_and_never_a_bug() -> None:
    luck = random.Random(8)
    for shape in (
        lambda: nonsense(luck),
        lambda: {"choices": [{"message": nonsense(luck, 2)}], "usage": nonsense(luck)},
    ):
        answers = [json.dumps(shape()) for _ in range(150)]
        with model([Http(200, answer) for answer in answers]) as server:
            policy = EndpointPolicy(server.url, "m", tries=1)
            for answer in answers:
                try:
                    policy.reply(HELLO, (), 10)
                except (Unreadable, Refused):
                    pass
                except FlywheelError as error:
                    raise AssertionError(answer) from error
            policy.close()


def test_turns_are_spaced() -> None:
    pace = Pace(600)
    began = time.monotonic()
    for _ in range(int(BURST_S * 10) + 3):
        pace.take(1, began + 60)
    assert time.monotonic() - began >= 0.15
    pace.correct(1, 601)
    with pytest.raises(TransientError, match="rate limit"):
        pace.take(1, time.monotonic() + 1)


def test_no_limit_is_no_wait() -> None:
    pace = Pace(None)
    began = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(pace.take, 1_000, began + 60) for _ in range(100)]:
            each.result()
    pace.hold(0.2)
    with pytest.raises(TransientError, match="too late"):
        pace.take(1, time.monotonic() + 0.1)


def test_tokens_a_minute_are_kept_by_what_was_used() -> None:
    with answering(lambda prompt: said("Hi")) as server:
        policy = EndpointPolicy(server.url, "m", tokens_per_minute=3000)  # the burst of two seconds is 100 tokens
        policy.reply(HELLO, (), 10)
        policy.reply(HELLO, (), 10)
        with pytest.raises(TransientError, match="rate limit"):
            policy.reply(HELLO, (), 0.5)
        policy.close()
    assert len(server.prompts) == 2


def test_a_provider_tool_may_not_be_asked_for() -> None:
    with pytest.raises(TerminalError, match="plugins"):
        EndpointPolicy("http://x/v1", "m", extra={"plugins": []})
