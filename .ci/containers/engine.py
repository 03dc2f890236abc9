"""A small container engine: buildah unpacks and isolates, and each container has a network namespace on one bridge."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

SUBNET = "10.111.0"
NAMESPACES = Path("/run/netns")
NSENTER = shutil.which("nsenter")
NOT_RUN = -1
# As many as this machine allows; buildah's default is 1024, Docker's a million.
OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def run(*command, timeout=60):
    return subprocess.run(
        [str(part) for part in command], check=True, text=True, stdout=subprocess.PIPE, timeout=timeout).stdout


class Images:
    """The images and containers of one storage folder of buildah."""

    def __init__(self, folder):
        self.command = ("buildah", "--root", f"{folder}/images", "--runroot", f"{folder}/run")

    def create(self, image):
        return run(*self.command, "from", "--pull-never", f"--ulimit=nofile={OPEN_FILES}:{OPEN_FILES}", image).strip()

    def config(self, container):
        return json.loads(run(*self.command, "inspect", "--type", "container", container))["OCIv1"]["config"]

    def root(self, container):
        return Path(run(*self.command, "mount", container).strip())


class Network:
    """A bridge with an address for each service, under its name and its host name."""

    def __init__(self, services):
        self.addresses = {service.name: f"{SUBNET}.{number}" for number, service in enumerate(services, start=2)}
        self._names = {service.name: f"{service.name} {service.hostname}" for service in services}
        # Only this process sees the names of the namespaces, and none outlives it.
        NAMESPACES.mkdir(exist_ok=True)
        run("mount", "-t", "tmpfs", "none", NAMESPACES)
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "name", "bridge", "type", "bridge")
        run("ip", "address", "add", f"{SUBNET}.1/24", "dev", "bridge")
        run("ip", "link", "set", "bridge", "up")
        for name, address in self.addresses.items():
            port = f"port{address.rsplit('.', 1)[1]}"
            run("ip", "netns", "add", name)
            run("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", port, "master", "bridge", "up")
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                run("ip", "-n", name, "link", "set", device, "up")

    def hosts(self):
        lines = ["127.0.0.1 localhost", *(f"{address} {self._names[name]}" for name, address in self.addresses.items())]
        return "\n".join(lines) + "\n"


class Memory:
    """Limits of memory, in cgroups below a folder; without one there are no limits."""

    def __init__(self, folder):
        self._folder = Path(folder) if folder else None

    def limited(self, name, limit, command):
        """The command that runs another one with at most so many bytes."""
        if not self._folder or not limit:
            return command
        group = self._folder / name
        group.mkdir(exist_ok=True)
        version1 = group / "memory.limit_in_bytes"
        (version1 if version1.exists() else group / "memory.max").write_text(str(limit))
        return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group / "cgroup.procs"), *command]


class Container:
    """A container with one main process, which can be started again."""

    def __init__(self, images, service, network, memory, folder):
        self.name = service.name
        self.service = service
        self.address = network.addresses[self.name]
        self.log = folder / f"{self.name}.log"
        self._images = images
        self._memory = memory
        self._id = images.create(service.image)
        self._config = images.config(self._id)
        self.user = self._config["User"]
        self.root = images.root(self._id)
        self._volumes = [f"{network_file(folder, network)}:/etc/hosts:ro"]
        self._volumes += [f"{self._volume(folder, target)}:{target}" for target in service.volumes]
        self._process = None

    def _volume(self, folder, target):
        """A folder that belongs to the owner of its place in the image, as a new volume of Docker does."""
        place = self.root / target.lstrip("/")
        made = folder / (self.name + target.replace("/", "-"))
        made.mkdir()
        owner = place.stat()
        os.chown(made, owner.st_uid, owner.st_gid)
        return made

    def start(self):
        """Starts the entry point of the image, with the command and the settings of the service."""
        command = self.service.entrypoint or self._config.get("Entrypoint") or []
        command = command + (self.service.command or self._config.get("Cmd") or [])
        options = ["--isolation", "chroot", "--network", "host", "--no-hosts"]
        options += ["--hostname", self.service.hostname]
        options += [f"--cap-drop={capability}" for capability in self.service.cap_drop]
        options += [f"--env={name}={value}" for name, value in self.service.environment.items()]
        options += [f"--volume={volume}" for volume in self._volumes]
        before = [NSENTER, f"--net={NAMESPACES / self.name}"]
        if self.service.no_new_privileges:
            before += ["setpriv", "--no-new-privs"]
        whole = self._memory.limited(
            self.name, self.service.memory, [*before, *self._images.command, "run", *options, self._id, "--", *command])
        with open(self.log, "a", encoding="utf-8") as log:
            self._process = subprocess.Popen(whole, stdout=log, stderr=subprocess.STDOUT)

    def main_process(self):
        """The id of the image's own process; None when it does not run."""
        process = self._process.pid
        while process:
            found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True).stdout.split()
            if not found:
                return None
            is_own = Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"buildah-chroot-exec")
            process = int(found[0])
            if is_own:
                return process
        return None

    def execute(self, command, timeout):
        """Runs another command in the container, as `docker exec` does. Returns its exit code and output."""
        process = self.main_process()
        try:
            status = Path(f"/proc/{process}/status").read_text()
            environment = Path(f"/proc/{process}/environ").read_text().split("\0")
        except OSError:
            return NOT_RUN, "the container does not run"
        user, group = (re.search(rf"{kind}:\s+(\d+)", status).group(1) for kind in ("Uid", "Gid"))
        enter = [NSENTER, f"--target={process}", "--mount", "--net", "--uts", "--root", "--wd", f"-S{user}", f"-G{group}"]
        try:
            done = subprocess.run(
                [*enter, "--", *command], timeout=timeout, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, env=dict(line.split("=", 1) for line in environment if "=" in line))
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            return NOT_RUN, f"took more than {timeout:.0f} s: {late.output}"

    def signal(self, number):
        os.kill(self.main_process(), number)

    def wait(self, timeout=None):
        """Waits for the end. Returns whether it ended."""
        try:
            self._process.wait(timeout)
            return True
        except subprocess.TimeoutExpired:
            return False

    def exit_code(self):
        """The exit code of the image's own process; after a signal the signal's name, as buildah prints it."""
        code = self._process.returncode
        if code != 1:
            return code
        # buildah ends with 1 after a signal. Its line may stand within one of the service's, for both write at once.
        ends = re.findall(r"subprocess exited (?:with status|on (\w+))", self.log.read_text())
        return (ends[-2] if len(ends) > 1 else "") or code

    def stop(self):
        """SIGTERM, and SIGKILL after the grace period. Returns the seconds that it took."""
        begun = time.monotonic()
        self.signal(signal.SIGTERM)
        if not self.wait(self.service.stop_grace_seconds):
            self.signal(signal.SIGKILL)
            self.wait()
        return time.monotonic() - begun


def network_file(folder, network):
    hosts = folder / "hosts"
    hosts.write_text(network.hosts())
    return hosts
