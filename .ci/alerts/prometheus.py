"""A Prometheus that scrapes a pool every second and evaluates the alert rules with shortened times."""

import json
import os
import re
import subprocess
import urllib.parse

from pool import ROOT, await_true, free_port, get

RULES = os.path.join(ROOT, "ops", "prometheus", "sluice.rules.yml")
FOR = "5s"
RANGE = "20s"
# On a machine that has too much to do.
ANSWER_LIMIT = 30

# The engines of the pool are small: more requests than their workers send them, and fewer than have room.
LIMITS = {"sluice_worker_engine_running > 200": "sluice_worker_engine_running > 8"}

CONFIG = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [rules.yml]
scrape_configs:
{jobs}
"""
JOB = '  - {{job_name: sluice-{job}, static_configs: [{{targets: [{targets}]}}]}}\n'


def shortened(rules):
    """Alerts wait 5 s instead of minutes, and look back 20 s. Some limits are lower."""
    for limit, smaller in LIMITS.items():
        assert limit in rules, limit
        rules = rules.replace(limit, smaller)
    return re.sub(r"\[\d+[smh]\]", f"[{RANGE}]", re.sub(r"for: \d+[smh]", f"for: {FOR}", rules))


class Prometheus:
    def __init__(self, folder, pool):
        self.port = free_port()
        self.folder = folder
        with open(RULES, encoding="utf-8") as file:
            rules = file.read()
        self.alerts = re.findall(r"- alert: (\w+)", rules)
        self._write("rules.yml", shortened(rules))
        jobs = {"router": ["router"], "worker": ["w1", "w2"], "gateway": ["gateway"]}
        self._write("prometheus.yml", CONFIG.format(jobs="".join(
            JOB.format(job=job, targets=", ".join(f'"127.0.0.1:{pool.ports[name]}"' for name in names))
            for job, names in jobs.items())))
        self.process = None

    def start(self):
        log = open(os.path.join(self.folder, "prometheus.log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/tsdb",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)
        await_true("Prometheus is ready", lambda: get(self._url("/-/ready")), 30)

    def query(self, expression):
        """The values of the time series that an expression has now, without those that are no number."""
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        answer = json.loads(get(self._url(path), ANSWER_LIMIT))
        result = answer["data"]["result"]
        return [float(series["value"][1]) for series in result if series["value"][1] != "NaN"]

    def firing(self, but_of=""):
        """The alerts that fire, without those of one severity."""
        alerts = json.loads(get(self._url("/api/v1/alerts"), ANSWER_LIMIT))["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts
                if alert["state"] == "firing" and alert["labels"]["severity"] != but_of}

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def _url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
