"""A pool whose parts are processes of their own, so that each can be frozen or killed."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from gpu import GpuExporter

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SLUICE = os.environ.get("SLUICE", os.path.join(ROOT, "sluice"))
LIBRARIES = os.environ.get("SLUICE_LIBRARIES", os.path.join(ROOT, "standalone", "target", "lib"))
CHANGELOG = "sluice-router-requests-changelog"
MODEL = "sluice-8b"
# Judges the engine within seconds, and cannot restart it.
UNABLE_WATCHDOG = (
    "--watchdog", "restart", "--restart-command", "false", "--scrape-millis", 100, "--watchdog-window-millis", 100,
)

# In the catalog, but no worker serves it.
UNSERVED_MODEL = "sluice-mini"
START_LIMIT = 120

SERVER = """
process.roles=broker,controller
node.id=1
listeners=CLIENT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENT
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={data}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=2
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=2
group.initial.rebalance.delay.ms=0
message.max.bytes=8388608
replica.fetch.max.bytes=8388608
log.index.size.max.bytes=262144
log.cleaner.dedupe.buffer.size=4194304
"""


def jdk_tool(name):
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", name) if home else name


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url, timeout=5):
    with urllib.request.urlopen(url, timeout=timeout) as answer:
        return answer.read().decode()


def send(url, body, headers=None, timeout=120, method="POST"):
    """Sends JSON; returns the status, or 0 without an answer."""
    fields = {"content-type": "application/json", **(headers or {})}
    request = urllib.request.Request(url, json.dumps(body).encode(), fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            answer.read()
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code
    except OSError:
        return 0


def await_true(what, condition, limit):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.3)
    raise SystemExit(f"gave up after {limit} s: {what}")


class Pool:
    """Kafka, Redis, two engines with a worker each, a router and a gateway."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        self.gpu = GpuExporter()
        self.ports = {
            name: free_port()
            for name in (
                "kafka controller redis router gateway w1 w2 engine1 engine2 admin1 admin2 debugger".split()
            )
        }

    def start(self):
        self._run("redis", "redis-server", "--port", self.ports["redis"], "--save", "", "--dir", self.folder)
        self._start_kafka()
        for number in (1, 2):
            self._sluice(
                f"engine{number}", "simulator", "--port", self.ports[f"engine{number}"], "--model", MODEL,
                "--admin-port", self.ports[f"admin{number}"], "--enable-prompt-tokens-details",
                "--kv-blocks", 1200, "--max-model-len", 8192,
            )
        await_true("Kafka answers", lambda: socket.create_connection(("127.0.0.1", self.ports["kafka"]), 1), 60)
        self._start_router()
        # A gateway ends if the topics are not there yet; the router makes them.
        self._await_ready("router")
        for number in (1, 2):
            self._sluice(
                f"w{number}", "worker", "--id", f"w{number}", *self._pool(f"w{number}"), "--max-concurrent", 6,
                "--engine-url", f"http://127.0.0.1:{self.ports[f'engine{number}']}", "--tier", "fast",
                *(UNABLE_WATCHDOG if number == 1 else ("--gpu-readings", self.gpu.url)),
            )
        self._sluice("gateway", "gateway", *self._pool("gateway"), "--access-log", "false")
        for service in ("w1", "w2", "gateway"):
            self._await_ready(service)
        self.await_answer()

    def chat(self, model=MODEL, max_tokens=40, prompt="why is the sky blue", headers=None, timeout=120):
        body = {
            "model": model,
            "max_tokens": max_tokens,
            "ignore_eos": True,
            "messages": [{"role": "user", "content": prompt}],
        }
        return send(self.url("gateway", "/v1/chat/completions"), body, headers, timeout)

    def fault(self, engine, *faults):
        admin = f"http://127.0.0.1:{self.ports[f'admin{engine}']}/faults"
        assert send(admin, {"faults": list(faults)}, method="PUT") == 200

    def metric(self, service, name):
        """The value of a metric, summed over its labels; 0 without it."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[service]}/prometheus", timeout=5) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name}{{", f"{name} ")))

    def throttle_router(self, bytes_per_second):
        """Limits what the router writes; None removes the limit. Changelogs have another client id."""
        change = ("--delete-config", "producer_byte_rate") if bytes_per_second is None else (
            "--add-config", f"producer_byte_rate={bytes_per_second}")
        self._java("kafka.admin.ConfigCommand", "--bootstrap-server", self._kafka(), "--alter",
                   "--entity-type", "clients", "--entity-name", "sluice-r1", *change)

    def store_unreadable_request(self):
        put = os.path.join(ROOT, ".ci", "alerts", "PutRecord.java")
        self._java(put, self._kafka(), CHANGELOG, 0, "unreadable", "of a form that no version knows")

    def restart_router(self):
        self.kill("router")
        self._start_router(f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,"
                           f"address=127.0.0.1:{self.ports['debugger']}")
        self._await_ready("router")

    def await_answer(self):
        await_true("the pool answers", lambda: self.chat(max_tokens=2, timeout=10) == 200, START_LIMIT)

    def signal(self, name, number):
        self.processes[name].send_signal(number)

    def kill(self, name):
        self.signal(name, signal.SIGKILL)
        self.processes[name].wait()

    def url(self, name, path):
        return f"http://127.0.0.1:{self.ports[name]}{path}"

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
        for process in self.processes.values():
            process.wait()
        self.gpu.close()

    def _await_ready(self, service):
        ready = self.url(service, "/health/readiness")
        await_true(f"{service} is ready", lambda: get(ready), START_LIMIT)

    def _kafka(self):
        return f"127.0.0.1:{self.ports['kafka']}"

    def _pool(self, service):
        return (
            "--port", self.ports[service], "--kafka", self._kafka(),
            "--redis", f"redis://127.0.0.1:{self.ports['redis']}", "--partitions", 2, "--replication", 1,
        )

    def _start_kafka(self):
        settings = os.path.join(self.folder, "server.properties")
        data = os.path.join(self.folder, "kafka")
        with open(settings, "w", encoding="utf-8") as file:
            file.write(SERVER.format(port=self.ports["kafka"], controller=self.ports["controller"], data=data))
        self._java("kafka.tools.StorageTool", "format", "-t", "c2x1aWNlLWxvY2FsLTAwMQ", "-c", settings)
        self._run("kafka", *self._java_command("kafka.Kafka", settings))

    def _start_router(self, *jvm_options):
        self._sluice(
            "router", "router", "--id", "r1", *self._pool("router"), "--max-pending", 40, "--max-wait", 20,
            "--models", f"{MODEL}=8192,{UNSERVED_MODEL}=4096", jvm_options=jvm_options,
        )

    @staticmethod
    def _java_command(main, *arguments):
        return (jdk_tool("java"), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                os.path.join(LIBRARIES, "*"), main, *arguments)

    def _java(self, main, *arguments):
        log = open(os.path.join(self.folder, "tools.log"), "a", encoding="utf-8")
        command = [str(part) for part in self._java_command(main, *arguments)]
        subprocess.run(command, check=True, stdout=log, stderr=log, timeout=60)

    def _sluice(self, name, *arguments, jvm_options=()):
        # What happens beside the start of a service is short: one compiler is enough, and starts it sooner.
        self._run(name, SLUICE, *arguments, SLUICE_JAVA_OPTS=" ".join(("-XX:TieredStopAtLevel=1", *jvm_options)))

    def _run(self, name, *command, **environment):
        log = open(os.path.join(self.folder, name + ".log"), "a", encoding="utf-8")
        self.processes[name] = subprocess.Popen(
            [str(part) for part in command], stdout=log, stderr=log, cwd=ROOT, env={**os.environ, **environment}
        )
