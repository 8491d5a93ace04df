"""The sandbox `docker`: a container of an image, removed whatever happens."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from mlebench.base.amounts import parse_bytes
from mlebench.base.wording import syntax_place
from mlebench.sandbox import engine, gpu
from mlebench.sandbox.interface import Availability, Capabilities, Job, Limits, Promise, Running, SandboxError
from mlebench.sandbox.isolated import HOME, INSIDE, INSIDE_FILES, Isolated, forward_ports
from mlebench.sandbox.leftovers import end_orphan
from mlebench.sandbox.start import CommandSetup, claim_gpus, close_all, own_folder, scratch_folder, start_command

IMAGE = os.environ.get("MLEBENCH_IMAGE") or "mlebench-env"
LABEL = "mlebench.run"
ACCEPT_PRIVILEGED = "I_ACCEPT_RUNNING_PRIVILEGED_CONTAINERS"
IMAGE_FOLDER = Path(__file__).with_name("image")
# A privileged container keeps only what is measured and ended from outside.
_PROMISED_PRIVILEGED = frozenset(
    {Promise.TIME_LIMITED, Promise.MEMORY_LIMITED, Promise.PROCESSES_LIMITED, Promise.OUTPUT_LIMITED}
)


@dataclass(frozen=True)
class ContainerConfig:
    """The published settings of a container; None where the run's limits decide."""

    mem_limit: int | None = None
    shm_size: int | None = None
    nano_cpus: int | None = None
    runtime: str | None = None
    gpus: int | None = None  # -1 stands for all

    def applied_to(self, limits: Limits) -> Limits:
        """The limits of a run with what this says in the place of theirs."""
        changes: dict[str, Any] = {}
        if self.mem_limit is not None:
            changes["memory_bytes"] = self.mem_limit
        if self.nano_cpus is not None:
            changes["cpus"] = self.nano_cpus / 1e9
        if self.gpus is not None:
            changes["gpus"] = self.gpus if self.gpus >= 0 else len(gpu.numbers())
        return replace(limits, **changes)


def read_container_config(path: Path) -> ContainerConfig:
    """The published JSON file: mem_limit, shm_size, nano_cpus, runtime, gpus."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SandboxError(f"{syntax_place(path, error)} is not valid JSON.") from error
    except OSError as error:
        raise SandboxError(f"The container config {path} cannot be read: {error}.") from None
    known = ContainerConfig.__dataclass_fields__.keys()
    if not isinstance(found, dict) or (unknown := found.keys() - known):
        what = f"has the unknown keys {', '.join(sorted(unknown))}" if isinstance(found, dict) else "is no object"
        raise SandboxError(f"The container config {path} {what}.", hint=f"It may have {', '.join(known)}.")
    values = {name: value for name, value in found.items() if value is not None}
    for name in ("mem_limit", "shm_size"):
        if name in values:
            values[name] = parse_bytes(str(values[name]), as_docker=True)
    for name, least in (("nano_cpus", 1), ("gpus", -1)):
        if name in values:
            values[name] = _as_integer(values[name], name, path)
            if values[name] < least:
                raise SandboxError(f"In the container config {path}, {name} must be at least {least}.")
    if not isinstance(values.get("runtime", ""), str):
        raise SandboxError(f"In the container config {path}, runtime must be a name.")
    return ContainerConfig(**values)


def _as_integer(value: Any, name: str, path: Path) -> int:
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        raise SandboxError(f"In the container config {path}, {name} must be a number.") from None


def _require_readable(folder: Path) -> None:
    """That somebody who is not root can read a folder, which a strict umask prevents; its own files tell."""
    for path in (folder, *folder.iterdir()):
        needed = 0o005 if path.is_dir() else 0o004
        if path.stat().st_mode & needed != needed:
            raise SandboxError(
                f"In a container agents are not root, and others may not read {path}.",
                hint=f"Run: chmod -R a+rX {shlex.quote(str(folder.resolve()))}",
            )


def _accounts(user: int, made: Path) -> list[str]:
    """Mounts that give a user a name: programs ask for it, and no image knows this one."""
    passwd = f"root:x:0:0:root:/root:/bin/bash\nagent:x:{user}:{user}:agent:{HOME}:/bin/bash\n"
    group = f"root:x:0:\nagent:x:{user}:\nnogroup:x:65534:\n"
    (made / "passwd").write_text(f"{passwd}nobody:x:65534:65534:nobody:/:/bin/false\n")
    (made / "group").write_text(group)
    return [f"{made / name}:/etc/{name}:ro" for name in ("passwd", "group")]


def _hidden_mounts(job: Job) -> list[str]:
    """Options that put nothing in the place of hidden folders within what is mounted."""
    places = [
        (job.data.resolve(), Path(HOME, "data")),
        *((folder.resolve(), folder.resolve()) for folder in job.readable),
    ]
    hidden = [(folder.resolve(), *place) for folder in job.hidden for place in places]
    inside = [
        there / path.relative_to(here) for path, here, there in hidden if path != here and path.is_relative_to(here)
    ]
    return engine.groups_of([f"{path}:ro,size=4k" for path in inside], "--tmpfs")


@dataclass(frozen=True)
class DockerSandbox(Isolated):
    """Runs a command in a container: not root, no new privileges, read-only but for its home."""

    config: ContainerConfig = field(default_factory=ContainerConfig)
    retains: bool = False
    allows_privileged: bool = False
    name: str = "docker"

    @property
    def capabilities(self) -> Capabilities:
        """Images, the settings of containers, and reading material, which is mounted."""
        return Capabilities(uses_image=True, takes_container_settings=True, mounts_material=True)

    def configured(self, container: ContainerConfig, *, retains: bool, allows_privileged: bool) -> DockerSandbox:
        """The same with other settings."""
        return replace(self, config=container, retains=retains, allows_privileged=allows_privileged)

    def image_with_digest(self, image: str | None) -> str | None:
        """The image that a job runs in, with its digest where the engine knows one."""
        name = image or IMAGE
        digest = engine.image_digest(name)
        return name if digest is None else f"{name}@{digest}"

    def recorded_image(self, recorded: str | None) -> str | None:
        """The very image that was recorded, if it is still there; else what has its name now."""
        if recorded is None:
            return None
        name, _, digest = recorded.partition("@")
        return digest if digest and engine.has_image(digest) else name

    def availability(self) -> Availability:
        """Whether an engine answers and has the environment image."""
        if not engine.is_installed():
            return Availability(False, "the command docker is not installed", "sudo apt-get install docker.io")
        try:
            engine.docker("version", "--format", "{{.Server.Version}}", seconds=20)
        except SandboxError:
            if os.geteuid() == 0:  # whoever may use any engine there is
                return Availability(False, "no Docker engine answers", "systemctl start docker")
            return Availability(
                False, "no Docker engine answers, or this user may not use it", "sudo usermod -aG docker $USER"
            )
        if not engine.has_image(IMAGE):
            return Availability(False, f"there is no image {IMAGE}", f"docker build -t {IMAGE} {IMAGE_FOLDER}")
        runtimes = ", ".join(engine.runtimes())
        gpus = "GPUs can be granted" if engine.grants_gpus() else "no GPUs: the NVIDIA Container Toolkit is missing"
        return Availability(True, f"a container of the image {IMAGE}; runtimes: {runtimes}; {gpus}")

    def promises(self, job: Job) -> frozenset[Promise]:
        """What holds for this job on this machine."""
        if job.privileged:
            return _PROMISED_PRIVILEGED
        return super().promises(job) | {Promise.CPUS_LIMITED}

    def require(self, job: Job) -> None:
        """That the engine has the image, the runtime and the GPUs, and that privileges were accepted."""
        image, runtime = job.image or IMAGE, self.config.runtime
        if job.privileged and not (self.allows_privileged or os.environ.get(ACCEPT_PRIVILEGED, "").lower() == "true"):
            raise SandboxError(
                "The agent asks for a privileged container, which can do anything to this machine.",
                hint=f"Give --allow-privileged, or set {ACCEPT_PRIVILEGED}=true.",
            )
        if not engine.has_image(image):
            raise SandboxError(f"Docker has no image {image}.", hint="Build it first; see mlebench doctor.")
        if runtime is not None and runtime not in (known := engine.runtimes()):
            raise SandboxError(
                f"Docker has no runtime {runtime}.",
                hint=f"It has {', '.join(known)}; another one must be installed and named in /etc/docker/daemon.json.",
            )
        gpus = self.config.applied_to(job.limits).gpus
        gpu.require(gpus)
        if gpus and not engine.grants_gpus():
            raise SandboxError(
                "Docker cannot give GPUs to a container here: the NVIDIA Container Toolkit is missing.",
                hint="Install nvidia-container-toolkit, or use --sandbox bubblewrap.",
            )

    def start(self, job: Job) -> Running:
        """Start the command."""
        self.require(job)
        job = replace(job, limits=self.config.applied_to(job.limits))
        setup = CommandSetup(["docker"], {}, Path("/"), measured_by="docker")
        try:
            self._create(job, job.image or IMAGE, setup)
        except BaseException:
            close_all(setup.cleanups)
            raise
        return start_command(job, setup, self.name)

    def _create(self, job: Job, image: str, setup: CommandSetup) -> None:
        """Make the container, and tell the warden how to run and how to end it."""
        home = job.home.resolve()
        name = f"mlebench-{uuid.uuid4().hex}"
        made = own_folder(setup)
        temporary = scratch_folder(home, setup)
        claim_gpus(job.limits.gpus, setup)
        user, accounts = os.getuid(), list[str]()
        if user == 0:
            user = engine.unused_user()
            _require_readable(job.data)
            engine.make_owner(home, user)
            accounts = _accounts(user, made)
        variables = {"HOME": HOME, "TMPDIR": "/tmp", "PYTHONDONTWRITEBYTECODE": "1", **job.environment}
        forwarded = forward_ports(job, setup, made)
        variables |= forwarded.variables
        if not setup.gpus:  # an image may ask for all of them, which a runtime for GPUs would grant
            variables["NVIDIA_VISIBLE_DEVICES"] = "void"
        mounts = [
            f"{home}:{HOME}",
            f"{job.data.resolve()}:{HOME}/data:ro",
            f"{temporary}:/tmp",
            f"{temporary}:/var/tmp",
        ]
        mounts += [] if job.material is None else [f"{job.material.resolve()}:{HOME}/material:ro"]
        mounts += [f"{folder.resolve()}:{folder.resolve()}:ro" for folder in job.readable]
        mounts += [f"{file}:{INSIDE}/{file.name}:ro" for file in INSIDE_FILES]
        mounts += accounts
        for port, path in forwarded.sockets.items():
            if os.getuid() == 0:
                path.chmod(0o666)  # whoever runs the command must be able to connect
            mounts.append(f"{path}:{INSIDE}/{port}.sock")
        identity = uuid.uuid4().hex
        arguments = ["create", "--name", name, "--label", f"{LABEL}={identity}", "--pull", "never"]
        arguments += [
            *self._limits(job, setup.gpus),
            *self._isolation(job),
            "--user",
            f"{user}:{user}",
            "--workdir",
            HOME,
        ]
        arguments += [*engine.groups_of(mounts, "--volume"), *_hidden_mounts(job)]
        settings, passed = engine.variables(variables, made / "variables")
        arguments += settings
        inside = forwarded.with_forwarder(job.command, "--init", *([] if job.privileged else ["--refuse"]))
        arguments += ["--entrypoint", inside[0], image, *inside[1:]]
        container = engine.docker(*arguments, environment=passed).strip()
        if not self.retains:
            setup.cleanups.append(partial(engine.docker, "rm", "--force", "--volumes", container))
        docker = shutil.which("docker") or "docker"
        setup.command = [docker, "start", "--attach", container]
        setup.environment = dict(os.environ)
        setup.reading = meter = engine.ContainerMeter(container)
        setup.container_process = lambda: meter.pid
        setup.stop_command = [docker, "kill", "--signal", "TERM", container]
        setup.kill_command = [docker, "kill", container]
        setup.orphan_command = setup.kill_command if self.retains else [docker, "rm", "--force", "--volumes", container]
        setup.identity = {"container": container, "label": identity}

    def _limits(self, job: Job, gpus: Sequence[int]) -> list[str]:
        limits, options = job.limits, ["--ulimit", "core=0"]
        if limits.memory_bytes is not None:
            options += ["--memory", str(limits.memory_bytes), "--memory-swap", str(limits.memory_bytes)]
        shared = limits.memory_bytes if self.config.shm_size is None else self.config.shm_size
        if shared is not None:
            options += ["--shm-size", str(shared)]
        if limits.cpus is not None:
            options += ["--cpus", f"{min(limits.cpus, os.cpu_count() or limits.cpus):g}"]
        if limits.processes is not None:
            options += ["--pids-limit", str(limits.processes)]
        if limits.disk_bytes is not None:
            options += ["--ulimit", f"fsize={limits.disk_bytes}"]
        if gpus:
            options += ["--gpus", f'"device={",".join(map(gpu.identifier, gpus))}"']
        return options

    def _isolation(self, job: Job) -> list[str]:
        # The warden keeps what is printed, within bounds; the engine would keep all of it once more.
        options = ["--hostname", "sandbox", "--ipc", "private", "--log-driver", "none"]
        options += ["--network", "host" if job.network.full else "none"]
        if self.config.runtime:
            options += ["--runtime", self.config.runtime]
        if job.privileged:
            return [*options, "--privileged"]
        options += ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
        return [*options, "--read-only", "--tmpfs", f"{INSIDE}:mode=755,size=1m"]

    def end_orphan(self, identity: Mapping[str, str]) -> bool:
        """End what a killed orchestrator left running; whether there was something."""
        found = end_orphan(identity)
        label = identity.get("label")
        with contextlib.suppress(SandboxError):
            for container in engine.containers_with_label(f"{LABEL}={label}") if label else []:
                engine.docker("rm", "--force", "--volumes", container)
                found = True
        return found
