"""The sandbox `bubblewrap`: unprivileged namespaces with a tree of their own, made by the program bwrap."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from mlebench.sandbox import cgroup, gpu
from mlebench.sandbox.confine import ARGUMENTS
from mlebench.sandbox.interface import (
    CONDA,
    Availability,
    Capabilities,
    Job,
    Promise,
    Running,
    SandboxError,
    WithoutImages,
)
from mlebench.sandbox.isolated import HOME, INSIDE, INSIDE_FILES, USER, Isolated, forward_ports
from mlebench.sandbox.kernel_limits import limits_processes, limits_unheld_memory
from mlebench.sandbox.leftovers import end_orphan
from mlebench.sandbox.programs import (
    PACKAGE,
    RESOLVERS,
    SETTINGS,
    SYSTEM,
    Visibility,
    environment,
    public_settings,
    python_folders,
)
from mlebench.sandbox.start import CommandSetup, claim_gpus, close_all, own_folder, scratch_folder, start_command

_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_SMALLEST_TREE = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
_PACKETS = Path(__file__).with_name("packets.py")
# Where names are asked for in a network that leads nowhere: an address for documentation, so that the question is sent.
_NAME_SERVER = "nameserver 192.0.2.53\noptions timeout:1 attempts:1\n"
_OF_ROOT = tuple(f"/proc/{name}" for name in "acpi bus fs irq mtrr scsi sys sysrq-trigger".split())
_OPT, _CONDA = Path("/opt"), Path("/opt/conda")
_WRITTEN_BY_US = {"passwd", "group", "hosts", "hostname"}


@cache
def _options() -> frozenset[str]:
    """The options that this bwrap has."""
    shown = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False)
    return frozenset(word for word in (shown.stdout + shown.stderr).split() if word.startswith("--"))


@cache
def _trial() -> str | None:
    """What is wrong when bwrap tries to make the namespaces; None if it can."""
    return _problem_of(["bwrap", *_NAMESPACES, "--unshare-net", *_SMALLEST_TREE, "true"])


@cache
def watches_packets() -> bool:
    """Whether a network can be made around bwrap in which packets are seen: some systems let only bwrap make one."""
    return (
        _problem_of([sys.executable, "-I", "-S", "-B", str(_PACKETS), "bwrap", *_NAMESPACES, *_SMALLEST_TREE, "true"])
        is None
    )


def _problem_of(command: Sequence[str]) -> str | None:
    """What a command complains about; None if it succeeds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"


@dataclass(frozen=True)
class BubblewrapSandbox(Isolated, WithoutImages):
    """Runs a command in namespaces of its own: it sees programs, its data and its home, and nothing else."""

    name: str = "bubblewrap"

    @property
    def capabilities(self) -> Capabilities:
        """Reading material is mounted."""
        return Capabilities(mounts_material=True)

    def availability(self) -> Availability:
        """Whether bwrap is there and the kernel lets it make namespaces."""
        if not sys.platform.startswith("linux"):
            return Availability(False, "it needs Linux")
        if shutil.which("bwrap") is None:
            return Availability(False, "the program bwrap is not installed", "sudo apt-get install bubblewrap")
        problem = _trial()
        if problem is not None:
            hint = "sudo sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"
            return Availability(False, f"no namespaces can be made here ({problem})", hint)
        return Availability(True, "unprivileged namespaces")

    def promises(self, job: Job) -> frozenset[Promise]:
        """What holds for this job on this machine."""
        held = set(super().promises(job))
        if cgroup.delegated() is not None:
            held.add(Promise.CPUS_LIMITED)
        if not limits_processes():
            held.discard(Promise.PROCESSES_LIMITED)
        if not limits_unheld_memory():
            held.discard(Promise.UNHELD_MEMORY_LIMITED)
        return frozenset(held)

    def require(self, job: Job) -> None:
        """That bwrap works, that the job asks for no privileges, and that there are enough GPUs."""
        found = self.availability()
        if not found.works:
            raise SandboxError(f"The sandbox bubblewrap does not work here: {found.why}.", hint=found.install)
        if job.privileged:
            raise SandboxError("The sandbox bubblewrap runs nothing privileged.", hint="Use --sandbox docker.")
        gpu.require(job.limits.gpus)

    def start(self, job: Job) -> Running:
        """Start the command."""
        self.require(job)
        setup = CommandSetup(job.command, {}, job.home, sandbox_processes=2, shared_memory="/dev/shm")
        setup.watches_packets = not job.network.full and watches_packets()
        try:
            self._prepare(job, setup)
        except BaseException:
            close_all(setup.cleanups)
            raise
        return start_command(job, setup, self.name)

    def _prepare(self, job: Job, setup: CommandSetup) -> None:
        """Decide on the whole command line of bwrap, and make what it refers to."""
        home = job.home.resolve()
        made = own_folder(setup)
        temporary = scratch_folder(home, setup)
        claim_gpus(job.limits.gpus, setup)
        forwarded = forward_ports(job, setup, made)
        # What a variable can make a program do (LD_PRELOAD), bwrap must not: it is not confined yet.
        setup.environment = {"PATH": os.defpath}
        variables = {**gpu.variables(setup.gpus), **environment(job, HOME, "/tmp"), **forwarded.variables}
        setup.arguments = [part for name, value in variables.items() for part in ("--setenv", name, value)]
        arguments = [
            shutil.which("bwrap") or "bwrap",
            "--args",
            str(ARGUMENTS),
            *self._isolation(job),
            *self._system(job, made),
            *self._devices(job, setup.gpus),
        ]
        arguments += ["--bind", str(home), HOME, "--ro-bind", str(job.data.resolve()), f"{HOME}/data"]
        if job.material is not None:
            arguments += ["--ro-bind", str(job.material.resolve()), f"{HOME}/material"]
        arguments += ["--bind", str(temporary), "/tmp", "--bind", str(temporary), "/var/tmp"]
        arguments += self._programs(job, home, setup)
        for file in INSIDE_FILES:
            arguments += ["--ro-bind", str(file), f"{INSIDE}/{file.name}"]
        for port, path in forwarded.sockets.items():
            arguments += ["--bind", str(path), f"{INSIDE}/{port}.sock"]
        command = forwarded.with_forwarder(job.command, "--refuse")
        # Whatever is not one of the folders above is in memory that nobody counts.
        arguments += ["--remount-ro", "/dev", "--remount-ro", "/"]
        setup.command = [*arguments, "--chdir", HOME, "--", *command]

    def _isolation(self, job: Job) -> list[str]:
        options = [*_NAMESPACES, "--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"]
        options += ["--uid", str(USER), "--gid", str(USER)]
        if not job.network.full and not watches_packets():  # else the warden has made one
            options.append("--unshare-net")
        if "--disable-userns" in _options():
            options.append("--disable-userns")
        return options

    def _system(self, job: Job, made: Path) -> list[str]:
        """The system's programs and the few settings that they need."""
        arguments: list[str] = []
        for folder in map(Path, SYSTEM):
            if folder.is_symlink():
                arguments += ["--symlink", str(folder.readlink()), str(folder)]
            elif folder.is_dir() and folder == _OPT and not _CONDA.exists():
                arguments += _with_conda(folder)
            elif folder.is_dir():
                arguments += ["--ro-bind", str(folder), str(folder)]
        own_settings = _WRITTEN_BY_US if job.network.full else _WRITTEN_BY_US | {"resolv.conf"}
        names = [name for name in SETTINGS if Path(name).name not in own_settings]
        # Anything may vanish before it is mounted, so that nothing is mounted over what must not be seen.
        for path in public_settings([*names, *(RESOLVERS if job.network.full else ())]):
            is_link = path.is_symlink() and str(path) not in names
            arguments += ["--symlink", str(path.readlink())] if is_link else ["--ro-bind-try", str(path)]
            arguments.append(str(path))
        written = {
            "passwd": f"agent:x:{USER}:{USER}:agent:{HOME}:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n",
            "group": f"agent:x:{USER}:\nnogroup:x:65534:\n",
            "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
            "hostname": "sandbox\n",
        }
        if not job.network.full:
            written["resolv.conf"] = _NAME_SERVER
        for name, text in written.items():
            (made / name).write_text(text)
            arguments += ["--ro-bind", str(made / name), f"/etc/{name}"]
        return arguments

    def _devices(self, job: Job, gpus: Sequence[int]) -> list[str]:
        arguments = ["--proc", "/proc"]
        for name in _OF_ROOT:  # bwrap leaves them writable for root, who owns them even without any capability
            arguments += ["--ro-bind-try", name, name]
        arguments += ["--dev", "/dev"]
        if "--size" in _options() and job.limits.memory_bytes is not None:
            arguments += ["--size", str(job.limits.memory_bytes)]
        arguments += ["--tmpfs", "/dev/shm", "--dir", "/run", "--dir", "/var"]
        if gpus:
            for device in gpu.devices(gpus):
                arguments += ["--dev-bind", str(device), str(device)]
            return [*arguments, "--ro-bind", "/sys", "/sys"]
        return [*arguments, "--ro-bind-try", "/sys/devices/system", "/sys/devices/system"]

    def _programs(self, job: Job, home: Path, setup: CommandSetup) -> list[str]:
        """This Python at its own path, with nothing of what is hidden."""
        arguments: list[str] = []
        system = [Path(name).resolve() for name in SYSTEM if Path(name).exists()]
        readable = [folder.resolve() for folder in job.readable]
        hidden = [PACKAGE, *(folder.resolve() for folder in job.hidden)]
        visibility = Visibility((*system, *python_folders(), *readable), tuple(hidden))
        shown = [folder for folder in visibility.shows() if folder not in system]
        # From the outside to the inside: what is shown within something hidden, and hidden within something shown.
        for folder in sorted({*shown, *visibility.hides()}):
            if folder not in shown:
                arguments += _hide(folder, folder)
                continue
            arguments += ["--ro-bind", str(folder), str(folder)]
            if folder.is_relative_to(HOME):  # bwrap makes the folders above it in the home of the run
                setup.cleanups.append(partial(_remove_empty, home, folder.relative_to(HOME)))
        for folder in visibility.hides():
            arguments += _seal(folder, folder)
        data = job.data.resolve()
        for folder in hidden:
            if folder.is_relative_to(data) and folder != data:
                inside = Path(HOME, "data", folder.relative_to(data))
                arguments += [*_hide(folder, inside), *_seal(folder, inside)]
        return arguments

    def end_orphan(self, identity: Mapping[str, str]) -> bool:
        """End what a killed orchestrator left running; whether there was something."""
        return end_orphan(identity)


def _with_conda(folder: Path) -> list[str]:
    """Options that show what is in /opt, and there the conda of the home: agents source /opt/conda/bin/activate."""
    arguments: list[str] = []
    for path in sorted(folder.iterdir()):
        arguments += ["--symlink", str(path.readlink())] if path.is_symlink() else ["--ro-bind-try", str(path)]
        arguments.append(str(path))
    return [*arguments, "--symlink", f"{HOME}/{CONDA}", str(_CONDA)]


def _hide(path: Path, inside: Path) -> list[str]:
    """Options that put nothing in the place of a folder or file of the host; what does not exist needs none."""
    if path.is_dir():
        return ["--tmpfs", str(inside)]
    return ["--ro-bind", "/dev/null", str(inside)] if path.exists() else []


def _seal(path: Path, inside: Path) -> list[str]:
    """Options that let nothing be written to what is in the place of a folder: that would be memory nobody counts."""
    return ["--remount-ro", str(inside)] if path.is_dir() else []


def _remove_empty(home: Path, below: Path) -> None:
    for folder in (below, *below.parents):
        if folder != Path():
            (home / folder).rmdir()
