"""That the checks of this folder find what they are there for: each is shown something broken.

checks_test.py EXPOSITION_SAMPLE [unittest's arguments]
"""
import http.server
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
sample_program = ""


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class ComposeCheck(unittest.TestCase):
    BREAKAGES = [
        ("docker-compose.yml", "stop_grace_period:", "stop_graze_period:", "stop_graze_period"),
        ("docker-compose.yml", "\nservices:", "\nname: x\nservices:", "top-level 'name'"),
        ("docker-compose.yml", '"127.0.0.1:9090:9090"', '"9090:9090"', "open to other machines"),
        ("docker-compose.yml", "grafana/grafana:11.6.0", "grafana/grafana", "not pinned"),
        ("docker-compose.yml", "prom/prometheus:v2.53.4", "prom/prometheus:latest", "not pinned"),
        ("docker-compose.yml", "./deploy/grafana/dashboards", "./deploy/grafana/boards", "does not exist"),
        ("docker-compose.yml", "./deploy/models:/models:ro", "./deploy/models:/models", "is writable"),
        ("docker-compose.yml", "--admin=0.0.0.0:8002", "--admin=0.0.0.0:8003", "where no service"),
        ("docker-compose.yml", "--model=digits", "--model=dogs", "not in deploy/models"),
        ("docker-compose.yml", "target: cpu", "target: gpu", "not in the Dockerfile"),
        ("docker-compose.yml", "cap_drop: [ALL]", "cap_drop: []", "capabilities"),
        ("deploy/docker-compose.gpu.yml", "capabilities: [gpu]", "capabilities: [tpu]", "reserves no GPU"),
        ("deploy/docker-compose.gpu.yml", "driver: nvidia", "drivers: nvidia", "'drivers'"),
        ("deploy/prometheus/prometheus.yml", "headrace:8002", "headrace:8000", "where no service"),
        ("deploy/Dockerfile", "FROM ubuntu:24.04 AS cuda", "FROM ubuntu AS cuda", "not pinned"),
        ("deploy/Dockerfile", "USER 10001:10001", "USER root", "runs as root"),
        ("deploy/Dockerfile", "--from=build-cpu", "--from=build-gpu", "no such stage"),
        ("deploy/Dockerfile", "COPY deploy/healthcheck ", "COPY deploy/health ", "does not exist"),
    ]

    def test_each_breakage_is_named(self):
        check = script("check_compose")
        for file, old, new, finding in self.BREAKAGES:
            with self.subTest(new), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                shutil.copy(ROOT / "docker-compose.yml", root)
                shutil.copytree(ROOT / "deploy", root / "deploy")
                text = (root / file).read_text()
                self.assertIn(old, text)
                (root / file).write_text(text.replace(old, new))
                found = check.findings(root)
                self.assertTrue(any(finding in line for line in found), f"'{finding}' is not named in {found}")


class DashboardCheck(unittest.TestCase):
    BROKEN = {
        "headrace_connectionz": "empty",
        "headrace_connections / (headrace_connections - headrace_connections) - Inf": "not a number",
        "sum(headrace_connections": "parse error",
    }

    def test_each_broken_expression_is_named(self):
        dashboard = json.loads((ROOT / "deploy/grafana/dashboards/headrace.json").read_text())
        panel = next(p for p in dashboard["panels"] if p["title"] == "Connections")
        spare = dict(panel["targets"][0])
        panel["targets"] = [dict(spare, expr=expression) for expression in self.BROKEN]
        dashboard["panels"][1]["gridPos"] = dict(panel["gridPos"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "dashboard.json"
            file.write_text(json.dumps(dashboard))
            result = subprocess.run([sys.executable, HERE / "check_dashboard", "--sample", sample_program, "--dashboard", file],
                                    capture_output=True, text=True)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for expression, finding in self.BROKEN.items():
            line = next((line for line in result.stdout.splitlines() if line.endswith(expression)), None)
            self.assertIsNotNone(line, f"{expression} is not named in:\n{result.stdout}")
            self.assertIn(finding, line)
        self.assertIn("lies on", result.stdout)

    def test_a_repeated_panel_is_one_question_a_value(self):
        check = script("check_dashboard")
        expressions = check.expand('rate(x{stage="$stage",model=~"$model"}[$__rate_interval])', {"stage": ["read", "write"]})
        self.assertEqual(expressions, ['rate(x{stage="read",model=~".*"}[10s])', 'rate(x{stage="write",model=~".*"}[10s])'])

    def test_only_a_driver_that_is_not_there_is_not_asked(self):
        check = script("check_dashboard")
        questions = [("a", "headrace_device_power_watts"), ("b", "rate(headrace_flights_total[1m])"), ("c", "up")]
        without = check.answerable(questions, {"headrace_ready"})
        self.assertEqual([where for where, _ in without], ["b", "c"])
        self.assertEqual(check.answerable(questions, {"headrace_ready"} | check.DRIVER_FIGURES), questions)

    def test_the_sample_has_a_driver(self):
        check = script("check_dashboard")
        text = subprocess.run([sample_program], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(check.DRIVER_FIGURES, check.families_of(text))

    def test_an_alert_is_asked_for_what_it_compares(self):
        check = script("check_dashboard")
        rules = {"groups": [{"rules": [{"alert": "A", "expr": 'up{job="x"} == 0'}, {"record": "r", "expr": "a > 1"}]}]}
        self.assertEqual([expression for _, expression in check.rule_questions(rules)], ['up{job="x"}', "a > 1"])


class MetricsTable(unittest.TestCase):
    def test_the_table_and_the_service_name_the_same_metrics(self):
        text = subprocess.run([sample_program], check=True, capture_output=True, text=True).stdout
        families = script("check_dashboard").families_of(text)
        table = (ROOT / "service/telemetry/README.md").read_text()
        rows = [line for line in table.splitlines() if line.startswith("| `headrace_")]
        listed = {name for row in rows for name in re.findall(r"`(headrace_\w+)", row)}
        self.assertEqual(listed, families)


class HealthCheck(unittest.TestCase):
    """deploy/healthcheck, which the images run."""

    def status_for(self, http_status):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(http_status if self.path == "/v2/health/ready" else 418)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                return subprocess.run([ROOT / "deploy/healthcheck", "127.0.0.1", str(server.server_port)]).returncode
            finally:
                server.shutdown()

    def test_ready_is_healthy(self):
        self.assertEqual(self.status_for(200), 0)

    def test_draining_is_not(self):
        self.assertNotEqual(self.status_for(503), 0)

    def test_nobody_there_is_not(self):
        result = subprocess.run([ROOT / "deploy/healthcheck", "127.0.0.1", "1"], capture_output=True)
        self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    sample_program = sys.argv.pop(1)
    unittest.main()
