"""Sees every alert fire in a pool that is broken on purpose, and every query of the dashboards return data."""

import glob
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time

from debugger import fail_once
from pool import MODEL, ROOT, UNSERVED_MODEL, Pool, await_true, send
from prometheus import RANGE, Prometheus

FIRE_LIMIT = 90
DATA_LIMIT = 45

# Queries of the dashboards that are empty in a healthy pool.
EMPTY_IN_HEALTH = {'sum by (alertname, severity) (ALERTS{alertstate="firing"})'}


class Load:
    """Threads that send requests one after the other until they are stopped."""

    def __init__(self, threads, request):
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(request, i), daemon=True) for i in range(threads)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *failure):
        self._stopped.set()

    def _run(self, request, number):
        count = 0
        while not self._stopped.is_set():
            request(number, count)
            count += 1
            # A refused request is answered at once.
            self._stopped.wait(0.05)


class Drill:
    """Breaks the pool, and notes how long each alert takes."""

    def __init__(self, prometheus):
        self.prometheus = prometheus
        self.rows = []
        self.missing = []

    def expect(self, begun, causes):
        """Waits until alerts fire: maps how the pool was broken to the alerts that must tell it."""
        waiting = {alert: how for how, alerts in causes.items() for alert in alerts.split()}
        for alert in sorted(waiting.keys() & self.prometheus.firing()):
            self._note(alert, waiting.pop(alert), "already before")
        end = time.monotonic() + FIRE_LIMIT
        while waiting and time.monotonic() < end:
            for alert in sorted(waiting.keys() & self.prometheus.firing()):
                self._note(alert, waiting.pop(alert), f"{time.monotonic() - begun:.0f}")
            time.sleep(0.5)
        for alert, how in sorted(waiting.items()):
            self.missing.append(alert)
            self._note(alert, how, "did not fire")

    def _note(self, alert, how, seconds):
        self.rows.append((alert, how, seconds))
        print(f"  {alert}: {seconds}", flush=True)

    def table(self):
        print("\n| alert | how the pool was broken | seconds until it fired |\n| --- | --- | --- |")
        for row in self.rows:
            print("| `%s` | %s | %s |" % row)


def dashboard_queries():
    """The queries of all dashboards with their titles; variables stand for everything."""
    for path in sorted(glob.glob(os.path.join(ROOT, "ops", "grafana", "*.json"))):
        with open(path, encoding="utf-8") as file:
            dashboard = json.load(file)
        for panel in dashboard["panels"]:
            for target in panel.get("targets", []):
                yield f"{dashboard['title']} / {panel['title']}", target["expr"]
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                yield f"{dashboard['title']} / ${variable['name']}", re.sub(
                    r"label_values\((.*), \w+\)", r"\1", variable["query"])


def as_prometheus(expression):
    return re.sub(r"\$\w+", ".*", expression.replace("$__rate_interval", RANGE))


def require_data(prometheus, queries):
    waiting = list(queries)
    end = time.monotonic() + DATA_LIMIT
    while waiting and time.monotonic() < end:
        waiting = [item for item in waiting if not prometheus.query(as_prometheus(item[1]))]
        time.sleep(1)
    for title, expression in waiting:
        print(f"no data: {title}: {expression}")
    return not waiting


def ask(pool, number, count):
    pool.chat(max_tokens=30, prompt=f"why is the sky blue {count % 3}", headers={"x-sluice-tenant": f"t{number}"})


def degrade(pool, drill):
    with Load(12, lambda *request: ask(pool, *request)):
        await_true("the watchdog knows its engine", lambda: pool.metric("w1", "sluice_worker_engine_slowdown") > 0, 90)
        pool.fault(1, "engine-slow=2.5")
        begun = time.monotonic()
        drill.expect(begun, {
            "an engine that takes 2.5 times as long, and a restart command that fails":
                "SluiceEngineDegraded SluiceEngineRestartFailed"})
    pool.fault(1)


def overload(pool, drill):
    pool.fault(1, "engine-slow=12")
    pool.fault(2, "engine-slow=12")
    begun = time.monotonic()
    with Load(60, lambda *_: pool.chat(max_tokens=60, timeout=60)):
        drill.expect(begun, {
            "60 clients at two slow engines":
                "SluiceInteractiveRequestsWait SluiceOverloaded SluiceFirstTokensSlow SluiceFirstTokensMissTarget"})
    pool.fault(1)
    pool.fault(2)


def fill_an_engine(pool, drill):
    engine = f"http://127.0.0.1:{pool.ports['engine1']}/v1/completions"

    def ask_directly(number, count):
        # Prompts that begin alike would share blocks of the KV cache.
        prompt = f"{number} {count} " + "go on " * 200
        send(engine, {"model": MODEL, "prompt": prompt, "max_tokens": 3000, "ignore_eos": True}, timeout=30)

    # An engine without any hit would count as one without a prefix cache.
    for _ in range(2):
        send(engine, {"model": MODEL, "prompt": "go on " * 200, "max_tokens": 1}, timeout=30)
    begun = time.monotonic()
    with Load(60, ask_directly):
        drill.expect(begun, {
            "60 long answers from one engine, past the pool":
                "SluiceKvCacheHigh SluiceKvCacheFull SluiceKvCacheStuck SluiceEngineCrowded SluiceEngineQueues "
                "SluiceEnginePreempts SluicePrefixHitsLow"})


def miss_deadlines(pool, drill):
    begun = time.monotonic()
    with Load(6, lambda *_: pool.chat(model=UNSERVED_MODEL, headers={"x-sluice-timeout-ms": "2000"})):
        drill.expect(begun, {
            "requests with a deadline for a model without a worker": "SluiceDeadlinesMissed SluiceServerErrors"})
        pool.throttle_router(100)
        begun = time.monotonic()
        drill.expect(begun, {"a quota of 100 B/s for the router, while requests end": "SluiceRecordsUnwritten"})
    pool.throttle_router(None)


def find_an_unreadable_request(pool, drill):
    pool.store_unreadable_request()
    begun = time.monotonic()
    pool.restart_router()
    drill.expect(begun, {"a stored request replaced by other bytes, and the router restarted":
                         "SluiceRequestsUnreadable"})
    pool.await_answer()


def fail_in_own_code(pool, drill):
    begun = time.monotonic()
    with Load(1, lambda *request: ask(pool, *request)):
        fail_once(pool.ports["debugger"], pool.folder, "io.sluice.router.stream.SchedulerProcessor.request", "metadata")
        drill.expect(begun, {"a variable of the router set to null, with a debugger": "SluiceRouterFailures"})


def fail_attempts(pool, drill):
    pool.fault(2, "cut-after=5")
    begun = time.monotonic()
    with Load(6, lambda *request: ask(pool, *request)):
        drill.expect(begun, {"an engine cuts its streams": "SluiceAttemptsFail SluiceBreakerOpen"})
    pool.fault(2)


def heat_a_gpu(pool, drill):
    pool.gpu.celsius = 91
    begun = time.monotonic()
    drill.expect(begun, {"a GPU of 91 °C": "SluiceGpuHot"})
    pool.gpu.celsius = 60


def lose_redis_and_an_engine(pool, drill):
    begun = time.monotonic()
    pool.signal("redis", signal.SIGSTOP)
    pool.kill("engine2")
    drill.expect(begun, {
        "Redis frozen": "SluiceRedisDown SluiceFleetViewStale",
        "an engine killed": "SluiceEngineDown"})
    pool.signal("redis", signal.SIGCONT)


def lose_workers(pool, drill):
    begun = time.monotonic()
    pool.kill("w1")
    pool.kill("w2")
    with Load(1, lambda *request: ask(pool, *request)):
        drill.expect(begun, {
            "both workers killed": "SluiceServiceDown",
            "both workers killed, and requests that wait for one": "SluiceNoWorkers"})


def lose_kafka(pool, drill):
    begun = time.monotonic()
    pool.signal("kafka", signal.SIGSTOP)
    drill.expect(begun, {"Kafka frozen": "SluiceKafkaDown"})


def main():
    begun = time.monotonic()
    folder = tempfile.mkdtemp(prefix="sluice-alerts-", dir="/tmp")
    pool = Pool(folder)
    prometheus = Prometheus(folder, pool)
    drill = Drill(prometheus)
    try:
        pool.start()
        prometheus.start()
        print(f"the pool is up after {time.monotonic() - begun:.0f} s", flush=True)
        queries = list(dashboard_queries())
        with Load(3, lambda *request: ask(pool, *request)):
            has_data = require_data(prometheus, [q for q in queries if q[1] not in EMPTY_IN_HEALTH])
            # A busy machine may miss the targets of a healthy pool.
            disturbed = prometheus.firing(but_of="info")
        print(f"{len(queries)} queries of dashboards; firing in the healthy pool: {disturbed or 'nothing'}")
        degrade(pool, drill)
        overload(pool, drill)
        has_data &= require_data(prometheus, [q for q in queries if q[1] in EMPTY_IN_HEALTH])
        miss_deadlines(pool, drill)
        find_an_unreadable_request(pool, drill)
        fail_in_own_code(pool, drill)
        fail_attempts(pool, drill)
        fill_an_engine(pool, drill)
        heat_a_gpu(pool, drill)
        lose_redis_and_an_engine(pool, drill)
        lose_workers(pool, drill)
        lose_kafka(pool, drill)
        drill.table()
        untested = set(prometheus.alerts) - {alert for alert, _, _ in drill.rows}
        if untested:
            print(f"never caused: {sorted(untested)}")
        print(f"took {time.monotonic() - begun:.0f} s")
        return 0 if has_data and not disturbed and not drill.missing and not untested else 1
    finally:
        prometheus.close()
        pool.close()
        if not os.environ.get("SLUICE_ALERTS_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
