"""Runs profile sim of docker-compose.yml and uses it as docs/containers.md says: check.py STORAGE FOLDER MEMORY.

Runs in namespaces of its own, in which localhost stands for the host. FOLDER holds compose.json, the loaded Compose
file; MEMORY is a folder of cgroups for the limits, or empty.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.request
from pathlib import Path

from compose import Project, Service
from engine import Images, Memory, Network

PROFILE = "sim"
SLUICE = os.environ["SLUICE"]
SLUICE_USER = 10001
START_LIMIT = 240
COMMAND_LIMIT = 120
BATCH_REQUESTS = 160
LOG_LINES = 40
# What only the image with the simulator may have.
NOT_IN_PRODUCTION = re.compile(r"kafka-server-\d|kafka_2|embedded-redis|sluice-simulator|sluice-standalone")
START_CACHE = "/opt/sluice/services.aot"
MAIN_COMMANDS = ("router", "gateway", "worker", "simulator")


def load(file):
    """The services of the profile, and those that every profile has."""
    services = json.loads(file.read_text())["services"]
    return [Service.of(name, fields) for name, fields in services.items()
            if PROFILE in fields.get("profiles", [PROFILE])]


class Check:
    def __init__(self, project, folder):
        self.services = project.services
        self.project = project
        self.folder = folder
        self.began = time.monotonic()

    def note(self, text):
        print(f"  {time.monotonic() - self.began:5.1f} s  {text}", flush=True)

    def own(self):
        """The services that run Sluice."""
        return [supervisor for supervisor in self.services.values()
                if (supervisor.container.service.command or [""])[0] in MAIN_COMMANDS]

    def starts(self):
        self.project.up()
        late = self.project.await_health(START_LIMIT)
        assert not late, f"not healthy after {START_LIMIT} s: {late}"
        slowest = max(self.services.items(), key=lambda item: item[1].healthy_seconds)
        restarts = {name: one.restarts for name, one in self.services.items() if one.restarts}
        self.note(f"{len(self.services)} services are healthy; the slowest after its start was {slowest[0]}"
                  f" ({slowest[1].healthy_seconds:.0f} s); restarts: {restarts or 'none'}")

    def users(self):
        for supervisor in self.own():
            container = supervisor.container
            status = Path(f"/proc/{container.main_process()}/status").read_text()
            fields = dict(line.split(":\t", 1) for line in status.splitlines())
            assert fields["Uid"].split() == [str(SLUICE_USER)] * 4, f"{container.name} runs as {fields['Uid']}"
            # buildah leaves the right to change the user in the bounding set; without new privileges no process gets it.
            assert int(fields["CapEff"], 16) == 0, f"{container.name} has capabilities {fields['CapEff']}"
            assert fields["NoNewPrivs"] == "1", f"{container.name} may get privileges"
        self.note(f"{len(self.own())} services run as user {SLUICE_USER}, without capabilities")

    def class_paths(self):
        def odd(service):
            root = self.services[service].container.root / "opt" / "sluice"
            return sorted(jar.name for jar in root.rglob("*.jar") if NOT_IN_PRODUCTION.search(jar.name))

        assert not odd("router"), f"in the production image: {odd('router')}"
        assert len(odd("simulator-fast")) >= 5, f"in the image with the simulator: {odd('simulator-fast')}"
        self.note("the production image has neither a simulator nor a broker")

    def start_caches(self):
        """A JVM that cannot use its cache of classes starts without it."""
        production = [one for one in self.own() if one.container.service.command[0] != "simulator"]
        for supervisor in production:
            maps = Path(f"/proc/{supervisor.container.main_process()}/maps").read_text()
            assert START_CACHE in maps, f"{supervisor.container.name} does not use {START_CACHE}"
        self.note(f"{len(production)} services use the start-up cache of their image")

    def chat(self):
        answer = self.sluice("chat", "--max-tokens", "40", "What is a sluice gate for?")
        assert len(answer.split()) >= 10, f"the answer: {answer!r}"
        self.note("./sluice chat has an answer")

    def batch(self):
        source = Path("examples/prompts.jsonl")
        self._assert_answers(self._batch(source, "examples.jsonl"), source)
        self.note("./sluice batch has answered the examples")

    def gateway(self):
        key = re.search(r"\bsk-\S+", self.sluice("keys", "create", "--tenant", "me")).group()
        url = "http://localhost:8080/v1"
        assert self._http(f"{url}/models")[0] == 401
        status, models = self._http(f"{url}/models", key)
        names = {model["id"] for model in models["data"]}
        assert status == 200 and {"sluice-8b", "sluice-mini"} <= names, models
        for model in ("sluice-8b", "sluice-mini"):
            body = {"model": model, "max_tokens": 20, "messages": [{"role": "user", "content": "Why is the sky blue?"}]}
            status, answer = self._http(f"{url}/chat/completions", key, body)
            assert status == 200 and answer["choices"][0]["message"]["content"], answer
        self.note("the gateway refuses a request without a key, and answers those with one")

    def kill(self):
        """A worker is killed in the middle of a batch, and starts again."""
        source, batch = self._start_batch("killed")
        worker = self._busiest_worker()
        running = self._running(worker)
        worker.container.signal(signal.SIGKILL)
        self._assert_answers(self._await_batch(batch), source)
        assert worker.healthy.wait(START_LIMIT) and worker.restarts == 1
        self.note(f"{worker.container.name} was killed with {running} requests: all {BATCH_REQUESTS} have answers, and it"
                  " is back")

    def drain(self):
        """A worker is stopped in the middle of a batch."""
        source, batch = self._start_batch("drained")
        worker = self._busiest_worker()
        running = self._running(worker)
        took = worker.stop()
        code = worker.container.exit_code()
        log = worker.container.log.read_text()
        assert code in (0, 143), f"{worker.container.name} ended with {code}"
        assert "event=worker_draining" in log and "event=worker_stopped" in log, "the worker did not drain"
        self._assert_answers(self._await_batch(batch), source)
        self.note(f"{worker.container.name} was stopped with {running} requests, and ended with {code} after {took:.1f} s"
                  f" of {worker.container.service.stop_grace_seconds:.0f} s: all {BATCH_REQUESTS} have answers")
        worker.start([])
        assert worker.healthy.wait(START_LIMIT), f"{worker.container.name} does not start again"

    def stops(self):
        ended = self.project.down()
        for name, (took, code) in ended.items():
            grace = self.services[name].container.service.stop_grace_seconds
            assert code in (0, 143) and took < grace, f"{name} ended with {code} after {took:.1f} s of {grace:.0f} s"
        slowest = max(ended.items(), key=lambda item: item[1][0])
        self.note(f"all services end by SIGTERM, {slowest[0]} as the last after {slowest[1][0]:.1f} s")

    def sluice(self, *arguments):
        done = subprocess.run([SLUICE, *arguments], capture_output=True, text=True, timeout=COMMAND_LIMIT)
        assert done.returncode == 0, f"sluice {' '.join(arguments)} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def _start_batch(self, name):
        source = self.folder / f"{name}.in.jsonl"
        with open(source, "w", encoding="utf-8") as file:
            for number in range(BATCH_REQUESTS):
                body = {"model": "sluice-8b", "max_tokens": 400, "ignore_eos": True,
                        "messages": [{"role": "user", "content": f"Tell story {number}."}]}
                request = {"custom_id": f"r{number}", "method": "POST", "url": "/v1/chat/completions", "body": body}
                file.write(json.dumps(request) + "\n")
        return source, self._batch_process(source, f"{name}.out.jsonl")

    def _batch(self, source, output):
        return self._await_batch(self._batch_process(source, output))

    def _batch_process(self, source, output):
        output = self.folder / output
        process = subprocess.Popen([SLUICE, "batch", str(source), "-o", str(output)], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        return process, output

    @staticmethod
    def _await_batch(batch):
        process, output = batch
        text, _ = process.communicate(timeout=COMMAND_LIMIT)
        assert process.returncode == 0, f"the batch ended with {process.returncode}: {text}"
        return output

    @staticmethod
    def _assert_answers(output, source):
        wanted = [json.loads(line)["custom_id"] for line in source.read_text().splitlines()]
        answers = [json.loads(line) for line in output.read_text().splitlines()]
        assert sorted(answer["custom_id"] for answer in answers) == sorted(wanted), "requests and answers differ"
        failed = [answer for answer in answers if answer.get("error") or answer["response"]["status_code"] != 200]
        assert not failed, f"{len(failed)} failed, such as {failed[0]}"

    def _busiest_worker(self):
        """Waits until a worker has requests."""
        workers = [one for one in self.own() if one.container.service.command == ["worker"]]
        end = time.monotonic() + COMMAND_LIMIT
        while time.monotonic() < end:
            busiest = max(workers, key=self._running)
            if self._running(busiest) >= 4:
                return busiest
            time.sleep(0.1)
        raise AssertionError("no worker got requests")

    @staticmethod
    def _running(worker):
        port = worker.container.service.environment["SLUICE_WORKER_PORT"]
        with urllib.request.urlopen(f"http://{worker.container.address}:{port}/prometheus", timeout=10) as page:
            lines = page.read().decode().splitlines()
        return int(sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("sluice_worker_running")))

    @staticmethod
    def _http(url, key=None, body=None):
        headers = {"content-type": "application/json"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        request = urllib.request.Request(url, json.dumps(body).encode() if body else None, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def show_logs(self):
        for supervisor in self.services.values():
            log = supervisor.container.log
            lines = log.read_text().splitlines() if log.exists() else []
            state = "healthy" if supervisor.healthy.is_set() else "not healthy"
            print(f"--- {supervisor.container.name}: {state}, {supervisor.restarts} restarts")
            print("\n".join(lines[-LOG_LINES:]))
            if not supervisor.healthy.is_set():
                print(f"the last health check: {supervisor.probe_output}")


def main():
    storage, folder, memory = sys.argv[1:]
    folder = Path(folder)
    services = load(folder / "compose.json")
    project = Project(services, Images(storage), Network(services), Memory(memory), folder)
    check = Check(project, folder)
    failed = []
    for step in (check.starts, check.users, check.class_paths, check.start_caches, check.chat, check.batch, check.gateway, check.kill,
                 check.drain, check.stops):
        try:
            step()
        except Exception:
            failed.append(step.__name__)
            check.note(f"failed: {step.__name__}")
            traceback.print_exc(file=sys.stdout)
            if step == check.starts:
                break
    if failed:
        check.show_logs()
        print(f"docker-compose.yml: failed: {', '.join(failed)}")
        return 1
    print(f"docker-compose.yml: {len(services)} services of profile {PROFILE} did all this"
          f"{'' if memory else ', without limits of memory'}")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.stdout.reconfigure(line_buffering=True)
    code = main()
    sys.stdout.flush()
    # Threads still wait for containers, which end with the namespace.
    os._exit(code)
