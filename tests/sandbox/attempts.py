"""Attempts to escape: programs that end with 0 if they got what they wanted; some are judged from outside, too."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.stage import SECRET, Stage

from mlebench.sandbox import Limits, Promise

_PRELUDE = """
import ctypes, os, resource, signal, socket, stat, subprocess, sys, time
for _name, _value in os.environ.items():
    if _name.isupper() and _name not in ("PATH", "HOME"):
        globals()[_name] = _value
HOME = os.environ["HOME_DIR"]
libc = ctypes.CDLL(None, use_errno=True)
def must(condition):
    if not condition:
        sys.exit(1)
def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""


def _always(_: Stage) -> bool:
    return True


@dataclass(frozen=True)
class Attempt:
    """One attempt: what it breaks, its code, and how it is judged from outside."""

    name: str
    promises: frozenset[Promise]
    code: str
    succeeded: Callable[[Stage], bool] = _always
    limits: Limits = field(default_factory=Limits)
    needs_root: bool = False  # for its control to succeed
    needs_file: str = ""  # for its control to succeed

    @property
    def program(self) -> str:
        """The program that makes the attempt."""
        return _PRELUDE + self.code

    @property
    def needs_a_run_of_its_own(self) -> bool:
        """Whether it is about the end of its run, so that no other attempt can be made in the same one."""
        return self.limits != Limits() or Promise.NOTHING_SURVIVES in self.promises

    def why_no_control(self) -> str | None:
        """Why the attempt cannot even succeed unconfined here, if so."""
        if self.needs_root and os.getuid() != 0:
            return "only root can do this"
        if self.needs_file and not Path(self.needs_file).exists():
            return f"this machine has no {self.needs_file}"
        return None


def attempt(
    name: str,
    promises: Promise | set[Promise],
    code: str,
    succeeded: Callable[[Stage], bool] = _always,
    *,
    limits: Limits | None = None,
    needs_root: bool = False,
    needs_file: str = "",
) -> Attempt:
    """An attempt in the table."""
    broken = frozenset({promises} if isinstance(promises, Promise) else promises)
    return Attempt(name, broken, code, succeeded, limits or Limits(), needs_root, needs_file)


def _soon(stage: Stage, condition: Callable[[], bool]) -> bool:
    deadline = (stage.ended or time.monotonic()) + stage.patience
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def _log_was_cut(stage: Stage) -> bool:
    return "first line" not in stage.log.read_text()


def _segment_is_left(stage: Stage) -> bool:
    key = int(stage.mark[:7], 16)
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    left = any(int(line.split()[0]) == key for line in lines)
    if left:
        import ctypes

        libc = ctypes.CDLL(None)
        libc.shmctl(libc.shmget(key, 1, 0), 0, None)
    return left


def _shared_file_is_left(stage: Stage) -> bool:
    path = Path(f"/dev/shm/{stage.mark}")
    left = path.exists()
    path.unlink(missing_ok=True)
    return left


# Have the kernel make a call that a queue holds.
_QUEUE = """
import mmap, struct
def queued(what, first, second, third, address=0):
    about = ctypes.create_string_buffer(120)
    ring = checked(libc.syscall(425, 4, about))
    asked, answered = struct.unpack_from('II', about.raw)
    sent, heard = struct.unpack_from('7I', about.raw, 40), struct.unpack_from('6I', about.raw, 80)
    queue = mmap.mmap(ring, sent[6] + asked * 4)
    answers = mmap.mmap(ring, heard[5] + answered * 16, offset=0x8000000)
    entries = mmap.mmap(ring, asked * 64, offset=0x10000000)
    entries[:64] = struct.pack('BBHiQQIIQ24x', what, 0, 0, first, second, address, third, 0, 7)
    struct.pack_into('I', queue, sent[1], 1)
    checked(libc.syscall(426, ring, 1, 1, 1, None, 0))
    found = struct.unpack_from('Qi', answers, heard[5])[1]
    must(found >= 0)
    return found
"""

P = Promise
ATTEMPTS = [
    # The answers.
    attempt("read the answers", P.ANSWERS_HIDDEN, "must(open(ANSWERS).read() == SECRET)"),
    attempt("list their folder", P.ANSWERS_HIDDEN, "must(os.listdir(os.path.dirname(ANSWERS)))"),
    attempt(
        "read them by a symbolic link",
        P.ANSWERS_HIDDEN,
        "os.symlink(ANSWERS, HOME + '/link'); must(open(HOME + '/link').read() == SECRET)",
    ),
    attempt(
        "read them by a hard link",
        P.ANSWERS_HIDDEN,
        "os.link(ANSWERS, HOME + '/link'); must(open(HOME + '/link').read() == SECRET)",
    ),
    attempt(
        "read them by a program",
        P.ANSWERS_HIDDEN,
        "must(SECRET in subprocess.check_output(['cat', ANSWERS], text=True))",
    ),
    attempt(
        "read them by a path with ..",
        P.ANSWERS_HIDDEN,
        "must(open(os.environ['DATA_DIR'] + '/../private/test.csv').read() == SECRET)",
    ),
    attempt(
        "read them by /proc/<pid>/root",
        P.ANSWERS_HIDDEN,
        "must(open(f'/proc/{VICTIM}/root' + ANSWERS).read() == SECRET)",
    ),
    attempt(
        "read them by /proc/<pid>/cwd", P.ANSWERS_HIDDEN, "must(open(f'/proc/{VICTIM}/cwd/test.csv').read() == SECRET)"
    ),
    attempt(
        "read them by /proc/<pid>/fd",
        P.ANSWERS_HIDDEN,
        """
folder = f'/proc/{VICTIM}/fd/'
must(any(open(folder + n).read() == SECRET for n in os.listdir(folder) if int(n) > 2))
""",
    ),
    attempt(
        "read them by a handle without rights",
        P.ANSWERS_HIDDEN,
        "must(open(f'/proc/self/fd/{os.open(ANSWERS, os.O_PATH)}').read() == SECRET)",
    ),
    attempt(
        "read them by the number of their file",
        P.ANSWERS_HIDDEN,
        """
import struct
handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128))
checked(libc.name_to_handle_at(-100, ANSWERS.encode(), handle, ctypes.byref(ctypes.c_int()), 0))
file = checked(libc.open_by_handle_at(os.open('/', os.O_RDONLY), handle, 0))
must(os.read(file, 100).decode() == SECRET)
""",
        needs_root=True,
    ),
    attempt(
        "read them by a newer way to open files",
        P.ANSWERS_HIDDEN,
        """
open_how = ctypes.create_string_buffer(24)
must(os.read(checked(libc.syscall(437, -100, ANSWERS.encode(), open_how, 24)), 100).decode() == SECRET)
""",
    ),
    attempt(
        "read them by a queue of the kernel",
        P.ANSWERS_HIDDEN,
        _QUEUE
        + """
path = ctypes.create_string_buffer(ANSWERS.encode())
must(os.read(queued(18, -100, 0, 0, ctypes.addressof(path)), 100).decode() == SECRET)
""",
    ),
    attempt(
        "read them by a program that is no file",
        P.ANSWERS_HIDDEN,
        """
program = os.memfd_create('cat', 0)
os.write(program, open('/bin/cat', 'rb').read())
must(SECRET in subprocess.check_output([f'/proc/self/fd/{program}', ANSWERS], pass_fds=[program], text=True))
""",
    ),
    attempt(
        "read those of another competition below what is shown",
        P.ANSWERS_HIDDEN,
        "must(open(OTHER_COMPETITION + '/private/file.csv').read() == SECRET)",
    ),
    attempt(
        "list what is hidden below what is shown",
        P.ANSWERS_HIDDEN,
        "must('private' in os.listdir(OTHER_COMPETITION))",
    ),
    attempt(
        "read what is beside that which is shown within what is hidden",
        P.ANSWERS_HIDDEN,
        "must(open(SHOWN_WITHIN + '/../private/file.csv').read() == SECRET)",
    ),
    # Files of the host and of other runs.
    attempt("read a file of the user", P.HOST_FILES_HIDDEN, "must(open(PRECIOUS).read() == SECRET)"),
    attempt("read the passwords", P.HOST_FILES_HIDDEN, "must(open('/etc/shadow').read())", needs_root=True),
    attempt("read a private key", P.HOST_FILES_HIDDEN, "must(open(PRIVATE_KEY).read() == SECRET)"),
    attempt(
        "list private keys",
        P.HOST_FILES_HIDDEN,
        "must(not os.stat('/etc/ssl/private').st_mode & 0o004); os.listdir('/etc/ssl/private')",
        needs_root=True,
        needs_file="/etc/ssl/private",
    ),
    attempt(
        "read a run of another group below what is shown",
        P.OTHER_RUNS_HIDDEN,
        "must(open(OTHER_GROUP + '/submission/file.csv').read() == SECRET)",
    ),
    attempt("read another run", P.OTHER_RUNS_HIDDEN, "must(open(OTHER + '/notes.txt').read() == SECRET)"),
    attempt(
        "write into another run",
        P.OTHER_RUNS_HIDDEN,
        "open(OTHER + '/submission.csv', 'w').write('x')",
        lambda stage: (stage.other_run / "submission.csv").exists(),
    ),
    attempt(
        "change the data",
        P.DATA_READ_ONLY,
        "open(os.environ['DATA_DIR'] + '/train.csv', 'w').write('x')",
        lambda stage: (stage.data / "train.csv").read_text() == "x",
    ),
    attempt(
        "remove the data",
        P.DATA_READ_ONLY,
        "os.remove(os.environ['DATA_DIR'] + '/train.csv')",
        lambda stage: not (stage.data / "train.csv").exists(),
    ),
    attempt(
        "add to the data",
        P.DATA_READ_ONLY,
        "open(os.environ['DATA_DIR'] + '/more.csv', 'w').write('x')",
        lambda stage: (stage.data / "more.csv").exists(),
    ),
    attempt(
        "change the data by what was opened to read it",
        P.DATA_READ_ONLY,
        """
data = os.open(os.environ['DATA_DIR'] + '/train.csv', os.O_RDONLY)
os.write(os.open(f'/proc/self/fd/{data}', os.O_WRONLY | os.O_TRUNC), b'x')
""",
        lambda stage: (stage.data / "train.csv").read_text() == "x",
    ),
    attempt(
        "change the data by a hard link",
        P.DATA_READ_ONLY,
        "os.link(os.environ['DATA_DIR'] + '/train.csv', HOME + '/own'); open(HOME + '/own', 'w').write('x')",
        lambda stage: (stage.data / "train.csv").read_text() == "x",
    ),
    attempt(
        "move the data away",
        P.DATA_READ_ONLY,
        "os.rename(os.environ['DATA_DIR'] + '/train.csv', HOME + '/own')",
        lambda stage: not (stage.data / "train.csv").exists(),
    ),
    attempt(
        "overwrite a file of the user",
        P.HOST_FILES_UNCHANGED,
        "open(PRECIOUS, 'w').write('x')",
        lambda stage: stage.precious.read_text() == "x",
    ),
    attempt(
        "overwrite it by a link",
        P.HOST_FILES_UNCHANGED,
        "os.symlink(PRECIOUS, HOME + '/link'); open(HOME + '/link', 'w').write('x')",
        lambda stage: stage.precious.read_text() == "x",
    ),
    attempt(
        "cut it off",
        P.HOST_FILES_UNCHANGED,
        "os.truncate(PRECIOUS, 0)",
        lambda stage: stage.precious.read_text() == "",
    ),
    attempt("remove it", P.HOST_FILES_UNCHANGED, "os.remove(PRECIOUS)", lambda stage: not stage.precious.exists()),
    attempt(
        "write to the log",
        P.HOST_FILES_UNCHANGED,
        "open(LOG, 'a').write('forged')",
        lambda stage: "forged" in stage.log.read_text(),
    ),
    attempt(
        "empty the log by its own output",
        P.HOST_FILES_UNCHANGED,
        "print('first line', flush=True); os.ftruncate(1, 0)",
        _log_was_cut,
    ),
    attempt(
        "press a key of the kernel",
        P.HOST_FILES_UNCHANGED,
        "os.open('/proc/sysrq-trigger', os.O_WRONLY)",
        needs_root=True,
        needs_file="/proc/sysrq-trigger",
    ),
    attempt(
        "change a setting of the kernel",
        P.HOST_FILES_UNCHANGED,
        "path = '/proc/sys/kernel/core_pattern'; text = open(path).read(); open(path, 'w').write(text)",
        needs_root=True,
    ),
    attempt(
        "make a file of the user unreadable",
        P.MODES_UNCHANGED,
        "os.chmod(PRECIOUS, 0)",
        lambda stage: stage.precious.stat().st_mode & 0o777 == 0,
    ),
    attempt(
        "change the time of the data",
        P.MODES_UNCHANGED,
        "os.utime(os.environ['DATA_DIR'] + '/train.csv', (1, 1))",
        lambda stage: (stage.data / "train.csv").stat().st_mtime == 1,
    ),
    attempt("add an attribute to a file of the user", P.MODES_UNCHANGED, "os.setxattr(PRECIOUS, 'user.x', b'x')"),
    # The network.
    attempt(
        "connect to a server of the host",
        P.NO_TCP,
        "must(socket.create_connection(('127.0.0.1', int(TCP_PORT)), 5).recv(100).decode() == SECRET)",
    ),
    attempt(
        "listen on a port of the host",
        P.NO_TCP,
        """
server = socket.create_server(('127.0.0.1', 0))
open(HOME + '/port', 'w').write(str(server.getsockname()[1]))
server.settimeout(float(PATIENCE))
server.accept()[0].sendall(MARK.encode())
""",
        lambda stage: _soon(stage, lambda: b"visited" in stage.received),
    ),
    attempt(
        "connect by another protocol that becomes TCP",
        P.NO_TCP,
        """
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
s.connect(('127.0.0.1', int(TCP_PORT)))
must(s.recv(100).decode() == SECRET)
""",
    ),
    attempt(
        "connect by sending",
        P.NO_TCP,
        """
s = socket.socket()
s.sendto(b'x', socket.MSG_FASTOPEN, ('127.0.0.1', int(TCP_PORT)))
must(s.recv(100).decode() == SECRET)
""",
        needs_file="/proc/sys/net/ipv4/tcp_fastopen",
    ),
    attempt(
        "listen without asking for a port",
        P.NO_TCP,
        """
server = socket.socket()
server.listen()
open(HOME + '/port', 'w').write(str(server.getsockname()[1]))
server.settimeout(float(PATIENCE))
server.accept()[0].sendall(MARK.encode())
""",
        lambda stage: _soon(stage, lambda: b"visited" in stage.received),
    ),
    attempt(
        "listen by another protocol that becomes TCP",
        P.NO_TCP,
        """
server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
server.listen()
open(HOME + '/port', 'w').write(str(server.getsockname()[1]))
server.settimeout(float(PATIENCE))
server.accept()[0].sendall(MARK.encode())
""",
        lambda stage: _soon(stage, lambda: b"visited" in stage.received),
    ),
    attempt(
        "untie a socket from this machine",
        P.NO_TCP,
        "s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, 25, b'lo'); s.setsockopt(socket.SOL_SOCKET, 25, b'')",
        needs_root=True,
    ),
    attempt(
        "send a datagram of another kind",
        P.NO_NETWORK,
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, 17).sendto(MARK.encode(), ('127.0.0.1', 0))",
        needs_root=True,
    ),
    attempt(
        "see all packets",
        P.NO_NETWORK,
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))",
        needs_root=True,
    ),
    attempt(
        "send a datagram by a queue of the kernel",
        P.NO_NETWORK,
        _QUEUE
        + """
s = socket.socket(fileno=queued(45, socket.AF_INET, socket.SOCK_DGRAM, 0))
s.sendto(MARK.encode(), ('127.0.0.1', int(UDP_PORT)))
""",
        lambda stage: _soon(stage, lambda: stage.mark.encode() in stage.received),
    ),
    attempt(
        "send a datagram as a program of 32 bits does",
        P.NO_NETWORK,
        """
import mmap
code = bytes.fromhex('5389f889f389ce89d189f2cd805bc3')  # a call by its number, the old way
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
call = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int] * 4)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
s = socket.socket(fileno=call(359, socket.AF_INET, socket.SOCK_DGRAM, 0))
s.sendto(MARK.encode(), ('127.0.0.1', int(UDP_PORT)))
""",
        lambda stage: _soon(stage, lambda: stage.mark.encode() in stage.received),
        needs_file="/lib64/ld-linux-x86-64.so.2",
    ),
    attempt(
        "send a datagram",
        P.NO_NETWORK,
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(MARK.encode(), ('127.0.0.1', int(UDP_PORT)))",
        lambda stage: _soon(stage, lambda: stage.mark.encode() in stage.received),
    ),
    attempt(
        "make a socket to the host of this machine",
        P.NO_NETWORK,
        "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
        needs_file="/dev/vsock",
    ),
    # Processes.
    attempt(
        "see a process of the host", P.PROCESSES_HIDDEN, "must('sleep(600)' in open(f'/proc/{VICTIM}/cmdline').read())"
    ),
    attempt(
        "end a process of the host",
        P.NO_SIGNALS,
        "os.kill(int(VICTIM), signal.SIGKILL)",
        lambda stage: _soon(stage, lambda: stage.victim.poll() is not None),
    ),
    attempt(
        "read the environment of a process",
        P.NO_SIGNALS,
        "must(('TOKEN=' + SECRET) in open(f'/proc/{VICTIM}/environ').read())",
    ),
    attempt(
        "read the memory of a process",
        P.NO_SIGNALS,
        """
start = int(open(f'/proc/{VICTIM}/maps').read().split('-')[0], 16)
memory = open(f'/proc/{VICTIM}/mem', 'rb', 0)
memory.seek(start)
must(memory.read(4) == b'\\x7fELF')
""",
    ),
    attempt(
        "take an open file of a process",
        P.NO_SIGNALS,
        """
file = checked(libc.syscall(438, os.pidfd_open(int(VICTIM)), 3, 0))
os.lseek(file, 0, 0)
must(os.read(file, 100).decode() == SECRET)
""",
    ),
    attempt(
        "end a process by a handle on it",
        P.NO_SIGNALS,
        "signal.pidfd_send_signal(os.pidfd_open(int(VICTIM)), signal.SIGKILL)",
        lambda stage: _soon(stage, lambda: stage.victim.poll() is not None),
    ),
    attempt(
        "have a socket signal a process",
        P.NO_SIGNALS,
        """
import fcntl
one, other = socket.socketpair()
fcntl.fcntl(one, fcntl.F_SETOWN, int(VICTIM))
fcntl.fcntl(one, 10, signal.SIGKILL)
fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC)
other.send(b'x')
""",
        lambda stage: _soon(stage, lambda: stage.victim.poll() is not None),
    ),
    attempt("trace a process", P.NO_SIGNALS, "checked(libc.ptrace(16, int(VICTIM), None, None))"),
    attempt(
        "lower the priority of a process",
        P.NO_PRIORITIES,
        "os.setpriority(os.PRIO_PROCESS, int(VICTIM), 19)",
        lambda stage: os.getpriority(os.PRIO_PROCESS, stage.victim.pid) == 19,
    ),
    attempt(
        "limit a process",
        P.NO_PRIORITIES,
        "resource.prlimit(int(VICTIM), resource.RLIMIT_NOFILE, (64, 64))",
    ),
    attempt(
        "have the kernel end a process that has worked too long",
        P.NO_PRIORITIES,
        "resource.prlimit(int(VICTIM), resource.RLIMIT_CPU, (1, 1))",
    ),
    attempt(
        "place a process on a processor",
        P.NO_PRIORITIES,
        "os.sched_setaffinity(int(VICTIM), {min(os.sched_getaffinity(0))})",
    ),
    attempt(
        "have a process work when nobody else does",
        P.NO_PRIORITIES,
        "os.sched_setscheduler(int(VICTIM), os.SCHED_IDLE, os.sched_param(0))",
    ),
    attempt(
        "have a process read when nobody else does",
        P.NO_PRIORITIES,
        "checked(libc.syscall({'x86_64': 251, 'aarch64': 30}[os.uname().machine], 1, int(VICTIM), 3 << 13))",
    ),
    attempt(
        "outlive the run by a double fork",
        P.NOTHING_SURVIVES,
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for n in range(3, 64):
            try: os.close(n)
            except OSError: pass
        nothing = os.open('/dev/null', os.O_RDWR)
        os.dup2(nothing, 1); os.dup2(nothing, 2)
        time.sleep(1)
        open(HOME + '/survivor', 'w').write('x')
    os._exit(0)
os.wait()
""",
        lambda stage: _soon(stage, lambda: (stage.home / "survivor").exists()),
    ),
    attempt(
        "outlive the run by adopting what is left",
        P.NOTHING_SURVIVES,
        """
for _ in range(2):
    if os.fork():
        time.sleep(0.1)
        os._exit(0)
    os.setsid()
    libc.prctl(36, 1, 0, 0, 0)
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
nothing = os.open('/dev/null', os.O_RDWR)
os.dup2(nothing, 1); os.dup2(nothing, 2)
time.sleep(1.5)
open(HOME + '/survivor', 'w').write('x')
""",
        lambda stage: _soon(stage, lambda: (stage.home / "survivor").exists()),
    ),
    # What processes share.
    attempt(
        "connect to the server of another run",
        P.NO_HOST_SOCKETS,
        "s = socket.socket(socket.AF_UNIX); s.connect(OTHER + '/server.sock'); must(s.recv(100).decode() == SECRET)",
    ),
    attempt(
        "connect to Docker",
        P.NO_HOST_SOCKETS,
        "socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
        needs_root=True,
        needs_file="/var/run/docker.sock",
    ),
    attempt(
        "connect to an abstract socket",
        P.NO_ABSTRACT_SOCKETS,
        "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + ABSTRACT); must(s.recv(100).decode() == SECRET)",
    ),
    attempt(
        "leave shared memory behind",
        P.NO_SHARED_MEMORY,
        "open('/dev/shm/' + MARK, 'w').write('x')",
        _shared_file_is_left,
    ),
    attempt(
        "leave a System V segment behind",
        P.NO_SHARED_MEMORY,
        "checked(libc.shmget(int(MARK[:7], 16), 4096, 0o1600))",
        _segment_is_left,
    ),
    # Privileges.
    attempt(
        "gain a user by setuid",
        P.NO_PRIVILEGES,
        """
import shutil
program = HOME + '/id'
shutil.copy('/usr/bin/id', program)
os.chown(program, 65534, 65534)
os.chmod(program, 0o4755)
must(subprocess.check_output([program, '-u'], text=True).strip() == '65534')
""",
        needs_root=True,
    ),
    attempt("use a right of root", P.NO_PRIVILEGES, "os.chroot('/')", needs_root=True),
    attempt(
        "open a device of the host",
        P.NO_PRIVILEGES,
        "os.mknod(HOME + '/m', stat.S_IFCHR | 0o600, os.makedev(1, 11)); os.open(HOME + '/m', os.O_RDONLY)",
        needs_root=True,
    ),
    attempt(
        "mount in a namespace of its own",
        P.NO_PRIVILEGES,
        "checked(libc.unshare(0x10020000)); checked(libc.mount(b'tmpfs', b'/mnt', b'tmpfs', 0, None))",
    ),
    attempt(
        "mount over a folder of its own",
        P.NO_PRIVILEGES,
        """
checked(libc.unshare(0x10020000))
os.mkdir(HOME + '/m')
checked(libc.mount(b'tmpfs', (HOME + '/m').encode(), b'tmpfs', 0, None))
""",
    ),
    attempt("set the clock", P.NO_PRIVILEGES, "time.clock_settime(time.CLOCK_REALTIME, time.time())", needs_root=True),
    attempt(
        "read the log of the kernel", P.NO_PRIVILEGES, "checked(libc.klogctl(3, bytes(100), 100))", needs_root=True
    ),
    attempt(
        "watch the files of the machine",
        P.NO_PRIVILEGES,
        """
watch = checked(libc.fanotify_init(0, 0))
checked(libc.fanotify_mark(watch, 0x11, ctypes.c_uint64(0x20), -100, b'/'))
""",
        needs_root=True,
    ),
    attempt("use a GPU", P.NO_GPU, "os.open('/dev/nvidia0', os.O_RDWR)", needs_file="/dev/nvidia0"),
    attempt("import mlebench", P.PACKAGE_HIDDEN, "sys.path.insert(0, PACKAGE); import mlebench.errors"),
    # Budgets.
    attempt("work longer", P.TIME_LIMITED, "time.sleep(float(LONGER))", limits=Limits(seconds=0.5)),
    attempt(
        "work longer without heeding SIGTERM",
        P.TIME_LIMITED,
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(float(LONGER))",
        limits=Limits(seconds=0.5),
    ),
    attempt(
        "work longer where measuring takes long",
        P.TIME_LIMITED,
        """
began = time.monotonic()
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
many = min(most, 20_000)
resource.setrlimit(resource.RLIMIT_NOFILE, (many, many))
nothing = os.open('/dev/null', os.O_RDONLY)
for n in range(100, many): os.dup2(nothing, n)
if os.fork() == 0:
    for _ in range(300):
        if os.fork() == 0:
            break
    time.sleep(max(0.0, 8 - (time.monotonic() - began)))
    os._exit(0)
time.sleep(max(0.0, 6 - (time.monotonic() - began)))
""",
        limits=Limits(seconds=1.0),
    ),
    attempt(
        "use more memory",
        P.MEMORY_LIMITED,
        "block = bytearray(300 << 20); time.sleep(float(LONGER))",
        limits=Limits(memory_bytes=150 << 20),
    ),
    attempt(
        "use more memory for a moment",
        P.MEMORY_LIMITED,
        "block = bytearray(300 << 20); del block; time.sleep(float(LONGER))",
        limits=Limits(memory_bytes=150 << 20),
    ),
    attempt(
        "use more memory in many processes",
        P.MEMORY_LIMITED,
        "[os.fork() for _ in range(3)]; block = bytearray(40 << 20); time.sleep(float(LONGER))",
        limits=Limits(memory_bytes=150 << 20),
    ),
    attempt(
        "use more memory by shared files",
        {P.MEMORY_LIMITED, P.NO_SHARED_MEMORY},
        """
with open('/dev/shm/' + MARK, 'wb') as file:
    for _ in range(300): file.write(bytes(1 << 20))
time.sleep(float(LONGER))
os.remove('/dev/shm/' + MARK)
""",
        limits=Limits(memory_bytes=150 << 20),
    ),
    attempt(
        "use more memory by files without a name",
        P.MEMORY_LIMITED,
        """
file = os.memfd_create('x')
for _ in range(300): os.write(file, bytes(1 << 20))
time.sleep(float(LONGER))
""",
        limits=Limits(memory_bytes=150 << 20),
    ),
    attempt(
        "use more memory by files that no process has open",
        P.UNHELD_MEMORY_LIMITED,
        """
import array
one, other = socket.socketpair()
for _ in range(30):
    file = os.memfd_create('x')
    for _ in range(10): os.write(file, bytes(1 << 20))
    one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [file]))])
    os.close(file)
time.sleep(3)
""",
        limits=Limits(memory_bytes=150 << 20),
    ),
    attempt(
        "start many processes",
        P.PROCESSES_LIMITED,
        """
for _ in range(100):
    if os.fork() == 0:
        time.sleep(float(LONGER))
        os._exit(0)
time.sleep(float(LONGER))
""",
        limits=Limits(processes=50),
    ),
    attempt(
        "fill the disk",
        P.DISK_LIMITED,
        """
for n in range(30):
    open(f'{HOME}/{n}', 'wb').write(bytes(1 << 20))
time.sleep(float(LONGER))
""",
        limits=Limits(disk_bytes=10 << 20),
    ),
    attempt(
        "fill the disk where nobody looks",
        P.DISK_LIMITED,
        """
os.mkdir(HOME + '/dark')
for n in range(30):
    os.chmod(HOME + '/dark', 0o700)
    open(f'{HOME}/dark/{n}', 'wb').write(bytes(1 << 20))
    os.chmod(HOME + '/dark', 0)
time.sleep(float(LONGER))
""",
        limits=Limits(disk_bytes=10 << 20),
    ),
    attempt(
        "fill the disk by files that are removed",
        P.DISK_LIMITED,
        """
files = []
for n in range(30):
    files.append(open(f'{HOME}/{n}', 'wb', 0))
    os.remove(f'{HOME}/{n}')
    files[-1].write(bytes(1 << 20))
time.sleep(float(LONGER))
""",
        limits=Limits(disk_bytes=10 << 20),
    ),
    attempt(
        "fill the disk deeper than any path leads",
        P.DISK_LIMITED,
        """
os.chdir(HOME)
for _ in range(20):
    os.mkdir('x' * 250)
    os.chdir('x' * 250)
for n in range(30): open(str(n), 'wb').write(bytes(1 << 20))
time.sleep(float(LONGER))
""",
        limits=Limits(disk_bytes=10 << 20),
    ),
    attempt(
        "make many files",
        P.DISK_LIMITED,
        "[os.close(os.open(f'{HOME}/{n}', os.O_CREAT)) for n in range(8_000)]; time.sleep(float(LONGER))",
        limits=Limits(disk_bytes=2 << 20),
    ),
    attempt(
        "make a huge sparse file",
        P.DISK_LIMITED,
        "open(HOME + '/sparse', 'wb').truncate(1 << 40)",
        limits=Limits(disk_bytes=30 << 20),
    ),
    attempt(
        "print without end",
        P.OUTPUT_LIMITED,
        "[sys.stdout.write('x' * (1 << 20)) for _ in range(50)]; time.sleep(float(LONGER))",
        lambda stage: stage.log.stat().st_size > 5 << 20,
        limits=Limits(output_bytes=5 << 20),
    ),
]


# What every sandbox allows: where it fails, the others have failed for a wrong reason.
ALLOWED = attempt(
    "read the data",
    set(),
    """
must(open(os.environ['DATA_DIR'] + '/train.csv').read() == 'public')
must(open(SHOWN_WITHIN + '/file.csv').read() == SECRET)
""",
)
assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS)
__all__ = ["ALLOWED", "ATTEMPTS", "SECRET", "Attempt"]
