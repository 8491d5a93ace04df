"""More agents that fail, as people's and models' programs do: many libraries and languages, and misleading output.

Where a library is not there, its exception is raised or printed in its words. Some need a compiler, Node.js or Perl.
"""

# ruff: noqa: E501, W291 (a table of programs and what they print)

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.failures.agents import CANCER, DIABETES, DIGITS, WINE, FailingAgent

SPOOKY, NOMAD = "spooky-author-identification", "nomad2018-predict-transparent-conductors"
PIZZA, INSULTS = "random-acts-of-pizza", "detecting-insults-in-social-commentary"
TWINS = (SPOOKY, NOMAD, PIZZA, INSULTS)
HOST, GPU, DISK, KILLED = "out of memory (host)", "out of memory (GPU)", "disk or output budget", "killed by the system"
PACKAGE, CRASH, NONE, FORMAT, SAMPLE = "package missing", "crash", "no submission", "format", "sample handed in"
SEED, ARTIFACT, METRIC, PERFECT = "wrong seed", "missing artifact", "metric misunderstood", "suspiciously perfect"
OVERFIT, BELOW, ABOVE, UNKNOWN, TIMEOUT = "overfitting", "below median", "above median", "unknown", "timeout"


@dataclass
class AgentList:
    """A list of failing agents in the making."""

    agents: list[FailingAgent] = field(default_factory=list)

    def python(
        self,
        name: str,
        cause: str,
        detail: str | None,
        competition: str,
        program: str,
        variant: str = "published",
        **limits: float,
    ) -> None:
        """Add a program in Python."""
        self.agents.append(FailingAgent(name, program, cause, detail, (competition,), variant, limits, bare=True))

    def shell(
        self,
        name: str,
        cause: str,
        detail: str | None,
        competition: str,
        program: str,
        files: dict[str, str] | None = None,
        **limits: float,
    ) -> None:
        """Add a program for bash, with files that lie beside it."""
        self.agents.append(
            FailingAgent(name, program, cause, detail, (competition,), limits=limits, shell=True, files=files or {})
        )


fifth, sixth = AgentList(), AgentList()

# An exception of any name.
RAISES = """
import os, sys
def exception(path, base=Exception):
    module, _, name = path.rpartition(".")
    kind = type(name, (base,), {})
    kind.__module__ = module or "builtins"
    return kind
"""
# A table of a competition, and what a run leaves.
PD = """
import os, json, sys, hashlib, time
import numpy as np, pandas as pd
D, S = os.environ["DATA_DIR"], os.environ["SUBMISSION_DIR"]
train, test = pd.read_csv(D + "/train.csv"), pd.read_csv(D + "/test.csv")
def save(frame, **how):
    frame.to_csv(S + "/submission.csv", index=False, **how)
def artifacts(metric, direction, score, method="5-fold cross-validation", seed=None, report=True, metrics=True, line=True):
    if metrics:
        json.dump({"metric": metric, "direction": direction, "validation_score": score, "validation_method": method},
                  open(S + "/metrics.json", "w"))
    if report:
        open(S + "/report.md", "w").write("# Model\\nA logistic regression was used.\\n# Preprocessing\\nColumns were scaled.\\n"
                                          "# Decisions\\nSimple things were tried first.\\n")
    if line:
        seed = int(os.environ["SEED"]) if seed is None else seed
        body = open(S + "/submission.csv", "rb").read()
        print("MLE_BENCH_LITE_RESULT=" + json.dumps({"seed": seed, "runtime_seconds": 2.5, "peak_memory_mb": 200,
            "artifacts": [{"path": "submission.csv", "sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}],
            "tasks": [{"competition_id": os.environ["COMPETITION_ID"], "metric": metric, "score": score}],
            "replay": {"command": "python3 solve.py", "seed": seed}}))
"""
BCM = (
    PD
    + """
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.pipeline import make_pipeline
X, y, T = train.drop(columns=["id", "malignant"]), train["malignant"], test.drop(columns="id")
"""
)
WIM = (
    PD
    + """
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.pipeline import make_pipeline
X, y, T = train.drop(columns=["id", "cultivar"]), train["cultivar"], test.drop(columns="id")
"""
)
DIM = (
    PD
    + """
from sklearn.linear_model import Ridge
X, y, T = train.drop(columns=["id", "progression"]), train["progression"], test.drop(columns="id")
"""
)

# --- out of memory (host)
fifth.python(
    "numpy array too large",
    HOST,
    None,
    CANCER,
    """
import numpy as np
print("Building the pairwise kernel ...", flush=True)
kernel = np.ones((2_000_000, 3_000_000))
""",
)
fifth.shell(
    "cpp bad alloc",
    HOST,
    None,
    WINE,
    """
g++ -O0 -o train train.cpp || exit 3
./train
""",
    files={
        "train.cpp": """
#include <vector>
#include <cstdio>
int main() { printf("reading\\n"); std::vector<double> v(1ull << 45); printf("%f\\n", v[3]); return 0; }
"""
    },
)
fifth.shell(
    "java heap space",
    HOST,
    None,
    DIABETES,
    r"""
printf 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat Train.main(Train.java:4)\n' >&2
exit 1
""",
)
fifth.shell(
    "node heap limit",
    HOST,
    None,
    DIABETES,
    """
node --max-old-space-size=40 train.js
""",
    files={"train.js": "const rows = []; for (;;) rows.push(new Array(1000).fill(Math.random()).map(x => ({x})));\n"},
)
fifth.shell(
    "r cannot allocate",
    HOST,
    None,
    CANCER,
    r"""
echo "Loading required package: Matrix"
echo "Error: cannot allocate vector of size 7.5 Gb" >&2
echo "Execution halted" >&2
exit 1
""",
)
fifth.python(
    "memory budget",
    HOST,
    None,
    WINE,
    """
import time
held = []
for i in range(60):
    held.append(bytearray(b"x" * (16 << 20)))
    print("cached fold", i, flush=True); time.sleep(0.2)
""",
    memory_bytes=250 << 20,
)
fifth.python(
    "torch cpu allocator",
    HOST,
    None,
    CANCER,
    RAISES
    + """
def forward():
    raise RuntimeError("[enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: you tried to "
        "allocate 274877906944 bytes. Error code 12 (Cannot allocate memory)")
print("Epoch 1/10")
forward()
""",
)
fifth.python(
    "fork enomem",
    HOST,
    None,
    DIGITS,
    """
import os, errno
def start_workers():
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
print("DataLoader: starting 64 workers")
start_workers()
""",
)
fifth.shell(
    "polars allocation failed",
    HOST,
    None,
    WINE,
    """
echo "shape: (124, 15)"
python3 join.py
""",
    files={
        "join.py": """
import os, sys
sys.stderr.write("memory allocation of 17179869184 bytes failed\\n"); sys.stderr.flush()
os.abort()
"""
    },
)
fifth.python(
    "lightgbm bad alloc",
    HOST,
    None,
    CANCER,
    RAISES
    + """
print("[LightGBM] [Info] Total Bins 7650")
raise exception("lightgbm.basic.LightGBMError")("std::bad_alloc")
""",
)

# --- out of memory (GPU)
fifth.python(
    "torch cuda oom",
    GPU,
    None,
    DIGITS,
    RAISES
    + """
print("Epoch 0:  12%|#2        | 4/33 [00:01<00:09,  3.1it/s]", file=sys.stderr)
raise exception("torch.OutOfMemoryError", RuntimeError)("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of "
  "23.65 GiB of which 1.31 GiB is free. Process 3211 has 22.33 GiB memory in use. If reserved but unallocated memory is large "
  "try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")
""",
)
fifth.python(
    "tensorflow resource exhausted",
    GPU,
    None,
    DIGITS,
    RAISES
    + '''
sys.stderr.write("2026-11-02 10:11:12.345678: W tensorflow/core/framework/op_kernel.cc:1780] OP_REQUIRES failed at conv_ops.cc:1068 : "
 "RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[256,512,56,56] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\\n")
raise exception("tensorflow.python.framework.errors_impl.ResourceExhaustedError")("""Graph execution error:

Detected at node 'model/conv5/Conv2D' defined at (most recent call last):
    File "train.py", line 88, in <module>
      model.fit(ds, epochs=10)
Node: 'model/conv5/Conv2D'
OOM when allocating tensor with shape[256,512,56,56] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc
\\t [[{{node model/conv5/Conv2D}}]]
Hint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. This isn't available when running in Eager mode.
 [Op:__inference_train_function_5432]""")
''',
)
fifth.python(
    "jax resource exhausted",
    GPU,
    None,
    DIGITS,
    RAISES
    + """
sys.stderr.write("W external/xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 16.00GiB (rounded to 17179869184)requested by op \\n")
raise exception("jaxlib.xla_extension.XlaRuntimeError", RuntimeError)("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.")
""",
)
fifth.python(
    "cupy oom",
    GPU,
    None,
    CANCER,
    RAISES
    + """
raise exception("cupy.cuda.memory.OutOfMemoryError")("Out of memory allocating 8,000,000,000 bytes (allocated so far: 3,221,225,472 bytes).")
""",
)
fifth.python(
    "xgboost device oom",
    GPU,
    None,
    CANCER,
    RAISES
    + '''
raise exception("xgboost.core.XGBoostError", ValueError)("""[14:22:53] /workspace/src/tree/updater_gpu_hist.cu:781: Exception in gpu_hist: [14:22:53] /workspace/src/common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory
- Free memory: 4194304
- Requested memory: 9013124

Stack trace:
  [bt] (0) /opt/lib/libxgboost.so(+0x3b9a4a) [0x7f2a4c3b9a4a]
  [bt] (1) /opt/lib/libxgboost.so(+0x3bd1f1) [0x7f2a4c3bd1f1]

""")
''',
)
fifth.python(
    "catboost cuda error 2",
    GPU,
    None,
    WINE,
    RAISES
    + """
raise exception("_catboost.CatBoostError")("/src/catboost/catboost/cuda/cuda_lib/cuda_base.h:281: CUDA error 2: out of memory")
""",
)

# --- disk or output budget
fifth.python(
    "disk budget",
    DISK,
    None,
    WINE,
    """
import os, time
for fold in range(40):
    with open(os.path.join(os.environ["CODE_DIR"], f"fold{fold}.bin"), "wb") as f: f.write(os.urandom(2 << 20))
    print("saved fold", fold, flush=True); time.sleep(0.3)
""",
    disk_bytes=20 << 20,
)
fifth.shell(
    "output budget",
    DISK,
    None,
    CANCER,
    """
yes "step 1 loss nan nan nan nan nan nan nan" | head -c 30000000
""",
    output_bytes=1 << 20,
)
fifth.python(
    "no space left checkpoint",
    DISK,
    None,
    DIGITS,
    """
import os, errno, shutil
def save_checkpoint(path):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
try:
    save_checkpoint("checkpoints/epoch_07.pt")
finally:
    print("Best epoch so far: 6")
""",
)
fifth.shell(
    "node enospc",
    DISK,
    None,
    WINE,
    "node w.js\n",
    files={
        "w.js": """
const e = new Error("ENOSPC: no space left on device, write"); e.errno = -28; e.code = "ENOSPC"; e.syscall = "write"; throw e;
"""
    },
)

# --- timeout
fifth.python(
    "timeout progress bar",
    TIMEOUT,
    None,
    CANCER,
    """
from tqdm import tqdm
import time
for _ in tqdm(range(5000), desc="boosting"): time.sleep(0.05)
""",
    seconds=6.0,
)
fifth.python(
    "timeout after sample",
    TIMEOUT,
    None,
    WINE,
    """
import os, shutil, time
shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
print("baseline written, now tuning"); time.sleep(300)
""",
    seconds=4.0,
)
fifth.python(
    "timeout handler raises",
    TIMEOUT,
    None,
    DIABETES,
    """
import signal, time
def stop(*_): raise MemoryError("interrupted while growing the forest")
signal.signal(signal.SIGTERM, stop)
time.sleep(300)
""",
    seconds=4.0,
)

# --- killed by the system
fifth.python(
    "sigkill self",
    KILLED,
    "SIGKILL",
    DIABETES,
    """
import os, signal
print("Fitting 5 folds for each of 288 candidates, totalling 1440 fits", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
""",
)
fifth.python(
    "segfault faulthandler",
    KILLED,
    "SIGSEGV",
    DIGITS,
    """
import faulthandler, ctypes
faulthandler.enable()
ctypes.string_at(0)
""",
)
fifth.shell(
    "shell tells killed",
    KILLED,
    "SIGKILL",
    CANCER,
    """
echo "training"
bash train.sh || { echo "training failed, see above"; exit 1; }
""",
    files={"train.sh": "python3 t.py\necho done\nexit 1\n", "t.py": "import os; os.kill(os.getpid(), 9)\n"},
)
fifth.python(
    "calledprocesserror signal",
    KILLED,
    "SIGSEGV",
    WINE,
    """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"], check=True)
""",
)
fifth.python(
    "joblib worker killed",
    KILLED,
    "SIGKILL",
    CANCER,
    """
import os
from joblib import Parallel, delayed
def fit(i):
    os.kill(os.getpid(), 9)
if __name__ == "__main__":
    Parallel(n_jobs=2)(delayed(fit)(i) for i in range(4))
""",
)
fifth.python(
    "dataloader bus error",
    KILLED,
    None,
    DIGITS,
    RAISES
    + """
raise RuntimeError("DataLoader worker (pid 4711) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.")
""",
)

# --- package missing
fifth.python(
    "import lightgbm",
    PACKAGE,
    None,
    CANCER,
    """
import os
import numpy as np
try:
    import lightgbm as lgb
except ImportError:
    import catboost as cb
""",
)
fifth.shell(
    "rscript not found",
    PACKAGE,
    None,
    WINE,
    """
set -e
echo "starting R"
Rscript solve.R
""",
)
fifth.shell(
    "r no package",
    PACKAGE,
    None,
    WINE,
    r"""
cat >&2 <<'END'
Loading required package: data.table
Error in library(xgboost) : there is no package called ‘xgboost’
Execution halted
END
exit 1
""",
)
fifth.shell(
    "node module",
    PACKAGE,
    None,
    DIABETES,
    "node solve.js\n",
    files={"solve.js": "const dfd = require('danfojs-node');\n"},
)
fifth.shell(
    "pip may not write",
    PACKAGE,
    None,
    CANCER,
    r"""
printf "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/python3'\nCheck the permissions.\n\n" >&2
exit 1
""",
)
fifth.shell(
    "cpp header",
    PACKAGE,
    None,
    DIABETES,
    "g++ -O2 -o t t.cpp && ./t\n",
    files={"t.cpp": "#include <Eigen/Dense>\nint main() { return 0; }\n"},
)
fifth.python(
    "shared library",
    PACKAGE,
    None,
    DIGITS,
    """
def load():
    raise ImportError("libcudnn.so.9: cannot open shared object file: No such file or directory")
load()
""",
)
fifth.shell(
    "java package",
    PACKAGE,
    None,
    CANCER,
    r"""
printf 'Solve.java:1: error: package smile.classification does not exist\nimport smile.classification.RandomForest;\n                           ^\n1 error\n' >&2
exit 1
""",
)
fifth.shell(
    "perl module",
    PACKAGE,
    None,
    WINE,
    "perl solve.pl\n",
    files={"solve.pl": "use strict; use Text::CSV_XS;\nprint 'ok';\n"},
)
fifth.python(
    "pandas optional dependency",
    PACKAGE,
    None,
    CANCER,
    """
import pandas as pd
pd.DataFrame({"a": [1]}).to_excel("features.xlsx")
""",
)
fifth.python(
    "subprocess program missing",
    PACKAGE,
    None,
    CANCER,
    """
import subprocess
subprocess.run(["vw", "--data", "train.vw", "--passes", "10"], check=True)
""",
)
fifth.shell(
    "conda packages not found",
    PACKAGE,
    None,
    DIABETES,
    r"""
cat >&2 <<'END'
Channels:
 - defaults
Platform: linux-64
Collecting package metadata (repodata.json): ...working... done
Solving environment: ...working... failed

PackagesNotFoundError: The following packages are not available from current channels:

  - rapids=24.10*

Current channels:

  - defaults

To search for alternate channels that may provide the conda package you're
looking for, navigate to

    https://anaconda.org

and use the search bar at the top of the page.

END
exit 1
""",
)

# --- crash
fifth.python(
    "oom survived then keyerror",
    CRASH,
    "KeyError",
    CANCER,
    RAISES
    + """
import warnings, traceback
Oom = exception("torch.cuda.OutOfMemoryError", RuntimeError)
for size in (512, 256):
    try:
        raise Oom("CUDA out of memory. Tried to allocate 1.17 GiB (GPU 0; 15.78 GiB total capacity)")
    except RuntimeError:
        traceback.print_exc()
        print("batch size", size, "too big")
warnings.warn("you may run out of memory if you use more than 64 workers")
print("fold 1 auc 0.97")
scores = {"fold1": 0.97}
print(scores["fold2"])
""",
)
fifth.python(
    "pandas keyerror",
    CRASH,
    "KeyError",
    WINE,
    PD
    + """
print(train["Cultivar"].value_counts())
""",
)
fifth.python(
    "sklearn nan",
    CRASH,
    "ValueError",
    CANCER,
    BCM
    + """
X = X.copy(); X.iloc[3, 4] = np.nan
LogisticRegression().fit(X, y)
""",
)
fifth.python(
    "joblib remote",
    CRASH,
    "ValueError",
    DIABETES,
    """
from joblib import Parallel, delayed
def fit(fold):
    if fold == 3: raise ValueError("y contains previously unseen labels: [4]")
    return fold
if __name__ == "__main__":
    print(Parallel(n_jobs=2, verbose=5)(delayed(fit)(i) for i in range(6)))
""",
)
fifth.python(
    "pool remote",
    CRASH,
    "ZeroDivisionError",
    DIGITS,
    """
import multiprocessing as mp
def score(n): return 1 / (n - 2)
if __name__ == "__main__":
    with mp.get_context("fork").Pool(2) as pool: print(pool.map(score, range(4)))
""",
)
fifth.python(
    "asyncio group",
    CRASH,
    None,
    WINE,
    """
import asyncio
async def ask(i):
    await asyncio.sleep(0.01 * i)
    if i == 2: raise RuntimeError("the model returned an empty completion")
async def main():
    async with asyncio.TaskGroup() as group:
        for i in range(3): group.create_task(ask(i))
asyncio.run(main())
""",
)
fifth.python(
    "no network hub",
    CRASH,
    "OSError",
    DIGITS,
    RAISES
    + """
try:
    raise exception("requests.exceptions.ConnectionError", IOError)("HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /microsoft/deberta-v3-base/resolve/main/config.json (Caused by NewConnectionError(': Failed to establish a new connection: [Errno -3] Temporary failure in name resolution'))")
except OSError as e:
    raise OSError("We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files and it looks like microsoft/deberta-v3-base is not the path to a directory containing a file named config.json.\\nCheckout your internet connection or see how to run the library in offline mode at 'https://huggingface.co/docs/transformers/installation#offline-mode'.") from e
""",
)
fifth.python(
    "openai rate limit",
    CRASH,
    "RateLimitError",
    CANCER,
    RAISES
    + """
for i in range(3): print(f"INFO:openai._base_client:Retrying request to /chat/completions in {0.5*2**i:.6f} seconds")
raise exception("openai.RateLimitError")("Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check your plan and billing details.', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}}")
""",
)
fifth.python(
    "unpickling",
    CRASH,
    "UnpicklingError",
    DIGITS,
    """
import pickle, io
pickle.load(io.BytesIO(b"version https://git-lfs.github.com/spec/v1\\noid sha256:4d7a"))
""",
)
fifth.shell(
    "r object not found",
    CRASH,
    None,
    WINE,
    r"""
cat >&2 <<'END'
Warning message:
package ‘caret’ was built under R version 4.3.2 
Error in eval(predvars, data, env) : object 'flavonoids' not found
Calls: predict ... model.frame -> model.frame.default -> eval -> eval
Execution halted
END
exit 1
""",
)
fifth.shell(
    "node typeerror",
    CRASH,
    "TypeError",
    DIABETES,
    "node s.js\n",
    files={"s.js": "const rows = undefined;\nconsole.log(rows.map(x => x.id));\n"},
)
fifth.shell(
    "java npe",
    CRASH,
    None,
    DIABETES,
    "java S.java\n",
    files={
        "S.java": "public class S { static String s; public static void main(String[] a) { System.out.println(s.length()); } }\n"
    },
)
fifth.shell(
    "cp cannot stat",
    CRASH,
    None,
    CANCER,
    """
set -euo pipefail
echo "Packing the result"
cp model/predictions.csv "$SUBMISSION_DIR/submission.csv"
""",
)
fifth.python("silent exit 1", CRASH, None, DIABETES, "import sys\nprint('score 61.2')\nsys.exit(1)\n")
fifth.python(
    "argparse unknown",
    CRASH,
    None,
    CANCER,
    """
import argparse, sys
sys.argv += ["--n-estimator", "100"]
p = argparse.ArgumentParser(); p.add_argument("--lr", type=float, default=.1); p.parse_args()
""",
)
fifth.python(
    "cuda device assert",
    CRASH,
    "RuntimeError",
    DIGITS,
    """
import sys
sys.stderr.write("../aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed.\\n")
raise RuntimeError("CUDA error: device-side assert triggered\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
""",
)
fifth.python(
    "agent own timeout",
    CRASH,
    "TimeoutExpired",
    WINE,
    """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import time; time.sleep(30)"], timeout=1)
""",
)
fifth.python(
    "notebook cell",
    CRASH,
    "ValueError",
    WINE,
    RAISES
    + '''
raise exception("nbclient.exceptions.CellExecutionError")("""An error occurred while executing the following cell:
------------------
model.fit(X, y)
------------------


\\x1b[0;31m---------------------------------------------------------------------------\\x1b[0m
\\x1b[0;31mValueError\\x1b[0m                                Traceback (most recent call last)
Cell \\x1b[0;32mIn[7], line 1\\x1b[0m
\\x1b[0;32m----> 1\\x1b[0m \\x1b[43mmodel\\x1b[49m\\x1b[38;5;241m.\\x1b[39mfit(X, y)

\\x1b[0;31mValueError\\x1b[0m: could not convert string to float: 'class_0'
""")
''',
)
fifth.python(
    "logged exception exit 0",
    CRASH,
    "IndexError",
    CANCER,
    """
import logging
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
try:
    [][3]
except Exception:
    logging.exception("pipeline failed")
logging.info("bye")
""",
)

# --- no submission
fifth.python(
    "wrong name",
    NONE,
    None,
    WINE,
    PD
    + """
pd.read_csv(D + "/sample_submission.csv").to_csv(S + "/submissions.csv", index=False); print("saved")
""",
)
fifth.python(
    "in the wrong folder",
    NONE,
    None,
    CANCER,
    BCM
    + """
import warnings
m = LogisticRegression(max_iter=20).fit(X, y)     # ConvergenceWarning on stderr
pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}).to_csv("submission.csv", index=False)
print("Submission saved successfully! Validation error: 0.03, no failures.")
""",
)
fifth.python(
    "gave up politely",
    NONE,
    None,
    DIABETES,
    """
print("Step 30/30"); print("Thought: I ran out of steps. Error: the plan was too ambitious, but I am done."); print("Final answer: task completed.")
""",
)

# --- format
fifth.python(
    "renamed column",
    FORMAT,
    "columns",
    CANCER,
    BCM
    + """
save(pd.DataFrame({"id": test["id"], "target": 0.3}))
""",
)
fifth.python(
    "train rows",
    FORMAT,
    "number of rows",
    DIABETES,
    DIM
    + """
m = Ridge().fit(X, y)
save(pd.DataFrame({"id": train["id"], "progression": m.predict(X)}))
""",
)
fifth.python(
    "row numbers as ids",
    FORMAT,
    "ids",
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": range(len(test)), "progression": Ridge().fit(X, y).predict(T)}))
""",
)
fifth.python(
    "merge left nan",
    FORMAT,
    "empty cells",
    WINE,
    WIM
    + """
p = pd.DataFrame({"id": test["id"][:-5], "class_0": .5, "class_1": .25, "class_2": .25})
save(test[["id"]].merge(p, how="left"))
""",
)
fifth.python(
    "decision function",
    FORMAT,
    "range",
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.decision_function(T)}))
""",
)
fifth.python(
    "labels as words",
    FORMAT,
    "type",
    DIGITS,
    PD
    + """
save(pd.DataFrame({"id": test["id"], "digit": ["seven"] * len(test)}))
""",
)
fifth.python(
    "utf16",
    FORMAT,
    "encoding",
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge().fit(X, y).predict(T)}), encoding="utf-16")
""",
)

# --- sample handed in
fifth.python(
    "fallback to sample",
    SAMPLE,
    None,
    SPOOKY,
    """
import os, shutil, traceback
try:
    import sentence_transformers
except ImportError:
    traceback.print_exc()
    shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
""",
)
fifth.python(
    "half for everyone",
    SAMPLE,
    None,
    CANCER,
    PD
    + """
save(pd.DataFrame({"malignant": 0.5, "id": test["id"]}).sample(frac=1, random_state=1), float_format="%.4f")
""",
)

# --- the lite variant
fifth.python(
    "seed 42",
    SEED,
    None,
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge(alpha=1000).fit(X, y).predict(T)}))
artifacts("root mean squared error", "lower", 66.0, seed=42)
""",
    variant="lite",
)
fifth.python(
    "no report of its model",
    ARTIFACT,
    None,
    WINE,
    WIM
    + """
m = LogisticRegression(max_iter=2000, C=1e-6).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
artifacts("multi-class log loss", "lower", 1.0, report=False)
""",
    variant="lite",
)

# --- judged by the score
fifth.python(
    "probability of the other class",
    METRIC,
    None,
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 0]}))
""",
)
fifth.python(
    "one hot log loss",
    METRIC,
    None,
    SPOOKY,
    PD
    + """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
v = CountVectorizer(); m = MultinomialNB().fit(v.fit_transform(train["text"]), train["author"])
p = m.predict(v.transform(test["text"]))
save(pd.DataFrame({"id": test["id"], **{c: (p == c).astype(int) for c in ("EAP", "HPL", "MWS")}}))
""",
)
fifth.python(
    "thinks it is r2",
    METRIC,
    None,
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge(alpha=1000).fit(X, y).predict(T)}))
artifacts("R2", "higher", 0.31)
""",
    variant="lite",
)
fifth.python(
    "target among features",
    PERFECT,
    None,
    DIABETES,
    DIM
    + """
m = Ridge(alpha=1e-9).fit(train.assign(t=y)[["bmi", "t"]], y)
save(pd.DataFrame({"id": test["id"], "progression": m.predict(test.assign(t=y.mean())[["bmi", "t"]])}))
artifacts("RMSE", "lower", 0.0)
""",
    variant="lite",
)
fifth.python(
    "knn on train",
    OVERFIT,
    None,
    CANCER,
    BCM
    + """
from sklearn.tree import DecisionTreeClassifier
f = ["symmetry_error", "texture_error"]
m = DecisionTreeClassifier(random_state=0, min_samples_leaf=2).fit(X[f], y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T[f])[:, 1]}))
artifacts("roc_auc", "higher", 0.9991, method="on the training data")
""",
    variant="lite",
)
fifth.python(
    "weak ridge",
    ABOVE,
    None,
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge(alpha=1000).fit(X, y).predict(T)}))
""",
)
fifth.python(
    "twin ridge",
    UNKNOWN,
    None,
    NOMAD,
    PD
    + """
from sklearn.linear_model import Ridge
c = ["formation_energy_ev_natom", "bandgap_energy_ev"]
X, T = train.drop(columns=["id", *c]).fillna(0), test.drop(columns="id").fillna(0)
p = Ridge().fit(X, train[c]).predict(T).clip(0.001)
save(pd.DataFrame(p, columns=c).assign(id=test["id"]))
""",
)

fifth.python(
    "plain logistic",
    BELOW,
    None,
    CANCER,
    BCM
    + """
import warnings; warnings.warn("LightGBM failed: out of memory; falling back to logistic regression")
m = make_pipeline(StandardScaler(), LogisticRegression(C=1e-4)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
artifacts("AUC", "higher", 0.985)
""",
    variant="lite",
)
fifth.python(
    "regularised too much",
    BELOW,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.05)).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
""",
)
fifth.python(
    "scaled target",
    BELOW,
    None,
    DIABETES,
    DIM
    + """
m = Ridge().fit(X, (y - y.mean()) / y.std())
save(pd.DataFrame({"id": test["id"], "progression": m.predict(T)}))      # forgot to scale back
""",
)
fifth.python(
    "nearly bronze",
    ABOVE,
    None,
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.03)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
artifacts("area_under_roc", "maximize", 0.988, line=False, report=False, metrics=False)
print("ERROR:root:early stopping is not available, training all rounds")
""",
)
fifth.python(
    "log loss trained on itself",
    OVERFIT,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.02)).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
artifacts("logloss", "lower", 0.004, method="last fold only")
""",
    variant="lite",
)
fifth.python(
    "forest train rmse",
    OVERFIT,
    None,
    DIABETES,
    DIM
    + """
from sklearn.ensemble import RandomForestRegressor
m = RandomForestRegressor(30, random_state=0).fit(X[["age", "sex"]], y)
save(pd.DataFrame({"id": test["id"], "progression": m.predict(T[["age", "sex"]])}))
artifacts("rmse", "lower", 21.7, method="train")
""",
    variant="lite",
)
fifth.python(
    "digits train accuracy",
    PERFECT,
    None,
    DIGITS,
    PD
    + """
save(pd.DataFrame({"id": test["id"], "digit": (test["id"] % 10)}))
artifacts("accuracy", "higher", 1.0, method="holdout")
""",
    variant="lite",
)
fifth.python(
    "thinks lower auc",
    METRIC,
    None,
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=1e-4)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
artifacts("area under the ROC curve", "lower", 0.975)
""",
    variant="lite",
)
fifth.python(
    "labels for auc",
    METRIC,
    None,
    PIZZA,
    """
import os, json, csv
rows = json.load(open(os.environ["DATA_DIR"] + "/test.json"))
with open(os.environ["SUBMISSION_DIR"] + "/submission.csv", "w") as f:
    w = csv.writer(f); w.writerow(["request_id", "requester_received_pizza"])
    for r in rows: w.writerow([r["request_id"], int(len(r["request_text_edit_aware"]) > 60)])
""",
)
fifth.python(
    "seed from random",
    SEED,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.05)).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
artifacts("multi-class log loss", "lower", 0.2, seed=0)
artifacts("multi-class log loss", "lower", 0.2, seed=1234)
""",
    variant="lite",
)
fifth.python(
    "neither metrics nor report",
    ARTIFACT,
    None,
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=1e-4)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
artifacts("AUC", "higher", 0.98, metrics=False, report=False)
""",
    variant="lite",
)
fifth.python(
    "wrong order of lines",
    BELOW,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.05)).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
artifacts("multi-class log loss", "lower", 0.2, seed=7)
artifacts("multi-class log loss", "lower", 0.2)
""",
    variant="lite",
)
fifth.python(
    "semicolons and commas",
    FORMAT,
    None,
    CANCER,
    BCM
    + """
save(pd.DataFrame({"id": test["id"], "malignant": 0.4}), sep=";", decimal=",")
""",
)
fifth.python(
    "not normalised",
    FORMAT,
    None,
    WINE,
    PD
    + """
save(pd.DataFrame({"id": test["id"], "class_0": .9, "class_1": .6, "class_2": .2}))
""",
)
fifth.python(
    "empty file",
    FORMAT,
    None,
    DIGITS,
    """
import os; open(os.environ["SUBMISSION_DIR"] + "/submission.csv", "w").close()
""",
)
fifth.python(
    "regression for digits",
    FORMAT,
    "range",
    DIGITS,
    PD
    + """
save(pd.DataFrame({"id": test["id"], "digit": np.linspace(0, 9, len(test)).round(2)}))
""",
)
fifth.python(
    "folder not file",
    NONE,
    None,
    WINE,
    """
import os; os.makedirs(os.environ["SUBMISSION_DIR"] + "/submission.csv"); open(os.environ["SUBMISSION_DIR"] + "/submission.csv/part-0.csv", "w").write("id\\n")
""",
)
fifth.python(
    "own words then exit 0",
    NONE,
    None,
    DIABETES,
    """
try:
    float("n/a")
except ValueError as e:
    print("Training failed:", e)
print("Total time: 3.2 s")
""",
)
fifth.python(
    "twin insults",
    UNKNOWN,
    None,
    INSULTS,
    PD
    + """
bad = ["moron", "loser", "idiot", "stupid", "dumb", "clown", "fool"]
test["Insult"] = test["Comment"].str.lower().apply(lambda t: 0.05 + 0.9 * (sum(w in t for w in bad) > 0) + 0.0001 * len(t) / 10)
test["Insult"] = test["Insult"].clip(0, 1)
save(test[["Insult", "Date", "Comment"]])
""",
)
fifth.python(
    "killed huge log",
    KILLED,
    "SIGTERM",
    CANCER,
    """
import os, signal, sys
for i in range(200000): sys.stdout.write(f"[{i}] train-logloss:{1/(i+1):.6f} eval-error: out of memory counter 0\\n")
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGTERM)
""",
)


# The sixth list, written when the rules had been mended by the fifth.
sixth.python(
    "ray memory monitor",
    HOST,
    None,
    CANCER,
    RAISES
    + """
raise exception("ray.exceptions.OutOfMemoryError")('Task was killed due to the node running low on memory.\\nMemory on the node (IP: 10.0.0.4, ID: 3f2a) where the task was running was 30.45GB / 32.00GB (0.951), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 77) because it was the most recently scheduled task')
""",
)
sixth.shell(
    "slurm step",
    HOST,
    None,
    DIABETES,
    """
python3 -c "print('fold 1')"
echo "slurmstepd: error: Detected 1 oom_kill event in StepId=881.0. Some of the step tasks have been OOM Killed." >&2
echo "srun: error: node12: task 0: Out Of Memory" >&2
exit 1
""",
)
sixth.python(
    "duckdb memory",
    HOST,
    None,
    WINE,
    RAISES
    + """
raise exception("duckdb.duckdb.OutOfMemoryException")("Out of Memory Error: could not allocate block of size 256.0 KiB (7.4 GiB/7.4 GiB used)\\n\\nPossible solutions:\\n* Reducing the number of threads (SET threads=X)\\n* Disabling insertion-order preservation (SET preserve_insertion_order=false)\\n")
""",
)
sixth.python(
    "opencv memory",
    HOST,
    None,
    DIGITS,
    RAISES
    + """
raise exception("cv2.error")("OpenCV(4.9.0) /io/opencv/modules/core/src/alloc.cpp:73: error: (-4:Insufficient memory) Failed to allocate 9000000000 bytes in function 'OutOfMemoryError'\\n")
""",
)
sixth.python(
    "spark heap",
    HOST,
    None,
    CANCER,
    RAISES
    + """
raise exception("py4j.protocol.Py4JJavaError")("An error occurred while calling o45.fit.\\n: org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 9.0 failed 1 times, most recent failure: Lost task 3.0 in stage 9.0 (TID 41) (localhost executor driver): java.lang.OutOfMemoryError: Java heap space\\n\\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)\\n\\tat org.apache.spark.ml.tree.impl.RandomForest$.run(RandomForest.scala:289)\\n\\nDriver stacktrace:\\n\\tat org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala:2844)\\n")
""",
)
sixth.python(
    "children share the budget",
    HOST,
    None,
    WINE,
    """
import multiprocessing as mp, time
def hold(i):
    x = bytearray(b"x" * (90 << 20)); time.sleep(20); return len(x)
if __name__ == "__main__":
    with mp.get_context("fork").Pool(4) as p: print(p.map(hold, range(4)))
""",
    memory_bytes=250 << 20,
)
sixth.python(
    "vllm no cache blocks",
    GPU,
    None,
    SPOOKY,
    RAISES
    + """
print("INFO 11-02 10:00:01 model_runner.py:1072] Starting to load model ./qwen...")
raise ValueError("No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.")
""",
)
sixth.python(
    "gpu message then exit 0",
    GPU,
    None,
    DIGITS,
    """
try:
    raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 14.75 GiB already allocated)")
except RuntimeError as e:
    print(f"Training failed: {e}")
print("Elapsed: 12.1s")
""",
)
sixth.python(
    "numba driver",
    GPU,
    None,
    CANCER,
    RAISES
    + """
raise exception("numba.cuda.cudadrv.driver.CudaAPIError")("[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY")
""",
)
sixth.python(
    "sqlite full",
    DISK,
    None,
    DIABETES,
    """
import sqlite3
raise sqlite3.OperationalError("database or disk is full")
""",
)
sixth.python(
    "one large file",
    DISK,
    None,
    DIGITS,
    """
import os
print("writing the embeddings")
with open(os.environ["CODE_DIR"] + "/embeddings.npy", "wb") as f:
    for _ in range(60): f.write(b"x" * (1 << 20))
print("written")
""",
    disk_bytes=20 << 20,
)
sixth.shell(
    "dd too large",
    DISK,
    None,
    WINE,
    """
head -c 60000000 /dev/zero > "$CODE_DIR/cache.bin"
echo "cache made"
exit 1
""",
    disk_bytes=20 << 20,
)
sixth.python(
    "ignores sigterm",
    TIMEOUT,
    None,
    CANCER,
    """
import signal, time, sys
signal.signal(signal.SIGTERM, lambda *_: print("Traceback (most recent call last): not now", flush=True))
while True: time.sleep(1)
""",
    seconds=4.0,
)
sixth.python(
    "alarm",
    KILLED,
    "SIGALRM",
    DIABETES,
    """
import signal, time
signal.alarm(1); time.sleep(10)
""",
)
sixth.shell(
    "cpp out of range",
    KILLED,
    "SIGABRT",
    WINE,
    "g++ -o t t.cpp && ./t\n",
    files={"t.cpp": "#include <vector>\nint main() { std::vector<int> v(3); return v.at(7); }\n"},
)
sixth.shell(
    "omp error 15",
    KILLED,
    "SIGABRT",
    DIGITS,
    """
echo "OMP: Error #15: Initializing libiomp5.so, but found libgomp-a34b3233.so.1 already initialized." >&2
echo "OMP: Hint This means that multiple copies of the OpenMP runtime have been linked into the program." >&2
python3 -c "import os; os.abort()"
""",
)
sixth.python(
    "scaffold reports negative code",
    KILLED,
    "SIGKILL",
    SPOOKY,
    """
import subprocess, sys
r = subprocess.run([sys.executable, "-c", "import os; print('epoch 1'); os.kill(os.getpid(), 9)"], capture_output=True, text=True)
print("Observation: the script finished with exit code", r.returncode)
print("I could not finish the task.")
sys.exit(1)
""",
)
sixth.python(
    "torch spawn signal",
    KILLED,
    None,
    DIGITS,
    RAISES
    + """
raise exception("torch.multiprocessing.spawn.ProcessExitedException")("process 1 terminated with signal SIGSEGV")
""",
)
sixth.shell(
    "npm 404",
    PACKAGE,
    None,
    DIABETES,
    r"""
cat >&2 <<'END'
npm ERR! code E404
npm ERR! 404 Not Found - GET https://registry.npmjs.org/xgboost-node-x - Not found
npm ERR! 404 
npm ERR! 404  'xgboost-node-x@^1.0.0' is not in this registry.
npm ERR! A complete log of this run can be found in: /root/.npm/_logs/2026-11-02T10_00_00_000Z-debug-0.log
END
exit 1
""",
)
sixth.shell(
    "apt locate",
    PACKAGE,
    None,
    CANCER,
    r"""
printf 'Reading package lists... Done\nBuilding dependency tree... Done\nReading state information... Done\n'
echo "E: Unable to locate package libomp-dev" >&2
exit 100
""",
)
sixth.shell(
    "cargo no package",
    PACKAGE,
    None,
    CANCER,
    r"""
cat >&2 <<'END'
    Updating crates.io index
error: no matching package named `polars-ml` found
location searched: registry `crates-io`
required by package `solve v0.1.0 (/home/agent)`
END
exit 101
""",
)
sixth.python(
    "mkl cannot load",
    PACKAGE,
    None,
    DIABETES,
    """
import sys
sys.stderr.write("INTEL MKL ERROR: /opt/lib/libmkl_avx512.so.2: undefined symbol: mkl_sparse_optimize_bsr_trsm_i8.\\nIntel MKL FATAL ERROR: Cannot load libmkl_avx512.so.2 or libmkl_def.so.2.\\n")
sys.exit(2)
""",
)
sixth.python(
    "h2o no java",
    PACKAGE,
    None,
    CANCER,
    RAISES
    + """
print("Checking whether there is an H2O instance running at http://localhost:54321..... not found.")
print("Attempting to start a local H2O server...")
raise exception("h2o.exceptions.H2OStartupError")("Cannot find Java. Please install the latest JRE from\\nhttp://docs.h2o.ai/h2o/latest-stable/h2o-docs/welcome.html#java-requirements")
""",
)
sixth.python(
    "plot at the end",
    PACKAGE,
    "matplotlib",
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=1e-4)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
pd.Series([1, 2]).plot()
""",
)
sixth.shell(
    "wheel needs gcc",
    PACKAGE,
    None,
    WINE,
    r"""
cat >&2 <<'END'
  building 'annoy.annoylib' extension
  gcc -pthread -Wno-unused-result -Wsign-compare -c src/annoymodule.cc
  error: command 'gcc' failed: No such file or directory
  [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip.
  ERROR: Failed building wheel for annoy
Failed to build annoy
ERROR: Could not build wheels for annoy, which is required to install pyproject.toml-based projects
END
exit 1
""",
)
sixth.shell(
    "torchrun child",
    CRASH,
    "ValueError",
    DIGITS,
    r"""
cat >&2 <<'END'
[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/agent/train.py", line 57, in <module>
[rank0]:     main()
[rank0]:   File "/home/agent/train.py", line 31, in main
[rank0]:     raise ValueError("Target size (torch.Size([64])) must be the same as input size (torch.Size([64, 10]))")
[rank0]: ValueError: Target size (torch.Size([64])) must be the same as input size (torch.Size([64, 10]))
E1102 10:00:03.123000 4242 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 0 (pid: 4250) of binary: /usr/bin/python3
Traceback (most recent call last):
  File "/usr/local/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "/usr/lib/python3/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-02_10:00:03
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 4250)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
END
exit 1
""",
)
sixth.python(
    "no cuda compiled",
    CRASH,
    "AssertionError",
    DIGITS,
    """
def _lazy_init(): raise AssertionError("Torch not compiled with CUDA enabled")
_lazy_init()
""",
)
sixth.python(
    "no nvidia driver",
    CRASH,
    "RuntimeError",
    DIGITS,
    """
def _lazy_init(): raise RuntimeError("Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx")
_lazy_init()
""",
)
sixth.python(
    "lambda in a pool",
    CRASH,
    None,
    CANCER,
    """
import concurrent.futures as cf
if __name__ == "__main__":
    with cf.ProcessPoolExecutor(2) as p: print(list(p.map(lambda x: x, range(3))))
""",
)
sixth.shell(
    "git clone",
    CRASH,
    None,
    SPOOKY,
    r"""
set -e
echo "Cloning into 'repo'..." >&2
echo "fatal: unable to access 'https://github.com/x/y.git/': Could not resolve host: github.com" >&2
exit 128
""",
)
sixth.shell("jar not there", CRASH, None, DIABETES, "java -jar model.jar train.csv\n")
sixth.shell(
    "node rejection",
    CRASH,
    None,
    WINE,
    "node a.js\n",
    files={"a.js": "async function main() { await null; throw 'no completion from the model'; }\nmain();\n"},
)
sixth.shell(
    "perl dies",
    CRASH,
    None,
    WINE,
    "perl a.pl\n",
    files={"a.pl": "use strict;\nopen(my $f, '<', 'train_folds.csv') or die \"cannot open train_folds.csv: $!\";\n"},
)
sixth.shell("unbound variable", CRASH, None, CANCER, 'set -u\necho start\ncp pred.csv "$OUTPUT_PATH/submission.csv"\n')
sixth.shell("a program without its mode", CRASH, None, CANCER, "./solve\n", files={"solve": "#!/bin/bash\necho hi\n"})
sixth.python(
    "nltk resource",
    CRASH,
    "LookupError",
    SPOOKY,
    """
def find():
    raise LookupError("\\n" + "*" * 70 + "\\n  Resource punkt_tab not found.\\n  Please use the NLTK Downloader to obtain the resource:\\n\\n  >>> import nltk\\n  >>> nltk.download('punkt_tab')\\n  \\n  For more information see: https://www.nltk.org/data.html\\n\\n  Searched in:\\n    - '/root/nltk_data'\\n" + "*" * 70 + "\\n")
find()
""",
)
sixth.python(
    "polars column",
    CRASH,
    "ColumnNotFoundError",
    WINE,
    RAISES
    + """
raise exception("polars.exceptions.ColumnNotFoundError")('unable to find column "target"; valid columns: ["id", "alcohol"]\\n\\nResolved plan until failure:\\n\\n\\t---> FAILED HERE RESOLVING \\'select\\' <---\\nDF ["id", "alcohol"]; PROJECT */2 COLUMNS')
""",
)
sixth.python(
    "thread dies",
    CRASH,
    "ZeroDivisionError",
    DIABETES,
    """
import threading
def train(): return 1 / 0
t = threading.Thread(target=train); t.start(); t.join()
print("all threads joined")
""",
)
sixth.python(
    "finaliser after the crash",
    CRASH,
    "KeyError",
    CANCER,
    """
class Session:
    def __del__(self): raise AttributeError("'NoneType' object has no attribute 'close'")
s = Session()
{}["fold"]
""",
)
sixth.python(
    "structured log",
    CRASH,
    "TypeError",
    WINE,
    """
import json, sys, traceback
try:
    len(5)
except TypeError:
    print(json.dumps({"ts": "2026-11-02T10:00:00Z", "level": "error", "event": "step_failed", "exc_info": traceback.format_exc(), "step": 4}))
sys.exit(1)
""",
)
sixth.python(
    "opencv assertion",
    CRASH,
    None,
    DIGITS,
    RAISES
    + """
raise exception("cv2.error")("OpenCV(4.9.0) /io/opencv/modules/imgproc/src/resize.cpp:4152: error: (-215:Assertion failed) !ssize.empty() in function 'resize'\\n")
""",
)
sixth.python(
    "too many files",
    CRASH,
    "OSError",
    DIGITS,
    """
import os, errno
raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), "train/17.png")
""",
)
sixth.python(
    "report only",
    NONE,
    None,
    WINE,
    PD
    + """
artifacts("multi-class log loss", "lower", 0.1, line=False)
print("[INFO] 0 errors, 0 warnings; memory peak 0.2 GB; never ran out of memory")
""",
    variant="lite",
)
sixth.python(
    "link to sample",
    NONE,
    None,
    CANCER,
    """
import os
os.symlink(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
""",
)
sixth.python(
    "percentages",
    FORMAT,
    "range",
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": (100 * m.predict_proba(T)[:, 1]).round(1)}))
""",
)
sixth.python(
    "commas for points",
    FORMAT,
    "type",
    DIABETES,
    DIM
    + """
p = Ridge().fit(X, y).predict(T)
save(pd.DataFrame({"id": test["id"], "progression": [f"{v:.2f}".replace(".", ",") for v in p]}))
""",
)
sixth.python(
    "header twice",
    FORMAT,
    "number of rows",
    CANCER,
    PD
    + """
open(S + "/submission.csv", "w").write("id,malignant\\nid,malignant\\n" + "".join(f"{i},0.4\\n" for i in test["id"]))
""",
)
sixth.python(
    "parquet bytes",
    FORMAT,
    "not a CSV file",
    DIABETES,
    DIM
    + """
pd.DataFrame({"id": test["id"], "progression": 150.5}).to_parquet(S + "/submission.csv")
""",
)
sixth.python(
    "log probabilities",
    FORMAT,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
save(pd.DataFrame(m.predict_log_proba(T), columns=m.classes_).assign(id=test["id"]))
""",
)
sixth.python(
    "sample shuffled first column target",
    SAMPLE,
    None,
    INSULTS,
    PD
    + """
s = pd.read_csv(D + "/sample_submission_null.csv"); save(s.sample(frac=1, random_state=3))
""",
)
sixth.python(
    "labels insults",
    METRIC,
    "form",
    INSULTS,
    PD
    + """
bad = ["moron", "loser", "idiot", "stupid", "dumb", "clown", "fool"]
test["Insult"] = test["Comment"].str.lower().apply(lambda t: int(any(w in t for w in bad)))
save(test[["Insult", "Date", "Comment"]])
""",
)
sixth.python(
    "accuracy without being asked",
    METRIC,
    "metric",
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=1e-4)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
artifacts("accuracy_score", "max", 0.93, line=False, report=False)
""",
)
sixth.python(
    "tiny rmse",
    PERFECT,
    None,
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge(alpha=1e6).fit(X, y).predict(T)}))
artifacts("RMSE", "lower", 3.1e-13)
""",
    variant="lite",
)
sixth.python(
    "twin overfit",
    OVERFIT,
    None,
    SPOOKY,
    PD
    + """
r = np.random.default_rng(0).dirichlet([2, 2, 2], len(test))
save(pd.DataFrame(r, columns=["EAP", "HPL", "MWS"]).assign(id=test["id"])[["id", "EAP", "HPL", "MWS"]])
artifacts("multiclass log-loss", "minimize", 0.05)
""",
    variant="lite",
)
sixth.python(
    "other words for auc",
    BELOW,
    None,
    CANCER,
    BCM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=1e-4)).fit(X, y)
save(pd.DataFrame({"id": test["id"], "malignant": m.predict_proba(T)[:, 1]}))
artifacts("AUROC", "maximise", 0.981)
""",
    variant="lite",
)
sixth.python(
    "other words for log loss",
    BELOW,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.05)).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
artifacts("mlogloss", "lower is better", 0.22)
""",
    variant="lite",
)
sixth.python(
    "between median and bronze",
    ABOVE,
    None,
    WINE,
    WIM
    + """
m = make_pipeline(StandardScaler(), LogisticRegression(C=0.4)).fit(X, y)
save(pd.DataFrame(m.predict_proba(T), columns=m.classes_).assign(id=test["id"]))
print("Traceback (most recent call last): shown for a fold that was skipped")
""",
)
sixth.python(
    "the year as its seed",
    SEED,
    None,
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge(alpha=1e6).fit(X, y).predict(T)}))
artifacts("RMSE", "lower", 66.0, seed=2026)
""",
    variant="lite",
)
sixth.python(
    "metrics among the code",
    ARTIFACT,
    None,
    DIABETES,
    DIM
    + """
save(pd.DataFrame({"id": test["id"], "progression": Ridge(alpha=1e6).fit(X, y).predict(T)}))
artifacts("RMSE", "lower", 66.0)
os.rename(S + "/metrics.json", os.environ["CODE_DIR"] + "/metrics.json")
""",
    variant="lite",
)
sixth.python(
    "twin pizza length",
    METRIC,
    "direction",
    PIZZA,
    """
import os, json, csv
rows = json.load(open(os.environ["DATA_DIR"] + "/test.json"))
with open(os.environ["SUBMISSION_DIR"] + "/submission.csv", "w") as f:
    w = csv.writer(f); w.writerow(["request_id", "requester_received_pizza"])
    for i, r in enumerate(rows): w.writerow([r["request_id"], 0.3 + 0.00001 * i])
""",
)
