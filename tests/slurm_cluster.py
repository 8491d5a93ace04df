"""A Slurm of our own on this machine: a controller and two nodes, n1 and n2, all of it in a folder.

A third one, n3, is alone in the partition `apart`: what happens to the others does not reach its jobs.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from waiting import wait_for

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
NODES = ("n1", "n2", "n3")


def why_not() -> str | None:
    """Why there can be no Slurm here."""
    if missing := [name for name in PROGRAMS if shutil.which(name, path=_PATH) is None]:
        return f"{missing[0]} is not installed: apt-get install slurm-wlm munge"
    return None if os.getuid() == 0 else "only root can start a Slurm of its own"


def has_own_devices() -> bool:
    """Whether a node can have devices of its own, for which root must be allowed to mount."""
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "--mount", "true"], capture_output=True).returncode == 0


# A /dev with two GPUs more than that of the machine, where nobody else may see any. They are other devices in truth,
# which tells them apart; $0 is a folder, and the arguments are the command.
_OWN_DEVICES = """
mkdir -p "$0/dev" && mount -t tmpfs dev "$0/dev" && cd "$0/dev"
for name in null zero full random urandom tty; do touch $name; mount --bind /dev/$name $name; done
touch nvidia0 nvidia1; mount --bind /dev/null nvidia0; mount --bind /dev/zero nvidia1
mkdir shm pts; mount --bind /dev/shm shm; [ ! -d /dev/pts ] || mount --bind /dev/pts pts
ln -s pts/ptmx ptmx; ln -s /proc/self/fd fd
for number in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/${number%:*} ${number#*:}; done
cd /; mount --rbind "$0/dev" /dev; exec "$@"
"""
_PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


@dataclass
class Cluster:
    """A Slurm that runs in a folder; `conf` is its configuration, which SLURM_CONF names."""

    folder: Path
    cpus: int
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def conf(self) -> Path:
        """The configuration."""
        return self.folder / "slurm.conf"

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to reach it."""
        return {**os.environ, "SLURM_CONF": str(self.conf), "PATH": _PATH}

    def call(self, *command: str) -> str:
        """What a command of Slurm prints."""
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, check=False)
        return done.stdout + done.stderr

    def start(self) -> None:
        """Start everything, and wait until all nodes are idle."""
        for name in ("munge", "state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        key = self.folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        for number in range(2):  # GPUs, as far as Slurm counts them
            (self.folder / f"nvidia{number}").touch()
        (self.folder / "gres.conf").write_text(f"NodeName={','.join(NODES)} Name=gpu File={self.folder}/nvidia[0-1]\n")
        self.conf.write_text(self._configuration())
        munge = self.folder / "munge"
        self._spawn(
            *("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}"),
            *(f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"),
        )
        wait_for((munge / "socket").exists)
        self._spawn("slurmctld", "-D", "-i", "-c")
        for node in NODES:
            self.start_node(node)
        ask = ("sinfo", "-h", "-N", "-p", "low,apart", "-o", "%T")
        wait_for(lambda: self.call(*ask).split() == ["idle"] * len(NODES), self._logs)

    def start_node(self, node: str) -> None:
        """Start a node; the first one has GPUs in its /dev, which only what it executes sees."""
        command = ("slurmd", "-D", "-N", node)
        if node == NODES[0] and has_own_devices():
            self._spawn(*command, within=["unshare", "--mount", "sh", "-ec", _OWN_DEVICES, str(self.folder)])
        else:
            self._spawn(*command)

    def kill_node(self, node: str) -> None:
        """Kill the daemon of a node; what runs there goes on, as it may on a node that Slurm takes for lost."""
        daemon = self.processes.pop(f"slurmd -D -N {node}")
        daemon.kill()
        daemon.wait()

    def lose_node(self, node: str) -> None:
        """Kill the daemon of a node and all that it runs at once, as a power failure does."""
        self.kill_node(node)
        jobs = [process for process in psutil.process_iter() if self._is_of_job(process, node)]
        for job in jobs:
            with suppress(psutil.Error):  # first the one that would tell Slurm of the end
                parent = job.parent()
                if parent is not None and parent.name().startswith("slurmstepd"):
                    parent.kill()
        for job in jobs:
            with suppress(psutil.Error):
                job.kill()

    def _is_of_job(self, process: psutil.Process, node: str) -> bool:
        with suppress(psutil.Error):
            environment = process.environ()
            return bool(environment.get("SLURMD_NODENAME") == node and environment.get("SLURM_CONF") == str(self.conf))
        return False

    def stop(self) -> None:
        """End everything."""
        self.call("scancel", "--user=root")
        end = time.monotonic() + 10
        while self.call("squeue", "-h").strip() and time.monotonic() < end:
            time.sleep(0.1)
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()

    def _spawn(self, *command: str, within: Sequence[str] = ()) -> None:
        name = " ".join(command)
        with (self.folder / f"{command[0]}.out").open("ab") as log:
            self.processes[name] = subprocess.Popen([*within, *command], env=self.environment, stdout=log, stderr=log)

    def _logs(self) -> str:
        return "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.out"))

    def _configuration(self) -> str:
        controller, *ports = _free_ports(1 + len(NODES))
        host = socket.gethostname()
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
            f"CPUs={self.cpus} RealMemory=16000 Gres=gpu:2"
            for node, port in zip(NODES, ports, strict=True)
        )
        return f"""
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=5
KillWait=5
MpiDefault=none
GresTypes=gpu
MaxArraySize=2001
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1,sched_min_interval=0
{nodes}
PartitionName=low Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=high Nodes=n1,n2 MaxTime=INFINITE State=UP PriorityTier=9 PreemptMode=OFF
PartitionName=apart Nodes=n3 MaxTime=INFINITE State=UP
"""


@contextmanager
def slurm(folder: Path, cpus: int = 4) -> Iterator[Cluster]:
    """A Slurm while this block runs."""
    cluster = Cluster(folder, cpus)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
