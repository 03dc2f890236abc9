"""Checks k8s/, docker-compose.yml and the PrometheusRule: check.py KUSTOMIZE COMPOSE, from the root of the checkout.

Prints what is wrong, one finding a line, and exits with 1; or prints one line with what was checked.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml

# The oldest version of Kubernetes that docs/containers.md names, and the newest with published schemas.
KUBERNETES = ("1.29", "1.37")
ADAPTER = Path("k8s/components/hpa/adapter-values.yaml")
SCHEMAS = yaml.safe_load(Path(".ci/manifests/custom-resources.yaml").read_text())

# Their images write below their root.
WRITES_TO_ROOT = {"vllm", "kafka"}
SECRET_NAME = re.compile(r"(?i)password|passwd|secret|token$|api[-_]?key|jaas")
SECRET_TEXT = re.compile(r"(?i)password\s*=\s*[^\s$]|://[^/\s:@]*:[^/\s@]+@|BEGIN [A-Z ]*PRIVATE KEY")
SLUICE_METRIC = re.compile(r"\bsluice_[a-z_]+")
ENGINE_PORT = 8000

findings = []


def find(where, message):
    findings.append(f"{where}: {message}")


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        find(" ".join(command[-2:]), done.stderr.strip())
        return ""
    return done.stdout


def named(document):
    return f"{document['kind']} {document['metadata']['name']}"


def of_kind(documents, *kinds):
    return [document for document in documents if document["kind"] in kinds]


def workloads(documents):
    return of_kind(documents, "Deployment", "StatefulSet")


def pod(workload):
    return workload["spec"]["template"]["spec"]


def containers(workload):
    return pod(workload).get("initContainers", []) + pod(workload)["containers"]


def documented_settings():
    """Returns the environment variables of each service, from docs/configuration.md."""
    page = Path("docs/configuration.md").read_text()
    tables = re.findall(r"<!-- (\w+) settings: .*?-->(.*?)<!-- end", page, re.S)
    return {service: set(re.findall(r"`(SLUICE_[A-Z0-9_]+)`", table)) for service, table in tables}


SETTINGS = documented_settings()
METRICS = set(SLUICE_METRIC.findall(Path("docs/metrics.md").read_text()))
SCALING_PAGE = Path("docs/autoscaling.md").read_text()
CONTAINERS_PAGE = Path("docs/containers.md").read_text()


def check_schema(where, document):
    schema = SCHEMAS.get(f"{document['apiVersion']} {document['kind']}")
    try:
        if schema:
            jsonschema.Draft202012Validator(schema).validate(document)
        else:
            for version in KUBERNETES:
                kubernetes_validate.validate(document, version, strict=True)
    except (jsonschema.ValidationError, kubernetes_validate.ValidationError) as error:
        find(where, f"{named(document)}: {error.json_path}: {error.message}")
    except kubernetes_validate.SchemaNotFoundError as error:
        find(where, f"{named(document)}: {error.message}")


def check_nothing_secret(where, documents):
    for document in of_kind(documents, "Secret"):
        find(where, f"{named(document)}: a secret does not belong into the manifests")
    for config in of_kind(documents, "ConfigMap"):
        for key, value in config.get("data", {}).items():
            names_a_file = key.endswith("_FILE")
            if (SECRET_NAME.search(key) and not names_a_file) or SECRET_TEXT.search(value):
                find(where, f"{named(config)}: {key} looks like a secret")
    for workload in workloads(documents):
        for container in containers(workload):
            for variable in container.get("env", []):
                if SECRET_NAME.search(variable["name"]) and "value" in variable:
                    find(where, f"{named(workload)}: {variable['name']} is a secret in plain text")


def check_pods(where, documents):
    for workload in workloads(documents):
        spec, name = pod(workload), named(workload)
        for field in ("automountServiceAccountToken", "enableServiceLinks"):
            if spec.get(field) is not False:
                find(where, f"{name}: {field} is not false")
        security = spec.get("securityContext", {})
        if not security.get("runAsNonRoot") or "seccompProfile" not in security:
            find(where, f"{name}: the pod may run as root, or has no seccomp profile")
        mountable = {volume["name"] for volume in spec.get("volumes", [])} | {
            claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])
        }
        for container in containers(workload):
            check_container(f"{where}: {name}, container {container['name']}", container, security, mountable)


def check_container(where, container, pod_security, mountable):
    is_sidecar = container.get("restartPolicy") == "Always"
    for probe in ("startupProbe", "livenessProbe") + (() if is_sidecar else ("readinessProbe",)):
        if probe not in container:
            find(where, f"no {probe}")
    resources = container.get("resources", {})
    for part, resource in (("requests", "cpu"), ("requests", "memory"), ("limits", "memory")):
        if resource not in resources.get(part, {}):
            find(where, f"no {part} of {resource}")
    security = container.get("securityContext", {})
    if security.get("allowPrivilegeEscalation") is not False or security.get("capabilities") != {"drop": ["ALL"]}:
        find(where, "may get privileges")
    if not security.get("runAsUser", pod_security.get("runAsUser")):
        find(where, "names no user")
    if security.get("readOnlyRootFilesystem") is not True and container["name"] not in WRITES_TO_ROOT:
        find(where, "can write to its root")
    if not re.search(r":v?\d", container["image"]):
        find(where, f"the image {container['image']} has no version")
    for mount in container.get("volumeMounts", []):
        if mount["name"] not in mountable:
            find(where, f"mounts {mount['name']}, which the pod does not have")


def check_settings(where, documents):
    """Every variable SLUICE_* is a setting of the service whose container has it."""
    shared = {variable for variables in SETTINGS.values() for variable in variables}
    for config in of_kind(documents, "ConfigMap"):
        for key in config.get("data", {}):
            if key.startswith("SLUICE_") and key not in shared:
                find(where, f"{named(config)}: {key} is not a setting")
    for workload in workloads(documents):
        for container in containers(workload):
            known = SETTINGS.get((container.get("args") or [""])[0], set())
            for variable in container.get("env", []):
                if variable["name"].startswith("SLUICE_") and variable["name"] not in known:
                    find(where, f"{named(workload)}: {variable['name']} is not a setting of {container['name']}")


def check_references(where, documents):
    """Selectors find pods, ConfigMaps exist, and every secret that is needed is in docs/containers.md."""
    labels = [workload["spec"]["template"]["metadata"]["labels"] for workload in workloads(documents)]
    for document in of_kind(documents, "Service", "PodDisruptionBudget"):
        selector = document["spec"]["selector"]
        selector = selector.get("matchLabels", selector)
        if not any(selector.items() <= of_pod.items() for of_pod in labels):
            find(where, f"{named(document)}: selects no pod")
    configs = {config["metadata"]["name"] for config in of_kind(documents, "ConfigMap")}
    for workload in workloads(documents):
        if workload["kind"] == "StatefulSet" and not any(
            named(document) == f"Service {workload['spec']['serviceName']}" for document in documents
        ):
            find(where, f"{named(workload)}: its service does not exist")
        text = json.dumps(pod(workload))
        for name in re.findall(r'"config[mM]ap(?:Ref)?": \{"name": "([^"]+)"', text):
            if name not in configs:
                find(where, f"{named(workload)}: the ConfigMap {name} does not exist")
        for name in re.findall(r'"secretName": "([^"]+)"|"secretKeyRef": \{[^}]*"name": "([^"]+)"', text):
            if f"`{name[0] or name[1]}`" not in CONTAINERS_PAGE:
                find(where, f"{named(workload)}: docs/containers.md does not name the secret {name[0] or name[1]}")


def check_scalers(where, documents):
    """A workload has one scaler, which alone sets its replicas, and all metrics exist."""
    rules = yaml.safe_load(ADAPTER.read_text())["rules"]["custom"]
    served = {rule.get("name", {}).get("as") or rule["seriesQuery"].split("{")[0] for rule in rules}
    check_metrics(ADAPTER, " ".join(rule["seriesQuery"] + rule["metricsQuery"] for rule in rules))
    scaled = {}
    for scaler in of_kind(documents, "HorizontalPodAutoscaler", "ScaledObject"):
        target = scaler["spec"]["scaleTargetRef"]
        scaled.setdefault(f"{target['kind']} {target['name']}", []).append(named(scaler))
        for metric in scaler["spec"].get("metrics", []):
            if metric["pods"]["metric"]["name"] not in served:
                find(where, f"{named(scaler)}: the adapter has no rule for {metric['pods']['metric']['name']}")
        for trigger in scaler["spec"].get("triggers", []):
            check_trigger(f"{where}: {named(scaler)}", trigger["metadata"], documents)
    found = {named(workload): workload for workload in workloads(documents)}
    for target, scalers in scaled.items():
        if len(scalers) > 1:
            find(where, f"{target} has the scalers {', '.join(scalers)}")
        if target not in found:
            find(where, f"{scalers[0]}: {target} does not exist")
        elif "replicas" in found[target]["spec"]:
            find(where, f"{target} has replicas, and a scaler")


def check_trigger(where, metadata, documents):
    """It asks a service that exists for a model of the catalog and a figure that docs/autoscaling.md has."""
    host, port, path = re.fullmatch(r"http://([^:/]+):(\d+)(/.*)", metadata["url"]).groups()
    if not any(
        f"{service['metadata']['name']}.{service['metadata'].get('namespace')}.svc" == host
        and int(port) in [open_port["port"] for open_port in service["spec"]["ports"]]
        for service in of_kind(documents, "Service")
    ):
        find(where, f"{metadata['url']} is not a service")
    if f"`GET {path}`" not in SCALING_PAGE:
        find(where, f"docs/autoscaling.md does not have {path}")
    place = metadata["valueLocation"].split(".")
    catalogs = [config.get("data", {}).get("SLUICE_MODELS", "") for config in of_kind(documents, "ConfigMap")]
    models = {entry.split("=")[0] for catalog in catalogs for entry in catalog.split(",")}
    if place[0] != "models" or place[1] not in models:
        find(where, f"{metadata['valueLocation']} is of no model of SLUICE_MODELS")
    if f"| `{place[-1]}` |" not in SCALING_PAGE:
        find(where, f"docs/autoscaling.md has no figure {place[-1]}")


def check_metrics(where, query):
    for metric in SLUICE_METRIC.findall(query):
        if metric not in METRICS:
            find(where, f"docs/metrics.md has no metric {metric}")


def check_network(where, documents):
    policies = of_kind(documents, "NetworkPolicy")
    if policies and not any(
        policy["spec"]["podSelector"] == {} and set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"}
        and not policy["spec"].keys() & {"ingress", "egress"}
        for policy in policies
    ):
        find(where, "no policy denies by default")
    for document in policies + of_kind(documents, "Service"):
        if re.search(rf'"(?:port|targetPort)": {ENGINE_PORT}\b', json.dumps(document)):
            find(where, f"{named(document)}: opens the engine's port")


def check_rendered(kustomize, folder):
    documents = [document for document in yaml.safe_load_all(output(kustomize, "build", folder)) if document]
    for document in documents:
        check_schema(folder, document)
    for check in (
        check_nothing_secret, check_pods, check_settings, check_references, check_scalers, check_network
    ):
        check(folder, documents)
    return documents


def check_components_used():
    used = "".join(file.read_text() for file in Path("k8s/overlays").glob("*/kustomization.yaml"))
    for component in Path("k8s/components").iterdir():
        if f"../../components/{component.name}\n" not in used:
            find(component, "no overlay uses it, so it was not rendered")


def check_prometheus_rule():
    rule = yaml.safe_load(output("ops/prometheus/prometheus-rule"))
    check_schema("ops/prometheus/prometheus-rule", rule)
    if rule["spec"] != yaml.safe_load(Path("ops/prometheus/sluice.rules.yml").read_text()):
        find("ops/prometheus/prometheus-rule", "its rules are not those of sluice.rules.yml")


def check_compose(compose):
    where = "docker-compose.yml"
    services = json.loads(output(compose, where) or '{"services": {}}')["services"]
    for name, service in services.items():
        if not re.search(r":v?\d", service["image"]):
            find(where, f"{name}: the image {service['image']} has no version")
        for port in service.get("ports", []):
            if port.get("host_ip") != "127.0.0.1":
                find(where, f"{name}: port {port['published']} is open to other machines")
        known = SETTINGS.get((service.get("command") or [""])[0], set())
        for variable in service.get("environment") or {}:
            if variable.startswith("SLUICE_") and variable not in known:
                find(where, f"{name}: {variable} is not a setting")
    scraped = yaml.safe_load(Path("ops/prometheus/compose.yml").read_text())["scrape_configs"]
    targets = re.findall(r"'(worker-[\w-]+|router|gateway)[:']", str(scraped))
    for target in targets:
        if target not in services:
            find("ops/prometheus/compose.yml", f"{target} is not a service of docker-compose.yml")
    for name, service in services.items():
        if (service.get("command") or [""])[0] in ("router", "worker", "gateway") and name not in targets:
            find("ops/prometheus/compose.yml", f"{name} is not scraped")
    return services


def main():
    kustomize, compose = sys.argv[1:]
    folders = ["k8s/base", *map(str, sorted(Path("k8s/overlays").iterdir())), "k8s/strimzi"]
    rendered = [check_rendered(kustomize, folder) for folder in folders]
    check_components_used()
    check_prometheus_rule()
    services = check_compose(compose)
    for finding in dict.fromkeys(findings):
        print(finding)
    if findings:
        sys.exit(1)
    print(
        f"manifests: {len(folders)} folders of k8s/ rendered, {sum(map(len, rendered))} resources as the schemas of"
        f" Kubernetes {' and '.join(KUBERNETES)} want them, {len(services)} services of docker-compose.yml: no findings"
    )


main()
