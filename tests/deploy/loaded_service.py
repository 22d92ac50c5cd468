"""What check_dashboard looks at: a headrace under load, or a sample of its exposition that grows."""
import contextlib
import http.client
import http.server
import itertools
import json
import re
import subprocess
import threading


@contextlib.contextmanager
def sample_service(program):
    """Serves what exposition_sample prints, a hundred steps further at each scrape. Yields 'host:port'."""
    steps = itertools.count(100, 100)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            text = subprocess.run([program, str(next(steps))], check=True, capture_output=True).stdout
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def request_body(metadata, rows):
    """A JSON request that fits a model's metadata: zeros of one batch of rows."""
    inputs = []
    for tensor in metadata["inputs"]:
        shape = [rows] + [max(1, dim) for dim in tensor["shape"][1:]]
        count = 1
        for dim in shape:
            count *= dim
        inputs.append({"name": tensor["name"], "datatype": tensor["datatype"], "shape": shape, "data": [0] * count})
    return json.dumps({"inputs": inputs})


def post_until(stop, address, bodies):
    connection = http.client.HTTPConnection(address, timeout=30)
    for turn in itertools.count():
        if stop.is_set():
            break
        for model, body in bodies.items():
            wrong = turn % 20 == 19
            connection.request("POST", f"/v2/models/{model}/infer", "{" if wrong else body)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != (400 if wrong else 200):
                raise RuntimeError(f"{model}: status {answer.status}: {text[:300]!r}")
    connection.close()


def get_json(address, path, method="GET"):
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.request(method, path)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{method} {path}: status {answer.status}: {text[:300]!r}")
    return json.loads(text)


@contextlib.contextmanager
def real_service(program, models, clients=4):
    """Starts headrace on free ports with clients that post without pause. Yields the admin plane's 'host:port'."""
    command = [program, "serve", "--models", str(models), "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--device", "cpu"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        addresses = []
        for line in process.stdout:
            addresses += re.findall(r"\d+\.\d+\.\d+\.\d+:\d+", line)
            if len(addresses) >= 2:
                break
        else:
            raise RuntimeError(f"headrace ended with status {process.wait()} before it was ready")
        data_plane, admin_plane = addresses[:2]
        index = get_json(data_plane, "/v2/repository/index", "POST")
        names = [entry["name"] for entry in index if entry.get("state") == "READY"]
        bodies = {name: request_body(get_json(data_plane, f"/v2/models/{name}"), 3) for name in names}
        if not bodies:
            raise RuntimeError(f"no model is ready: {index}")
        with load_on(data_plane, bodies, clients):
            yield admin_plane
    finally:
        process.terminate()
        process.wait(60)


@contextlib.contextmanager
def load_on(address, bodies, clients):
    stop = threading.Event()
    failures = []

    def client():
        try:
            post_until(stop, address, bodies)
        except Exception as error:  # shown by the thread that waits
            failures.append(error)

    threads = [threading.Thread(target=client, daemon=True) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
