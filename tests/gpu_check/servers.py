"""Servers started for a while, and what the kernel counts of them."""
import contextlib
import http.server
import os
import pathlib
import re
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(process, ready, what, seconds=60.0):
    """Until ready() is true; raises when the process ends or the time is up."""
    end = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None:
            raise RuntimeError(f"{what} ended with status {process.returncode} before it was ready")
        if time.monotonic() > end:
            raise RuntimeError(f"{what} was not ready within {seconds:.0f} s")
        time.sleep(0.05)


@contextlib.contextmanager
def running(command, log, environment=None):
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen([str(word) for word in command], stdout=file, stderr=subprocess.STDOUT, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Server:
    """A server that runs: where it listens, its process, and the command without this machine's paths."""

    def __init__(self, process, url, command):
        self.process, self.url, self.command = process, url, command

    def cpu_seconds(self):
        """(user, system) of the process so far, and user of its threads by name."""
        ticks = os.sysconf("SC_CLK_TCK")
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        user, system = cpu_ticks((folder / "stat").read_text(encoding="utf-8"))[1:]
        threads = {}
        for stat in folder.glob("task/*/stat"):
            with contextlib.suppress(OSError):
                name, thread_user, _ = cpu_ticks(stat.read_text(encoding="utf-8"))
                name = re.sub(r"[-_:]?\d+$", "", name)
                threads[name] = threads.get(name, 0.0) + thread_user / ticks
        return user / ticks, system / ticks, threads


def cpu_ticks(stat):
    """(name, utime, stime) of a line of /proc/PID/stat; a name may hold blanks and parentheses."""
    begin, end = stat.index("("), stat.rindex(")")
    fields = stat[end + 1:].split()
    return stat[begin + 1:end], int(fields[11]), int(fields[12])


@contextlib.contextmanager
def headrace(session, models, io_threads):
    device = "cuda:0" if session.device == "cuda" else session.device
    words = ["serve", "--device", device, "--io-threads", str(io_threads), *session.serve]
    log = session.scratch / f"headrace.{io_threads}.log"
    command = [session.program("headrace"), *words, "--models", models, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
    with running(command, log, session.environment()) as process:
        try:
            wait_until(process, lambda: re.search(r"^headrace ready: .*\n", log.read_text(encoding="utf-8"), re.MULTILINE),
                       "headrace", 120)
        except RuntimeError:
            print(log.read_text(encoding="utf-8")[-4000:], flush=True)
            raise
        line = re.search(r"^headrace ready: .*$", log.read_text(encoding="utf-8"), re.MULTILINE).group(0)
        url = re.search(r" http (http://\S+)", line).group(1)
        yield Server(process, url, " ".join(["headrace", *words]))


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def echo(session, threads):
    """The bare echo, None where it was not packed."""
    program, port = session.peer("echo_server"), free_port()
    if program is None:
        yield None
        return
    with running([program, port, threads], session.scratch / "echo.log") as process:
        wait_until(process, lambda: answers(port), "echo_server")
        yield Server(process, f"http://127.0.0.1:{port}/", f"echo_server PORT {threads}")


def write_zeros_npy(path, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (64 - (len(header) + 11) % 64) + "\n"
    count = 1
    for size in shape:
        count *= size
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(4 * count))


@contextlib.contextmanager
def torch(session):
    """torch_server.py, None where it was not packed or its packages are not here."""
    program = session.peer("torch_server.py")
    if program is None:
        session.note("torch_server", "left out: it was not packed")
        yield None
        return
    data = session.scratch / "torch_data"
    data.mkdir(exist_ok=True)
    (data / "weights.safetensors").write_bytes((session.tree / "share/headrace/models/digits/weights.safetensors").read_bytes())
    write_zeros_npy(data / "train_images.npy", (8, 64))  # its knn model wants a base; nobody asks it anything
    port, log = free_port(), session.scratch / "torch.log"
    device = "cpu" if session.device == "cpu" else "cuda"
    command = ["python3", "-u", program, "--port", port, "--device", device, "--data", data]
    with running(command, log) as process:
        try:
            wait_until(process, lambda: "listening" in log.read_text(encoding="utf-8"), "torch_server", 180)
        except RuntimeError as error:
            text = log.read_text(encoding="utf-8")
            missing = re.search(r"^ModuleNotFoundError: .*$", text, re.MULTILINE)
            if missing:
                session.note("torch_server", f"left out: {missing.group(0)}")
            else:
                print(text[-2000:], flush=True)
                session.check("torch_server", False, str(error))
            process = None
        if process is None:
            yield None
            return
        yield Server(process, f"http://127.0.0.1:{port}", f"torch_server.py --device {device}")


class _Sink(http.server.BaseHTTPRequestHandler):
    def do_POST(self):  # pylint: disable=invalid-name: named by the base class
        length = int(self.headers["Content-Length"])
        self.rfile.read(length)
        self.server.lengths.append(length)
        self.send_response(503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def body_bytes(send):
    """The length of the first body that send(url) POSTs: what a request of the load generator really weighs."""
    with http.server.HTTPServer(("127.0.0.1", 0), _Sink) as sink:
        sink.lengths = []
        thread = threading.Thread(target=sink.serve_forever, daemon=True)
        thread.start()
        send(f"http://127.0.0.1:{sink.server_address[1]}")
        sink.shutdown()
        thread.join()
        return sink.lengths[0]
