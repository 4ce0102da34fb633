"""The proxy configurations of ``deploy``, with the real programs: TLS, retries, restarts."""

import http.client
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from copyproof.defaults import REQUEST_BYTES
from copyproof.live.checks import check_store
from copyproof.live.stores import open_store
from tests import programs
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.service.serving import ROOT, Caller, Program, environment, free_port
from tests.service.test_spreading import all_have_moved

MARKETS = [f"m{n}" for n in range(8)]
# Made in the middle: beside a process that is still the old one, and at the end.
NEW = [[f"new{n}" for n in range(4)], ["last"]]
# Makes the markets, and says an operator's key.
MAKE_MARKETS = """
import sys, time
from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring

url, *markets = sys.argv[1:]
with open_store(url) as store:
    for n, market in enumerate(markets):
        policy = ("h-ucb", "default-anytime")[n % 2]
        Principal(policy, store, market=market).register_arms([("ann", "a"), ("bob", "b")])
    print(Keyring(store, time.time).add("operator")[1])
"""
BALANCERS = {
    "nginx": ("nginx.conf", ["-g", "daemon off;", "-e", "stderr", "-c"]),
    "haproxy": ("haproxy.cfg", ["-f"]),
}


def certificate(folder: Path) -> None:
    """A certificate for 127.0.0.1, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    public = made.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / "tls.pem").write_bytes(public)
    (folder / "tls.key").write_bytes(secret)
    (folder / "tls-and-key.pem").write_bytes(public + secret)


@contextmanager
def balancing(program: str, folder: Path, ports: list[int]) -> Iterator[int]:
    """Run a proxy with the configuration that operators are given, on ports of our own."""
    file, options = BALANCERS[program]
    port = free_port()
    text = (ROOT / "deploy" / file).read_text()
    # nginx that is not installed has no folders for what it buffers.
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    buffers = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    for old, new in (
        ("http {", f"http {{ {buffers}"),
        ("/etc/copyproof/", f"{folder}/"),
        ("/run/nginx-copyproof.pid", f"{folder}/nginx.pid"),
        ("8443", str(port)),
        ("127.0.0.1:8001", f"127.0.0.1:{ports[0]}"),
        ("127.0.0.1:8002", f"127.0.0.1:{ports[1]}"),
    ):
        assert old in text or program == "haproxy"
        text = text.replace(old, new)
    (folder / file).write_text(text)
    found = programs.program(program, package=program)
    log = folder / "log"  # a file: a pipe that nobody reads would stop the proxy
    with log.open("wb") as out:
        process = subprocess.Popen([found, *options, str(folder / file)], stderr=out)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=1.0):
                    break
            except OSError:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < until
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(30)


class Secure(Caller):
    """Requests through a proxy."""

    def __init__(self, port: int, folder: Path, key: str) -> None:
        super().__init__(f"https://localhost:{port}", key)
        trust = ssl.create_default_context(cafile=str(folder / "tls.pem"))
        self._connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=trust)


class Callers:
    """Threads that ask and tell through the proxy all the time, and keep what they are answered."""

    def __init__(self, port: int, folder: Path, key: str) -> None:
        self._call = partial(Secure, port, folder, key)
        self.rounds: dict[str, list[int]] = {}
        self.failures: list[object] = []
        self._end = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> "Callers":
        for market in MARKETS:
            self.add(market)
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def add(self, market: str) -> None:
        """Begin to ask a market."""
        self.rounds[market] = []
        self._threads.append(threading.Thread(target=self._go_on, args=(market,)))
        self._threads[-1].start()

    def _go_on(self, market: str) -> None:
        try:
            self._ask_and_tell(self._call(), market)
        except (OSError, http.client.HTTPException) as error:
            self.failures.append((market, error))

    def _ask_and_tell(self, call: Secure, market: str) -> None:
        def post(what: str, body: object = None) -> Any:
            key = {"Idempotency-Key": f"{market} {what} {len(self.rounds[market])}"}
            answer = call("POST", f"/v1/markets/{market}/{what}", body, headers=key)
            if answer.status != 200:
                self.failures.append((market, answer))
            return answer.json if answer.status == 200 else None

        while not self._end.is_set():
            if (answer := post("decisions")) is not None:
                [made] = answer["decisions"]
                told = {"decision": made["id"], "reward": float(made["arm"] == "a")}
                post("rewards", told)
                self.rounds[market].append(made["round"])
            time.sleep(0.01)


def _made(url: str, markets: list[str]) -> str:
    """Have another process make the markets; an operator's key."""
    made = subprocess.run(
        [sys.executable, "-c", MAKE_MARKETS, url, *markets],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout.strip()


@pytest.mark.parametrize("program", ["nginx", pytest.param("haproxy", marks=pytest.mark.slow)])
def test_a_rolling_restart_is_not_noticed(postgres: Server, tmp_path: Path, program: str) -> None:
    _replace_both(postgres.new_url(), tmp_path, program)


@pytest.mark.parametrize("program", ["haproxy", pytest.param("nginx", marks=pytest.mark.slow)])
def test_a_long_request_finds_its_process(postgres: Server, tmp_path: Path, program: str) -> None:
    """It is kept whole by the proxy, however long the service lets it be."""
    programs.program(program, package=program)
    url = postgres.new_url()
    both = [Program(url) for _ in "ab"]
    key = _made(url, MARKETS)
    certificate(tmp_path)
    try:
        for each in both:
            each.start()
        all_have_moved(url)
        with balancing(program, tmp_path, [each.port for each in both]) as port:
            call = Secure(port, tmp_path, key)
            for size in (100_000, REQUEST_BYTES):
                for market in MARKETS:
                    _tell_many(call, market, size)
    finally:
        for each in both:
            each.end()


def _tell_many(call: Secure, market: str, size: int) -> None:
    """Tell rewards in a body of so many bytes: to both processes by turns, one of which leads."""
    made = call("POST", f"/v1/markets/{market}/decisions", {"count": 200}).json["decisions"]
    body = json.dumps({"rewards": [{"decision": each["id"], "reward": 1.0} for each in made]})
    assert len(body) <= size
    for _ in "ab":
        answer = call("POST", f"/v1/markets/{market}/rewards", raw=body.ljust(size).encode())
        assert answer.status == 200, answer


def _replace_both(url: str, folder: Path, program: str) -> None:
    """Replace two processes under load, one by one."""
    programs.program(program, package=program)  # or nothing is tested here
    before = [Program(url) for _ in "ab"]
    after = [Program(url, port=each.port) for each in before]
    key = _made(url, MARKETS)
    certificate(folder)
    try:
        for each in before:
            each.start()
        with balancing(program, folder, [each.port for each in before]) as port:
            with Callers(port, folder, key) as callers:
                time.sleep(1.0)
                for n, (old, new) in enumerate(zip(before, after, strict=True)):
                    status, said = old.stop()
                    assert status == 0, said
                    time.sleep(1.0)
                    new.start()
                    for market in NEW[n]:
                        _make_anew(new, Secure(port, folder, key), key, market)
                        callers.add(market)
                    time.sleep(1.0)
            assert Secure(port, folder, key)("GET", "/metrics").status == 404
    finally:
        for each in (*before, *after):
            each.end()
    assert callers.failures == []
    _check_journals(url, callers)


def _make_anew(program: Program, through: Secure, key: str, market: str) -> None:
    """Make a market by the new process; with the next request it may be the other's."""
    assert Caller(program.url, key)("PUT", f"/v1/markets/{market}", {}).status == 200
    for agent, arm in (("ann", "a"), ("bob", "b")):
        path = f"/v1/markets/{market}/agents/{agent}/arms"
        answer = through("POST", path, {"arms": [arm]})
        assert answer.status == 200, answer


def _check_journals(url: str, callers: Callers) -> None:
    with open_store(url) as store:
        check_store(store, replay=True)
        for market, rounds in callers.rounds.items():
            assert len(rounds) > (20 if market in MARKETS else 0)
            # Nothing twice, nothing lost: every decision of the journal was somebody's answer.
            assert rounds == list(range(1, len(rounds) + 1))
            kinds = [event["kind"] for _, event in store.events(market)]
            assert kinds.count("asked") == len(rounds)
            rewards = [one["rewards"] for _, one in store.events(market) if one["kind"] == "told"]
            assert sum(map(len, rewards)) == len(rounds)
