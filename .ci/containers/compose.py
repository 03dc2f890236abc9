"""Runs the services of a loaded Compose file: order, health checks, restarts and published ports."""

import asyncio
import re
import threading
import time
from dataclasses import dataclass

from engine import Container

UNITS = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
# As Docker: how often a check runs until the container is healthy, and how long a restart waits at first.
START_INTERVAL = 5
RESTART_SECONDS = 0.1
STOP_GRACE_SECONDS = 10


def seconds(duration):
    """The seconds of a duration such as 1m30s."""
    return sum(float(count) * UNITS[unit] for count, unit in re.findall(r"([\d.]+)(ms|[hms])", duration))


@dataclass
class Service:
    """What the Compose file says about a service."""

    name: str
    image: str
    hostname: str
    entrypoint: list
    command: list
    environment: dict
    volumes: list
    cap_drop: list
    no_new_privileges: bool
    memory: int
    stop_grace_seconds: float
    restarts: bool
    depends_on: dict
    ports: list
    health: dict

    @staticmethod
    def of(name, fields):
        return Service(
            name=name,
            image=fields["image"],
            hostname=fields.get("hostname", name),
            entrypoint=fields.get("entrypoint"),
            command=fields.get("command"),
            environment={key: value or "" for key, value in (fields.get("environment") or {}).items()},
            volumes=[volume["target"] for volume in fields.get("volumes", [])],
            cap_drop=fields.get("cap_drop", []),
            no_new_privileges="no-new-privileges:true" in fields.get("security_opt", []),
            memory=int(fields.get("mem_limit", 0)),
            stop_grace_seconds=seconds(fields.get("stop_grace_period", f"{STOP_GRACE_SECONDS}s")),
            restarts=fields.get("restart") == "unless-stopped",
            depends_on=fields.get("depends_on", {}),
            ports=fields.get("ports", []),
            health=fields["healthcheck"],
        )


class Supervisor:
    """Keeps one service running, in a thread of its own."""

    def __init__(self, container):
        self.container = container
        self.healthy = threading.Event()
        self.restarts = 0
        self.healthy_seconds = None
        self.probe_output = ""
        self._stopped = False
        self._thread = None

    def start(self, needed):
        self._thread = threading.Thread(target=self._run, args=(needed,), daemon=True)
        self._thread.start()

    def stop(self):
        """As `docker stop`: not started again. Returns the seconds that it took."""
        self._stopped = True
        took = self.container.stop()
        self._thread.join()
        return took

    def _run(self, needed):
        for other in needed:
            other.healthy.wait()
        pause = RESTART_SECONDS
        while True:
            begun = time.monotonic()
            self.container.start()
            self._watch(begun)
            self.healthy.clear()
            if self._stopped or not self.container.service.restarts:
                return
            time.sleep(pause)
            pause *= 2
            self.restarts += 1

    def _watch(self, begun):
        """Runs the health check until it passes; returns when the container ends."""
        health = self.container.service.health
        interval = min(START_INTERVAL, seconds(health["interval"]))
        kind, *command = health["test"]
        assert kind == "CMD", health["test"]
        while not self.container.wait(None if self.healthy.is_set() else interval):
            code, self.probe_output = self.container.execute(command, seconds(health["timeout"]))
            if code == 0:
                self.healthy_seconds = time.monotonic() - begun
                self.healthy.set()


class Project:
    """The services of one profile, each in a container."""

    def __init__(self, services, images, network, memory, folder):
        self.services = {
            service.name: Supervisor(Container(images, service, network, memory, folder)) for service in services
        }

    def up(self):
        self._publish()
        for supervisor in self.services.values():
            needed = supervisor.container.service.depends_on
            assert all(how["condition"] == "service_healthy" for how in needed.values()), needed
            supervisor.start([self.services[name] for name in needed])

    def await_health(self, limit):
        """Returns the names of the services that are not healthy in time."""
        end = time.monotonic() + limit
        return [name for name, supervisor in self.services.items()
                if not supervisor.healthy.wait(max(0, end - time.monotonic()))]

    def down(self):
        """Stops what runs, dependents first. Returns the seconds and the exit code of each."""
        ended = {}
        while len(ended) < len(self.services):
            free = [name for name in self.services if name not in ended and not any(
                name in other.container.service.depends_on and other.container.name not in ended
                for other in self.services.values())]
            threads = [threading.Thread(target=self._end, args=(name, ended)) for name in free]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return ended

    def _end(self, name, ended):
        supervisor = self.services[name]
        took = supervisor.stop()
        ended[name] = (took, supervisor.container.exit_code())

    def _publish(self):
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        for supervisor in self.services.values():
            for port in supervisor.container.service.ports:
                to = (supervisor.container.address, port["target"])
                opened = asyncio.start_server(
                    lambda reader, writer, to=to: forward(reader, writer, to), port["host_ip"], int(port["published"]))
                asyncio.run_coroutine_threadsafe(opened, loop).result()


async def forward(reader, writer, to):
    """Passes the bytes of a connection on, in both directions."""
    try:
        far_reader, far_writer = await asyncio.open_connection(*to)
    except OSError:
        writer.close()
        return
    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
