"""TLS in front of a server of the tests, with a certificate of its own making."""

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.client.callers import Scripted


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def _between(raw: socket.socket, context: ssl.SSLContext, port: int) -> None:
    try:
        near = context.wrap_socket(raw, server_side=True)
    except OSError:  # the client does not trust us
        raw.close()
        return
    with near, socket.create_connection(("127.0.0.1", port)) as far:
        back = threading.Thread(target=_carry, args=(far, near), daemon=True)
        back.start()
        _carry(near, far)
        back.join(10)


def _forward(listener: socket.socket, context: ssl.SSLContext, port: int) -> None:
    while True:
        try:
            raw, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_between, args=(raw, context, port), daemon=True).start()


@contextlib.contextmanager
def encrypted(server: Scripted, folder: Path) -> Iterator[tuple[str, ssl.SSLContext]]:
    """The address of a server behind TLS, and what trusts it."""
    path = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    port = int(server.url.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_forward, args=(listener, context, port), daemon=True).start()
        trusted = ssl.create_default_context(cafile=path)
        yield f"https://127.0.0.1:{listener.getsockname()[1]}", trusted
        listener.shutdown(socket.SHUT_RDWR)
