"""Names that look like others, and log lines that anybody could write."""

import logging
import socket
from urllib.parse import urlsplit

import pytest

from copyproof.service import document
from copyproof.service.lookalikes import require_one_look
from copyproof.service.protocol import InvalidRequests
from copyproof.validation import FieldError
from tests.service.conftest import Service

PATH = "/v1/markets/site/agents"


@pytest.mark.parametrize("name", ["ann\u200d", "a\u200dnn", "аnn", "Ѕite", "Ωmega Ώmega a\u03bf"])
def test_a_name_that_looks_like_another_is_refused(service: Service, name: str) -> None:
    answer = service.caller()("POST", PATH, {"agent": name})
    assert (answer.status, answer.field) == (422, "agent")
    with pytest.raises(FieldError):
        require_one_look("agent", name)


@pytest.mark.parametrize(
    "name",
    ["Zoë", "Кафе WiFi", "Ωmega"[1:] + " Ω", "क्‍ष", "👩\u200d🔬 lab", "می\u200cخواهم", "日本 Ltd"],
)
def test_a_name_of_one_alphabet_a_word_is_accepted(service: Service, name: str) -> None:
    require_one_look("agent", name)
    assert service.caller()("POST", PATH, {"agent": name}).status == 200


def test_invalid_requests_do_not_fill_the_log(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    parts = urlsplit(service.url)
    with caplog.at_level(logging.INFO):
        for _ in range(50):
            with socket.create_connection((parts.hostname, parts.port or 0)) as connection:
                connection.sendall(b"nonsense\r\n\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 400")
    assert len([one for one in caplog.records if "Invalid" in one.getMessage()]) <= 1


def test_what_is_not_listed_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now, said = [1000.0], []
    monkeypatch.setattr("copyproof.service.protocol.time.monotonic", lambda: now[0])
    logger = logging.getLogger("tests.invalid")
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    quiet = InvalidRequests(logger)
    for at in (1000.0, 1001.0, 1002.0, 1100.0):
        now[0] = at
        quiet.warning("invalid")
    logger.removeHandler(handler)
    assert said == ["invalid", "invalid (3 times since the last line)"]


def test_operations_have_short_names_and_the_title_is_that_of_no_package() -> None:
    found = document()
    names = [one["operationId"] for path in found["paths"].values() for one in path.values()]
    assert len(set(names)) == len(names)
    assert {"suspendArm", "ask", "tell", "registerAgents"} <= set(names)
    assert all(name.isalpha() and len(name) <= 25 for name in names)
    assert found["info"]["title"] == "copyproof service"
    for path in ("/v1/markets/{market}/journal", "/v1/markets/{market}/agents/{agent}/journal"):
        answer = found["paths"][path]["get"]["responses"]["200"]
        assert list(answer["content"]) == ["application/x-ndjson"]
