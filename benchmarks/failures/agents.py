"""Agents that fail, each in its own way, and the cause that the failure analysis should find.

Each is a program in Python or for bash that runs in the folder of a real run. `WINE` has log loss and three
probabilities, `CANCER` has ROC AUC and one probability, `DIABETES` a squared error, `DIGITS` accuracy; `TITANIC` is a
twin. The causes were written down before the analysis saw the runs.
"""

# ruff: noqa: E501 (a table of programs)

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

WINE, CANCER, DIABETES, DIGITS = "practice-wine", "practice-breast-cancer", "practice-diabetes", "practice-digits"
TITANIC = "spaceship-titanic"
BOTH = (WINE, CANCER)

# What every program begins with.
START = """
import json, os, sys
import numpy as np, pandas as pd
data, out, code = (os.environ[name] for name in ("DATA_DIR", "SUBMISSION_DIR", "CODE_DIR"))
seed = int(os.environ["SEED"])
sample = pd.read_csv(f"{data}/sample_submission.csv")
train, test = pd.read_csv(f"{data}/train.csv"), pd.read_csv(f"{data}/test.csv")
targets = list(sample.columns[1:])
label = next(name for name in train if name not in test)
rng = np.random.default_rng(seed)

def weak(scale=0.3):
    '''Predictions a little better than the sample.'''
    frame = sample.copy()
    feature = test.columns[2]
    rank = test[feature].rank(pct=True).to_numpy()
    if len(targets) == 1:
        sign = np.sign(np.corrcoef(train[feature], train[label])[0, 1])
        frame[targets[0]] = 0.5 + sign * scale * (rank - 0.5) * 0.5 + 0.2 * rng.normal(size=len(frame))
        frame[targets[0]] = frame[targets[0]].clip(0.01, 0.99)
    else:
        frame[targets] = rng.dirichlet([6] * len(targets), len(frame))
    return frame

def hand_in(frame):
    frame.to_csv(f"{out}/submission.csv", index=False)

def leave(metric=None, direction=None, score=0.5, report=True):
    if metric:
        values = dict(metric=metric, direction=direction, validation_score=score, validation_method="5 folds")
        json.dump(values, open(f"{out}/metrics.json", "w"))
    if report:
        open(f"{out}/report.md", "w").write("# Model\\nA random guess was made.\\n# Preprocessing\\nThere was none at "
            "all.\\n# Decisions\\nNothing was decided here.\\n")

def result(seed):
    print("MLE_BENCH_LITE_RESULT=" + json.dumps(dict(seed=seed, runtime_seconds=1, peak_memory_mb=100, artifacts=[],
        tasks=[], replay=dict(command="python agent.py", seed=seed))))

own = ("log loss", "lower") if len(targets) > 1 else ("AUC", "higher")
"""


@dataclass(frozen=True)
class FailingAgent:
    """A program, the cause that it should be found to have failed of, and the conditions it needs."""

    name: str
    program: str
    cause: str
    detail: str | None = None
    competitions: tuple[str, ...] = BOTH
    variant: str = "published"
    limits: dict[str, Any] = field(default_factory=dict)
    bare: bool = False  # the program without START
    shell: bool = False  # the program is for bash, in which `python` is the interpreter of the tests
    files: dict[str, str] = field(default_factory=dict)  # what lies beside the program

    def on_one_competition(self) -> FailingAgent:
        """The same on the first of its competitions only."""
        return replace(self, competitions=self.competitions[:1])


FIRST = [
    FailingAgent("does nothing", "print('thinking'); print('I am done.')", "no submission", bare=True),
    FailingAgent("writes elsewhere", "sample.to_csv(f'{code}/submission.csv')", "no submission"),
    FailingAgent("another name", "sample.to_csv(f'{out}/predictions.csv')", "no submission"),
    FailingAgent("copies the sample", "import shutil; shutil.copy(f'{data}/sample_submission.csv', f'{out}/submission.csv')", "sample handed in"),
    FailingAgent("writes the sample again", "hand_in(sample.iloc[::-1])", "sample handed in"),
    FailingAgent("falls back to the sample", "hand_in(sample)\ntry:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print('fallback:', error)", "sample handed in"),
    FailingAgent("lacks rows", "hand_in(weak().iloc[:-5])", "format", "number of rows"),
    FailingAgent("lacks a column", "hand_in(weak().rename(columns={targets[0]: 'prediction'}))", "format", "columns"),
    FailingAgent("wrong ids", "frame = weak(); frame['id'] = range(900000, 900000 + len(frame)); hand_in(frame)", "format", "ids"),
    FailingAgent("repeats ids", "frame = weak(); frame.loc[1, 'id'] = frame.loc[0, 'id']; hand_in(frame)", "format", "ids"),
    FailingAgent("empty cells", "frame = weak(); frame.loc[3, targets[0]] = None; hand_in(frame)", "format", "empty cells"),
    FailingAgent("text for numbers", "frame = weak().astype(object); frame[targets[0]] = 'high'; hand_in(frame)", "format", "type"),
    FailingAgent("a web page", "open(f'{out}/submission.csv', 'w').write('<!DOCTYPE html><html><body>429</body></html>')", "format", "not a CSV file"),
    FailingAgent("an empty file", "open(f'{out}/submission.csv', 'w')", "format", "empty file"),
    FailingAgent("UTF-16", "weak().to_csv(f'{out}/submission.csv', index=False, encoding='utf-16')", "format", "encoding"),
    FailingAgent("sleeps", "import time\nhand_in(sample)\nwhile True: time.sleep(1)", "timeout", limits={"seconds": 3.0}),
    FailingAgent("trains for ever", "while True: np.linalg.svd(rng.normal(size=(200, 200)))", "timeout", limits={"seconds": 4.0}),
    FailingAgent("takes all memory", "hoard = []\nwhile True: hoard.append(np.ones(4_000_000)); print(len(hoard), flush=True)", "out of memory (host)", limits={"memory_bytes": 500 << 20}),
    FailingAgent("asks for a huge array", "np.ones((1 << 40,))", "out of memory (host)"),
    FailingAgent("a GPU that is full", "class OutOfMemoryError(RuntimeError): pass\nraise OutOfMemoryError('CUDA out of memory. Tried to allocate 20.00 GiB (GPU 0; 23.69 GiB total capacity)')", "out of memory (GPU)"),
    FailingAgent("is killed", "import signal\nprint('epoch 1', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)", "killed by the system", "SIGKILL"),
    FailingAgent("segmentation fault", "import ctypes\nctypes.string_at(0)", "killed by the system", "SIGSEGV"),
    FailingAgent("package missing", "import pytorch_tabular", "package missing", "pytorch_tabular"),
    FailingAgent("program missing", "import subprocess\nsys.exit(subprocess.call('kaggle-train --fast', shell=True))", "package missing"),
    FailingAgent("crashes", "train['no such column']", "crash", "KeyError"),
    FailingAgent("crashes with chained exceptions", "try:\n    train['x']\nexcept KeyError as error:\n    raise ValueError('cannot train') from error", "crash", "ValueError"),
    FailingAgent("crashes after a submission", "hand_in(weak())\nassert False, 'late'", "crash", "AssertionError"),
    FailingAgent("gives up", "print('giving up'); sys.exit(3)", "crash", "exit code 3"),
    FailingAgent("fills the output", "while True: print('x' * 100_000)", "disk or output budget", "output", limits={"output_bytes": 5 << 20}),
    FailingAgent("inverted", "frame = weak(3); frame[targets[0]] = 1 - frame[targets[0]]; hand_in(frame)", "metric misunderstood", "direction", (CANCER,)),
    FailingAgent("labels for probabilities", "frame = weak(); chosen = np.eye(len(targets))[rng.integers(0, len(targets), len(frame))] if len(targets) > 1 else (rng.random((len(frame), 1)) > 0.5)\nframe[targets] = chosen.astype(int); hand_in(frame)", "metric misunderstood", None),
    FailingAgent("the wrong metric", "hand_in(weak()); leave('RMSE', 'lower', 0.4)", "metric misunderstood", "metric"),
    FailingAgent("the wrong direction", "hand_in(weak()); leave(own[0], 'lower' if own[1] == 'higher' else 'higher', 0.4)", "metric misunderstood", "direction"),
    FailingAgent("the wrong seed", "hand_in(weak()); leave(*own); result(seed + 41)", "wrong seed", variant="lite"),
    FailingAgent("no artifacts", "hand_in(weak()); result(seed)", "missing artifact", variant="lite"),
    FailingAgent("no report", "hand_in(weak()); leave(*own, report=False); result(seed)", "missing artifact", "report.md", variant="lite"),
    FailingAgent("leaks", "hand_in(weak()); leave(*own, score=0.0 if own[1] == 'lower' else 1.0)", "suspiciously perfect"),
    FailingAgent("overfits", "hand_in(weak()); leave(*own, score=0.02 if own[1] == 'lower' else 0.99)", "overfitting"),
    FailingAgent("is weak", "hand_in(weak())", "below median"),
    FailingAgent("is weak and knows it", "hand_in(weak()); leave(*own, score=1.2 if own[1] == 'lower' else 0.5); result(seed)", "below median", variant="lite"),
    FailingAgent("script not there","import subprocess; sys.exit(subprocess.call([sys.executable,'nothere.py']))","crash", competitions=(WINE,)),
    FailingAgent("nan in sklearn","from sklearn.linear_model import LogisticRegression\nx=test.iloc[:,1:].copy(); x.iloc[0,0]=None\nLogisticRegression().fit(x,[0,1]*(len(x)//2)+[0]*(len(x)%2))","crash","ValueError", competitions=(WINE,)),
    FailingAgent("Rscript","import os\nos.execvp('bash',['bash','-c','Rscript train.R'])","package missing", competitions=(WINE,)),
    FailingAgent("traceback exit 0","import traceback\ntry:\n    train['q']\nexcept KeyError: traceback.print_exc()","crash","KeyError", competitions=(WINE,)),
    FailingAgent("child memory","import subprocess\nsys.exit(subprocess.call([sys.executable,'-c','x=bytearray(1<<45)']))","out of memory (host)", competitions=(WINE,)),
    FailingAgent("gzip","import gzip; gzip.open(f'{out}/submission.csv','wb').write(b'id,a\\n1,2\\n')","format","not a CSV file", competitions=(WINE,)),
    FailingAgent("header only","hand_in(weak().iloc[:0])","format", competitions=(WINE,)),
    FailingAgent("semicolons","weak().to_csv(f'{out}/submission.csv',index=False,sep=';')","format","separator", competitions=(WINE,)),
    FailingAgent("text nan","weak().replace({targets[0]:{}}).assign(**{targets[0]:'nan'}).to_csv(f'{out}/submission.csv',index=False)","format","empty cells", competitions=(WINE,)),
    FailingAgent("folder","os.mkdir(f'{out}/submission.csv')","no submission", competitions=(WINE,)),
    FailingAgent("link","os.symlink(f'{data}/sample_submission.csv', f'{out}/submission.csv')","no submission", competitions=(WINE,)),
    FailingAgent("recursion","def f(n): return f(n+1)\nf(0)","crash","RecursionError", competitions=(WINE,)),
    FailingAgent("abort","os.abort()","killed by the system","SIGABRT", competitions=(WINE,)),
    FailingAgent("cannot import name","from sklearn.linear_model import SuperRegression","package missing","SuperRegression", competitions=(WINE,)),
    FailingAgent("constant","f=sample.copy(); f[targets]=f[targets]*0+(0.9 if len(targets)==1 else 1/len(targets)); f[targets[0]]+=0.001*rng.random(len(f)); f[targets]=f[targets].div(f[targets].sum(axis=1),axis=0) if len(targets)>1 else f[targets]; hand_in(f)","below median", competitions=(WINE,)),
    FailingAgent("pip","print('ERROR: Could not find a version that satisfies the requirement torch (from versions: none)'); print('ERROR: No matching distribution found for torch'); sys.exit(1)","package missing", competitions=(WINE,)),
    FailingAgent("json","open(f'{out}/submission.csv','w').write(sample.to_json())","format","not a CSV file", competitions=(WINE,)),
    FailingAgent("tf gpu","print('tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,512]'); sys.exit(1)","out of memory (GPU)", competitions=(WINE,)),
    FailingAgent("joblib worker","from concurrent.futures import ProcessPoolExecutor\nimport functools\nif __name__=='__main__':\n    with ProcessPoolExecutor(1) as p: print(list(p.map(os._exit,[9])))","crash","BrokenProcessPool", competitions=(WINE,)),
    FailingAgent("bash killed child","import subprocess; sys.exit(subprocess.call(['bash','-c','kill -9 $$'])%256 or 137)","killed by the system", competitions=(WINE,)),
    FailingAgent("disk","f=open(f'{out}/big.bin','wb')\nwhile True: f.write(b'x'*(1<<20)); f.flush()","disk or output budget","disk",limits={"disk_bytes": 20 << 20}, competitions=(WINE,)),
    FailingAgent("thread deadlock","import threading\nl=threading.Lock(); l.acquire(); hand_in(weak()); l.acquire()","timeout",limits={"seconds":3.0}, competitions=(WINE,)),
    FailingAgent("KeyboardInterrupt","raise KeyboardInterrupt","crash","KeyboardInterrupt", competitions=(WINE,)),
    FailingAgent("torch missing caught","hand_in(sample)\ntry:\n    import torch_geometric\nexcept ImportError as e: print('fallback:', e)","sample handed in", competitions=(WINE,)),
    FailingAgent("extra rows","hand_in(pd.concat([weak(),weak().iloc[:3]]))","format", competitions=(WINE,)),
    FailingAgent("float ids","f=weak(); f['id']=f['id'].astype(str)+'_x'; hand_in(f)","format","type", competitions=(WINE,)),
    FailingAgent("probabilities percent","f=weak(); f[targets]*=100; hand_in(f)","format",None,(WINE,)),
    FailingAgent("negative","f=weak(); f[targets[0]]=-1.0; hand_in(f)","format",None,(WINE,)),
    FailingAgent("segfault after submission","hand_in(weak()); import ctypes; ctypes.string_at(0)","killed by the system", competitions=(WINE,)),
]  # fmt: skip

SECOND = [
    # Exceptions, as many programs print them.
    FailingAgent("text where numbers are", "def fit(table):\n    return [float(value) for value in table]\nfit(['1.5', 'N/A'])", "crash", "ValueError", (DIABETES,)),
    FailingAgent("an exception of its own", "import types\nerrors = types.ModuleType('autods.errors')\nclass DataError(Exception): pass\nDataError.__module__ = 'autods.errors'\nraise DataError('no usable features left')", "crash", "DataError", (WINE,)),
    FailingAgent("a group of exceptions", "raise ExceptionGroup('two folds failed', [ValueError('fold 1'), KeyError('fold 2')])", "crash", "ExceptionGroup", (WINE,)),
    FailingAgent("ends with a sentence", "sys.exit('Could not find the target column, giving up.')", "crash", "exit code 1", (WINE,)),
    FailingAgent("logs its exception and exits", "import logging\nlogging.basicConfig(format='%(asctime)s %(levelname)s %(message)s')\ntry:\n    len(5)\nexcept TypeError:\n    logging.exception('training failed')\n    sys.exit(1)", "crash", "TypeError", (WINE,)),
    FailingAgent("a prefix before every line", "import traceback\ntry:\n    [][1]\nexcept IndexError:\n    for line in traceback.format_exc().splitlines(): print('[12:00:01] [worker] ' + line)\n    sys.exit(1)", "crash", "IndexError", (WINE,)),
    FailingAgent("a message in other scripts", "raise ValueError('Spalte Größe fehlt: 数据缺失, столбец не найден')", "crash", "ValueError", (WINE,)),
    FailingAgent("logs as JSON", "print(json.dumps(dict(level='info', msg='start')))\nprint(json.dumps(dict(level='error', msg='failed', exception=\"KeyError: 'target'\")))\nsys.exit(1)", "crash", None, (WINE,)),
    FailingAgent("reads Latin-1", "open(f'{code}/notes.txt', 'wb').write(b'caf\\xe9')\nopen(f'{code}/notes.txt', encoding='utf-8').read()", "crash", "UnicodeDecodeError", (WINE,)),
    FailingAgent("a step takes too long", "import subprocess\nsubprocess.run(['sleep', '30'], timeout=1)", "crash", "TimeoutExpired", (WINE,)),
    FailingAgent("expects another machine", "pd.read_csv('/kaggle/input/wine/train.csv')", "crash", "FileNotFoundError", (WINE,)),
    FailingAgent("needs a service", "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/v1/models', timeout=2)", "crash", "URLError", (WINE,)),
    FailingAgent("a syntax error", "import numpy\nprint('training'\nmodel = 1\n", "crash", "SyntaxError", (WINE,), bare=True),
    FailingAgent("a worker's exception", "from multiprocessing import Pool\ndef work(n): return 1 / (n - 2)\nwith Pool(2) as pool: pool.map(work, range(4))", "crash", "ZeroDivisionError", (WINE,)),
    FailingAgent("a thread dies", "import threading\ndef train(): raise RuntimeError('loss is nan')\nthread = threading.Thread(target=train); thread.start(); thread.join()\nprint('finished')", "crash", "RuntimeError", (WINE,)),
    FailingAgent("a shell script goes on", "python - <<'X'\nimport json\njson.loads('{')\nX\necho 'All steps completed.'", "crash", "JSONDecodeError", (WINE,), shell=True),
    FailingAgent("an unset variable", "set -u\necho \"training on $TRAIN_FOLDER\"", "crash", None, (WINE,), shell=True),
    FailingAgent("a shell syntax error", "for fold in 1 2 3 do\n  echo $fold\ndone", "crash", None, (WINE,), shell=True),
    FailingAgent("a message of many lines", "raise LookupError('\\n' + '*' * 70 + '\\n  Resource punkt not found.\\n  Please use the downloader to obtain it:\\n' + '*' * 70 + '\\n')", "crash", "LookupError", (WINE,)),
    FailingAgent("a coloured traceback", "import traceback\ntry:\n    'a' + 1\nexcept TypeError:\n    sys.stderr.write('\\x1b[31m' + traceback.format_exc().replace('\\n', '\\x1b[0m\\n\\x1b[31m') + '\\x1b[0m')\n    sys.exit(1)", "crash", "TypeError", (WINE,)),
    FailingAgent("a boxed traceback", "print('''╭──────────────── Traceback (most recent call last) ─────────────────╮\n│ /home/agent/train.py:12 in <module>                                │\n│ ❱ 12 model.fit(X, y)                                               │\n╰────────────────────────────────────────────────────────────────────╯\nKeyError: 'price'\n''')\nsys.exit(1)", "crash", "KeyError", (WINE,)),
    FailingAgent("a notebook", "print('''nbclient.exceptions.CellExecutionError: An error occurred while executing the following cell:\n------------------\ndf.groupby(x)\n------------------\n\n\\x1b[0;31m---------------------------------------------------------------------------\\x1b[0m\n\\x1b[0;31mNameError\\x1b[0m                                 Traceback (most recent call last)\nCell \\x1b[0;32mIn[3], line 1\\x1b[0m\n\\x1b[0;32m----> 1\\x1b[0m df.groupby(x)\n\n\\x1b[0;31mNameError\\x1b[0m: name 'df' is not defined''')\nsys.exit(1)", "crash", None, (WINE,)),
    FailingAgent("an early error, a long log", "import traceback\ntry:\n    train['price']\nexcept KeyError: traceback.print_exc()\nfor step in range(60_000): print(f'cleaning up temporary file number {step:08d} of the cache')\nsys.exit(1)", "crash", None, (WINE,)),
    FailingAgent("progress bars before the end", "for step in range(2000): print(f'\\r{step / 20:5.1f} %|{\"#\" * (step // 100):20}|', end='', flush=True)\nraise ArithmeticError('the loss is not finite')", "crash", "ArithmeticError", (WINE,)),
    FailingAgent("a broken submission before a crash", "hand_in(weak().iloc[:3])\nraise OSError(5, 'Input/output error')", "crash", "OSError", (WINE,)),
    FailingAgent("a submission, then exit 1", "hand_in(weak()); print('validation failed'); sys.exit(1)", "crash", "exit code 1", (CANCER,)),
    # Packages, programs and libraries.
    FailingAgent("no interpreter", "node-nowhere train.js --epochs 10", "package missing", "node-nowhere", (WINE,), shell=True),
    FailingAgent("no interpreter by env", "printf '#!/usr/bin/env Rscript-4.9\\nlibrary(caret)\\n' > train.R; chmod +x train.R; ./train.R", "package missing", None, (WINE,), shell=True),
    FailingAgent("no interpreter by path", "printf '#!/opt/julia/bin/julia\\nusing CSV\\n' > train.jl; chmod +x train.jl; ./train.jl", "package missing", None, (WINE,), shell=True),
    FailingAgent("no package of R", "echo 'Error in library(xgboost) : there is no package called ‘xgboost’'; echo 'Execution halted'; exit 1", "package missing", "xgboost", (WINE,), shell=True),
    FailingAgent("no package of conda", "echo 'PackagesNotFoundError: The following packages are not available from current channels:'; echo; echo '  - catboost-gpu'; exit 1", "package missing", None, (WINE,), shell=True),
    FailingAgent("pip without an index", "set -e\npython -m pip install --no-index pytorch-tabnet-nowhere\npython -c 'print(1)'", "package missing", "pytorch-tabnet-nowhere", (WINE,), shell=True),
    FailingAgent("neither package", "try:\n    import lightgbm_nowhere\nexcept ImportError:\n    import catboost_nowhere", "package missing", "catboost_nowhere", (WINE,)),
    FailingAgent("a package it can do without", "import traceback\ntry:\n    import xgboost_nowhere\nexcept ModuleNotFoundError: traceback.print_exc()\nprint('going on without it')\ntrain['price']", "crash", "KeyError", (WINE,)),
    FailingAgent("a shared library", "import ctypes\nctypes.CDLL('libcudart_nowhere.so.11.0')", "package missing", "libcudart_nowhere.so.11.0", (WINE,)),
    FailingAgent("a module to run", "set -e\npython -m autogluon_nowhere.run --data $DATA_DIR", "package missing", "autogluon_nowhere", (WINE,), shell=True),
    FailingAgent("a distribution", "import importlib.metadata\nimportlib.metadata.version('xgboost-nowhere')", "package missing", "xgboost-nowhere", (WINE,)),
    FailingAgent("an optional dependency", "raise ImportError(\"Missing optional dependency 'openpyxl'. Use pip or conda to install openpyxl.\")", "package missing", "openpyxl", (WINE,)),
    FailingAgent("a program, in Spanish", "echo 'agent.sh: línea 1: entrenar-modelo: orden no encontrada' >&2; exit 127", "package missing", None, (WINE,), shell=True),
    FailingAgent("no such attribute", "import sklearn\nsklearn.no_such_module.fit()", "crash", "AttributeError", (WINE,)),
    # Memory.
    FailingAgent("memory, and then the sample", "hand_in(sample)\ntry:\n    np.ones((1 << 45,))\nexcept MemoryError as error: print('MemoryError handled:', error)", "sample handed in", None, (WINE,)),
    FailingAgent("memory was handled", "print('MemoryError handled, using chunks instead')\ntrain['price']", "crash", "KeyError", (WINE,)),
    FailingAgent("a smaller batch", "print('CUDA out of memory. Retrying with batch size 16')\nhand_in(weak())", "below median", None, (CANCER,)),
    FailingAgent("a smaller batch, another fault", "print('RuntimeError: CUDA out of memory caught; retrying with batch size 16')\nint('x')", "crash", "ValueError", (WINE,)),
    FailingAgent("torch is out of memory", "class OutOfMemoryError(RuntimeError): pass\nOutOfMemoryError.__module__ = 'torch.cuda'\nraise OutOfMemoryError('CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.2 GiB is free.')", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("a CUDA error", "raise RuntimeError('CUDA error: out of memory\\nCUDA kernel errors might be asynchronously reported at some other API call')", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("JAX is out of memory", "class XlaRuntimeError(RuntimeError): pass\nXlaRuntimeError.__module__ = 'jaxlib.xla_extension'\nraise XlaRuntimeError('RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34359738368 bytes.')", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("XGBoost on a GPU", "class XGBoostError(ValueError): pass\nXGBoostError.__module__ = 'xgboost.core'\nraise XGBoostError('[12:00:00] /workspace/src/tree/updater_gpu_hist.cu:781: Exception in gpu_hist: bad_alloc: cudaErrorMemoryAllocation: out of memory')", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("a C++ program", "echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; echo '  what():  std::bad_alloc' >&2; kill -ABRT $$", "out of memory (host)", None, (WINE,), shell=True),
    FailingAgent("a child takes it all", "python -c '\nhoard = []\nwhile True: hoard.append(b\"x\" * 20_000_000)'", "out of memory (host)", None, (WINE,), limits={"memory_bytes": 400 << 20}, shell=True),
    FailingAgent("a limit of its own", "ulimit -v 900000\npython -c 'x = [bytearray(1 << 26) for _ in range(40)]'", "out of memory (host)", None, (WINE,), shell=True),
    FailingAgent("Java", "echo 'Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space'; exit 1", "out of memory (host)", None, (WINE,), shell=True),
    FailingAgent("workers that die", "from joblib import Parallel, delayed\nimport signal\ndef die(n):\n    os.kill(os.getpid(), signal.SIGKILL)\nParallel(n_jobs=2)(delayed(die)(n) for n in range(2))", "killed by the system", "SIGKILL", (WINE,)),
    # Signals.
    FailingAgent("SIGTERM", "import signal\nos.kill(os.getpid(), signal.SIGTERM)", "killed by the system", None, (WINE,)),
    FailingAgent("an illegal instruction", "kill -ILL $$", "killed by the system", "SIGILL", (WINE,), shell=True),
    FailingAgent("a floating point exception", "kill -FPE $$", "killed by the system", None, (WINE,), shell=True),
    FailingAgent("a child is killed", "python -c 'import os; os.kill(os.getpid(), 9)'\nexit $?", "killed by the system", "SIGKILL", (WINE,), shell=True),
    FailingAgent("a fault that Python tells", "import faulthandler, ctypes\nfaulthandler.enable()\nctypes.string_at(1)", "killed by the system", "SIGSEGV", (WINE,)),
    FailingAgent("a segmentation fault, in German", "echo 'Speicherzugriffsfehler (Speicherabzug geschrieben)' >&2; exit 139", "killed by the system", "SIGSEGV", (WINE,), shell=True),
    FailingAgent("an interrupt that was handled", "print('KeyboardInterrupt caught in fold 2, going on')\nhand_in(weak())", "below median", None, (WINE,)),
    # Time, space and output.
    FailingAgent("improves until the end", "import time\nhand_in(weak())\nwhile True: time.sleep(0.1); hand_in(weak())", "timeout", None, (WINE,), limits={"seconds": 6.0}),
    FailingAgent("does not listen", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)", "timeout", None, (WINE,), limits={"seconds": 5.0}),
    FailingAgent("tries again and again", "import time\nwhile True: print('CUDA out of memory. Trying again.', flush=True); time.sleep(0.2)", "timeout", None, (WINE,), limits={"seconds": 5.0}),
    FailingAgent("a timer of its own", "raise TimeoutError('training exceeded the time that was planned for it')", "crash", "TimeoutError", (WINE,)),
    FailingAgent("many small files", "for number in range(100_000):\n    open(f'{code}/{number}.bin', 'wb').write(b'x' * 65536)", "disk or output budget", "disk", (WINE,), limits={"disk_bytes": 20 << 20}),
    FailingAgent("a full disk", "import errno\nraise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), f'{code}/cache.bin')", "disk or output budget", None, (WINE,)),
    FailingAgent("a verbose program with a submission", "hand_in(weak())\nwhile True: print('debug ' * 1000)", "disk or output budget", "output", (WINE,), limits={"output_bytes": 3 << 20}),
    # What was handed in.
    FailingAgent("no header", "weak().to_csv(f'{out}/submission.csv', index=False, header=False)", "format", "columns", (WINE,)),
    FailingAgent("tabs", "weak().to_csv(f'{out}/submission.csv', index=False, sep='\\t')", "format", "separator", (CANCER,)),
    FailingAgent("infinite", "frame = weak(); frame.loc[2, targets[0]] = float('inf'); hand_in(frame)", "format", "range", (DIABETES,)),
    FailingAgent("per cent signs", "frame = weak(); frame[targets[0]] = (100 * frame[targets[0]]).round(1).astype(str) + '%'; hand_in(frame)", "format", "type", (CANCER,)),
    FailingAgent("decimal commas", "frame = weak(); frame[targets[0]] = frame[targets[0]].map(lambda p: f'{p:.4f}'.replace('.', ',')); hand_in(frame)", "format", "type", (CANCER,)),
    FailingAgent("words for digits", "frame = sample.astype(object); frame['digit'] = 'seven'; hand_in(frame)", "format", None, (DIGITS,)),
    FailingAgent("digits that do not exist", "frame = sample.copy(); frame['digit'] = 10; hand_in(frame)", "format", "range", (DIGITS,)),
    FailingAgent("every row twice", "hand_in(pd.concat([weak(), weak()]))", "format", None, (CANCER,)),
    FailingAgent("a pickle", "weak().to_pickle(f'{out}/submission.csv')", "format", "not a CSV file", (WINE,)),
    FailingAgent("a parquet file", "weak().to_parquet(f'{out}/submission.csv')", "format", "not a CSV file", (CANCER,)),
    FailingAgent("Latin-1", "open(f'{out}/submission.csv', 'wb').write('id,class_0,class_1,class_2\\n1,é,0,0\\n'.encode('latin-1'))", "format", "encoding", (WINE,)),
    FailingAgent("nothing but blank lines", "open(f'{out}/submission.csv', 'w').write('\\n\\n\\n')", "format", "empty file", (WINE,)),
    FailingAgent("the training ids", "frame = weak(); frame['id'] = train['id'].to_numpy()[:len(frame)]; hand_in(frame)", "format", "ids", (WINE,)),
    FailingAgent("yes and no", "frame = sample.astype(object); frame['Transported'] = 'yes'; hand_in(frame)", "format", None, (TITANIC,)),
    FailingAgent("the sample, columns in another order", "hand_in(sample[sample.columns[::-1]].sample(frac=1, random_state=1))", "sample handed in", None, (WINE,)),
    FailingAgent("the sample with fewer decimals", "sample.to_csv(f'{out}/submission.csv', index=False, float_format='%.4f')", "format", "probabilities", (WINE,)),
    FailingAgent("the sample as decimals", "hand_in(sample.astype({'digit': float}))", "sample handed in", None, (DIGITS,)),
    FailingAgent("the sample after a traceback", "import traceback\nhand_in(sample)\ntry:\n    train['price']\nexcept KeyError: traceback.print_exc()", "sample handed in", None, (CANCER,)),
    FailingAgent("the sample of a twin", "hand_in(sample)", "sample handed in", None, (TITANIC,)),
    FailingAgent("asks a question", "echo 'Which of the two files should I use? Please answer.'", "no submission", None, (WINE,), shell=True),
    FailingAgent("capital letters", "weak().to_csv(f'{out}/Submission.CSV', index=False)", "no submission", None, (WINE,)),
    FailingAgent("a zip file", "weak().to_csv(f'{out}/submission.csv.zip', index=False)", "no submission", None, (WINE,)),
    FailingAgent("writes about errors", "print('# Notes\\nValueError: this is what one gets for wrong shapes.\\nKeyError: for missing columns.\\nI will hand in later.')", "no submission", None, (WINE,), bare=True),
    FailingAgent("its provider refuses", "print('openai 401 Unauthorized: invalid api key; stopping.')", "no submission", None, (WINE,), bare=True),
    # Valid, and not good enough.
    FailingAgent("the mean", "frame = sample.copy(); frame[targets[0]] = train[label].mean(); hand_in(frame)", "below median", None, (DIABETES,)),
    FailingAgent("a constant for a ranking", "frame = sample.copy(); frame[targets[0]] = 0.7; hand_in(frame)", "below median", None, (CANCER,)),
    FailingAgent("truth values for a ranking", "frame = weak(); frame[targets[0]] = frame[targets[0]] > 0.5; hand_in(frame)", "metric misunderstood", "form", (CANCER,)),
    FailingAgent("higher errors are better", "frame = sample.copy(); frame[targets[0]] = 140 + rng.normal(size=len(frame)); hand_in(frame); leave('RMSE', 'higher', 70.0)", "metric misunderstood", "direction", (DIABETES,)),
    FailingAgent("another metric", "frame = sample.copy(); frame[targets[0]] = 140 + rng.normal(size=len(frame)); hand_in(frame); leave('R2', 'higher', 0.4)", "metric misunderstood", None, (DIABETES,)),
    FailingAgent("validated on its training data", "frame = sample.copy(); frame['digit'] = rng.integers(0, 10, len(frame)); hand_in(frame); leave('accuracy', 'higher', 0.98)", "overfitting", None, (DIGITS,)),
    FailingAgent("an error far too small", "frame = sample.copy(); frame[targets[0]] = 140 + rng.normal(size=len(frame)); hand_in(frame); leave('root_mean_squared_error', 'minimize', 12.5)", "overfitting", None, (DIABETES,)),
    FailingAgent("an error of nothing", "frame = sample.copy(); frame[targets[0]] = 140 + rng.normal(size=len(frame)); hand_in(frame); leave('rmse', 'lower', 0.0)", "suspiciously perfect", None, (DIABETES,)),
    FailingAgent("all digits right", "frame = sample.copy(); frame['digit'] = rng.integers(0, 10, len(frame)); hand_in(frame); leave('accuracy', 'higher', 1.0)", "suspiciously perfect", None, (DIGITS,)),
    FailingAgent("another seed to replay", "hand_in(weak()); leave(*own)\nprint('MLE_BENCH_LITE_RESULT=' + json.dumps(dict(seed=seed, runtime_seconds=1, peak_memory_mb=1, artifacts=[], tasks=[], replay=dict(command='python x.py', seed=7))))", "wrong seed", None, (WINE,), variant="lite"),
    FailingAgent("no metrics", "hand_in(weak()); leave(); result(seed)", "missing artifact", "metrics.json", (CANCER,), variant="lite"),
    FailingAgent("no result line", "hand_in(weak()); leave(*own, score=1.3 if own[1] == 'lower' else 0.5)", "below median", None, (WINE,), variant="lite"),
    FailingAgent("guesses on a twin", "frame = sample.copy(); frame['Transported'] = rng.random(len(frame)) > 0.5; hand_in(frame)", "unknown", None, (TITANIC,)),
]  # fmt: skip

THIRD = [
    FailingAgent("a step lacks a package", "import subprocess\nsubprocess.run([sys.executable, '-c', 'import nowhere_package'], check=True)", "package missing", "nowhere_package", (WINE,)),
    FailingAgent("a step is killed", "import subprocess\nsubprocess.run(['bash', '-c', 'kill -9 $$'], check=True)", "killed by the system", "SIGKILL", (WINE,)),
    FailingAgent("memory behind another exception", "try:\n    np.ones((1 << 45,))\nexcept MemoryError as error:\n    raise RuntimeError('fold 3 failed') from error", "out of memory (host)", None, (WINE,)),
    FailingAgent("a coroutine waits too long", "import asyncio\nasync def main():\n    await asyncio.wait_for(asyncio.sleep(30), timeout=0.5)\nasyncio.run(main())", "crash", "TimeoutError", (WINE,)),
    FailingAgent("a wrong option", "import argparse\nparser = argparse.ArgumentParser(); parser.add_argument('--epochs', type=int)\nparser.parse_args(['--epochs', 'many'])", "crash", "exit code 2", (WINE,), bare=True),
    FailingAgent("an error of R", "echo \"Error in eval(predvars, data, env) : object 'price' not found\"; echo 'Calls: lm -> eval -> model.frame'; echo 'Execution halted'; exit 1", "crash", None, (WINE,), shell=True),
    FailingAgent("a panic of Rust", "echo \"thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 5', src/main.rs:10:5\" >&2; echo 'note: run with RUST_BACKTRACE=1' >&2; exit 101", "crash", None, (WINE,), shell=True),
    FailingAgent("a panic of Go", "echo 'panic: runtime error: invalid memory address or nil pointer dereference'; echo '[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x45]'; echo; echo 'goroutine 1 [running]:'; exit 2", "crash", None, (WINE,), shell=True),
    FailingAgent("an exception of Java", "printf 'Exception in thread \"main\" java.lang.NullPointerException: labels\\n\\tat Main.main(Main.java:5)\\n'; exit 1", "crash", None, (WINE,), shell=True),
    FailingAgent("an exception of Node", "printf '/app/train.js:3\\n    throw new Error(\"bad data\");\\n    ^\\n\\nError: bad data\\n    at Object.<anonymous> (/app/train.js:3:7)\\n\\nNode.js v20.1.0\\n'; exit 1", "crash", None, (WINE,), shell=True),
    FailingAgent("plans around memory", "import sys\nprint('Plan: use float32, so that we do not run out of memory on 8 GB.'); sys.exit(2)", "crash", "exit code 2", (WINE,), bare=True),
    FailingAgent("a hint about packages", "import sys\nprint(\"Note: if you see 'ModuleNotFoundError: No module named torch', install it first.\"); sys.exit(1)", "crash", "exit code 1", (WINE,), bare=True),
    FailingAgent("an attempt before the good one", "print('Attempt 1 failed:\\n```\\nTraceback (most recent call last):\\n  File \"a.py\", line 1, in <module>\\nModuleNotFoundError: No module named \\'torch\\'\\n```\\nAttempt 2 works.')\nhand_in(weak())", "below median", None, (WINE,)),
    FailingAgent("an archive does not fit", "echo 'tar: model.bin: Wrote only 4096 of 10240 bytes'; echo 'tar: write error: No space left on device' >&2; exit 2", "disk or output budget", "disk", (WINE,), shell=True),
    FailingAgent("a quota", "import errno\nraise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), 'features.npy')", "disk or output budget", "disk", (WINE,)),
    FailingAgent("the sample, and then too late", "import time\nhand_in(sample); leave(*own)\nwhile True: time.sleep(0.5)", "timeout", None, (CANCER,), variant="lite", limits={"seconds": 6.0}),
    FailingAgent("a loader's worker", "raise RuntimeError('DataLoader worker (pid(s) 812) exited unexpectedly')", "crash", "RuntimeError", (WINE,)),
    FailingAgent("a GPU that is too new", "raise RuntimeError('CUDA error: no kernel image is available for execution on the device')", "crash", "RuntimeError", (WINE,)),
    FailingAgent("logs that the GPU is full", "print('2026-01-01 12:00:00,123 - train - ERROR - CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.78 GiB total capacity; 14.5 GiB already allocated). If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.')\nsys.exit(1)", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("Arrow is out of memory", "import pyarrow\npyarrow.allocate_buffer(1 << 55)", "out of memory (host)", None, (WINE,)),
    FailingAgent("large allocations", "print('tcmalloc: large alloc 8589934592 bytes == 0x7f @')\nhand_in(weak())", "below median", None, (WINE,)),
    FailingAgent("a wrapper hides the kill", "python -c 'import os; print(\"epoch 1\", flush=True); os.kill(os.getpid(), 9)'\necho 'Done.'", "killed by the system", "SIGKILL", (WINE,), shell=True),
    FailingAgent("a wrapper hides the fault", "python -c 'import ctypes; ctypes.string_at(0)'\necho 'Finished all steps'", "killed by the system", "SIGSEGV", (WINE,), shell=True),
    FailingAgent("exit code -1", "sys.exit(-1)", "crash", "exit code 255", (WINE,)),
    FailingAgent("says nothing and fails", "exit 1", "crash", "exit code 1", (WINE,), shell=True),
    FailingAgent("says nothing at all", "true", "no submission", None, (WINE,), shell=True),
    FailingAgent("not executable", "echo 'print(1)' > train.py; chmod -x train.py; ./train.py", "crash", "exit code 126", (WINE,), shell=True),
    FailingAgent("a module of Perl", "perl -e 'use Nowhere::Package; print 1'", "package missing", None, (WINE,), shell=True),
    FailingAgent("a package of the system", "echo 'E: Unable to locate package libgl1-nowhere'; exit 100", "package missing", None, (WINE,), shell=True),
    FailingAgent("a resolver", "echo '  × No solution found when resolving dependencies:'; echo '  ╰─▶ Because torch-nowhere was not found in the package registry and you require torch-nowhere, we can conclude that your requirements are unsatisfiable.'; exit 1", "package missing", None, (WINE,), shell=True),
    FailingAgent("a program, in French", "echo 'agent.sh: ligne 1: entrainer : commande introuvable' >&2; exit 127", "package missing", None, (WINE,), shell=True),
    FailingAgent("weights that are not there", "raise OSError(\"We couldn't connect to 'https://huggingface.co' to load this file, couldn't find it in the cached files.\")", "crash", "OSError", (WINE,)),
    FailingAgent("memory after a submission", "hand_in(weak())\nhoard = []\nwhile True: hoard.append(np.ones(2_000_000))", "out of memory (host)", "budget", (CANCER,), limits={"memory_bytes": 500 << 20}),
    FailingAgent("a long coloured log", "for step in range(20_000): print(f'\\x1b[32mstep {step}\\x1b[0m loss {1 / (step + 1):.4f}')\nprint('no improvement, stopping')", "no submission", None, (WINE,)),
    FailingAgent("bars between columns", "weak().to_csv(f'{out}/submission.csv', index=False, sep='|')", "format", "separator", (WINE,)),
    FailingAgent("below 0", "frame = weak(); frame[targets[0]] = -0.2; hand_in(frame)", "format", "range", (CANCER,)),
    FailingAgent("no ids", "weak()[targets].to_csv(f'{out}/submission.csv', index=False)", "format", "columns", (WINE,)),
    FailingAgent("an empty file for a twin", "open(f'{out}/submission.csv', 'w')", "format", "empty file", (TITANIC,)),
    FailingAgent("quotes and another order", "import csv\nweak().sample(frac=1, random_state=0).to_csv(f'{out}/submission.csv', index=False, quoting=csv.QUOTE_ALL)", "below median", None, (CANCER,)),
    FailingAgent("the sample as whole numbers", "hand_in(sample.sample(frac=1, random_state=0).astype({'progression': int}))", "sample handed in", None, (DIABETES,)),
    FailingAgent("the sample with a little noise", "frame = sample.copy(); frame[targets[0]] += 1e-7 * rng.random(len(frame)); hand_in(frame)", "sample handed in", None, (CANCER,)),
    FailingAgent("always one", "frame = sample.copy(); frame['digit'] = 1; hand_in(frame)", "below median", None, (DIGITS,)),
    FailingAgent("a model of the wrong class", "from sklearn.linear_model import LogisticRegression\nx = train.columns[1:9]\nmodel = LogisticRegression(max_iter=200).fit(train[x], train[label])\nframe = sample.copy(); frame[targets[0]] = model.predict_proba(test[x])[:, 0]; hand_in(frame)", "metric misunderstood", "direction", (CANCER,)),
    FailingAgent("metrics.json is broken", "hand_in(weak()); leave(); result(seed)\nopen(f'{out}/metrics.json', 'w').write('{\"metric\": ')", "below median", None, (WINE,), variant="lite"),
    FailingAgent("a seed in quotes", "hand_in(weak()); leave(*own, score=1.3 if own[1] == 'lower' else 0.5); result(str(seed))", "below median", None, (WINE,), variant="lite"),
    FailingAgent("overfits and documents it", "hand_in(weak(0.1)); leave(*own, score=0.99); result(seed)", "overfitting", None, (CANCER,), variant="lite"),
    FailingAgent("another name for the metric", "hand_in(weak()); leave('cross-entropy', 'minimize', 1.25)", "below median", None, (WINE,)),
]  # fmt: skip

FOURTH = [
    FailingAgent("a column is gone", "import pandas\ntrain.merge(test, on='customer')", "crash", "KeyError", (DIABETES,)),
    FailingAgent("shapes do not fit", "np.ones((3, 4)) @ np.ones((3, 4))", "crash", "ValueError", (DIGITS,)),
    FailingAgent("not fitted", "from sklearn.linear_model import Ridge\nRidge().predict(test.iloc[:, 1:])", "crash", "NotFittedError", (DIABETES,)),
    FailingAgent("a bad picture", "from PIL import Image\nopen(f'{code}/x.png', 'wb').write(b'not a picture')\nImage.open(f'{code}/x.png')", "crash", "UnidentifiedImageError", (DIGITS,)),
    FailingAgent("a broken table", "import io\npd.read_csv(io.StringIO('a,b\\n1,2\\n1,2,3\\n'))", "crash", "ParserError", (WINE,)),
    FailingAgent("stops iterating", "next(iter([]))", "crash", "StopIteration", (WINE,)),
    FailingAgent("an error in a finaliser and a crash", "class Cache:\n    def __del__(self): raise RuntimeError('cache is closed')\ncache = Cache()\ndel cache\ntrain['price']", "crash", "KeyError", (WINE,)),
    FailingAgent("warnings at the end", "import warnings\ntry:\n    {}['fold']\nexcept KeyError:\n    import traceback; traceback.print_exc()\nwarnings.warn('lbfgs failed to converge')\nprint('UserWarning: leaked semaphore objects to clean up at shutdown', file=sys.stderr)\nsys.exit(1)", "crash", "KeyError", (WINE,)),
    FailingAgent("a make file", "echo 'python train.py'; echo 'ValueError: bad config'; echo 'make: *** [Makefile:3: train] Error 1'; exit 2", "crash", None, (WINE,), shell=True),
    FailingAgent("a wrong interpreter", "python -c 'print \"hello\"'", "crash", "SyntaxError", (WINE,), shell=True),
    FailingAgent("stops at the first fault", "set -euo pipefail\ncat $DATA_DIR/no_such_file.csv | head -1\necho unreachable", "crash", None, (WINE,), shell=True),
    FailingAgent("a nested shell", "bash -c 'bash -c \"exit 42\"'", "crash", "exit code 42", (WINE,), shell=True),
    FailingAgent("its model provider times out", "class APITimeoutError(Exception): pass\nAPITimeoutError.__module__ = 'openai'\nraise APITimeoutError('Request timed out.')", "crash", "APITimeoutError", (WINE,)),
    FailingAgent("too many tokens", "class BadRequestError(Exception): pass\nBadRequestError.__module__ = 'openai'\nraise BadRequestError(\"Error code: 400 - {'error': {'message': 'maximum context length is 128000 tokens, memory is not enough'}}\")", "crash", "BadRequestError", (WINE,)),
    FailingAgent("steps are used up", "for step in range(5): print(f'Step {step}: thinking about features')\nprint('Reached the maximum number of steps without a submission.')", "no submission", None, (CANCER,), bare=True),
    FailingAgent("waits for input", "input('Continue? ')", "crash", "EOFError", (WINE,)),
    FailingAgent("a folder of submissions", "os.makedirs(f'{out}/submission', exist_ok=True); weak().to_csv(f'{out}/submission/submission.csv', index=False)", "no submission", None, (WINE,)),
    FailingAgent("deletes its submission", "hand_in(weak()); os.remove(f'{out}/submission.csv'); print('cleaned up')", "no submission", None, (WINE,)),
    FailingAgent("needs a compiler", "import subprocess\nsys.exit(subprocess.call('nvcc-nowhere kernel.cu -o kernel', shell=True))", "package missing", None, (WINE,)),
    FailingAgent("a package of a package", "import types\nmodule = types.ModuleType('fastai_nowhere'); sys.modules['fastai_nowhere'] = module\nfrom fastai_nowhere.vision import learner", "package missing", None, (WINE,)),
    FailingAgent("a requirement file", "echo 'torch-nowhere==9.9' > requirements.txt\npython -m pip install --no-index -r requirements.txt || exit 1", "package missing", "torch-nowhere", (WINE,), shell=True),
    FailingAgent("a package of npm", "printf \"node:internal/modules/cjs/loader:1080\\n  throw err;\\n  ^\\n\\nError: Cannot find module 'danfojs-node'\\nRequire stack:\\n- /home/agent/train.js\\n  code: 'MODULE_NOT_FOUND'\\n\"; exit 1", "package missing", "danfojs-node", (WINE,), shell=True),
    FailingAgent("a package of Julia", "printf 'ERROR: LoadError: ArgumentError: Package DataFrames not found in current path.\\n- Run `import Pkg; Pkg.add(\"DataFrames\")` to install it.\\n'; exit 1", "package missing", "DataFrames", (WINE,), shell=True),
    FailingAgent("survives without packages", "for name in ('torch_nowhere', 'lightgbm_nowhere'):\n    try:\n        __import__(name)\n    except ImportError as error: print(f'{name} is not available: {error}')\nhand_in(weak())", "below median", None, (WINE,)),
    FailingAgent("a table that is too wide", "pd.DataFrame(np.zeros((1 << 20, 1 << 22)))", "out of memory (host)", None, (WINE,)),
    FailingAgent("a matrix of distances", "from scipy.spatial.distance import pdist\npdist(np.zeros((3_000_000, 2)))", "out of memory (host)", None, (WINE,)),
    FailingAgent("a list for ever", "values = [0]\nwhile True: values = values + values", "out of memory (host)", None, (WINE,), limits={"memory_bytes": 600 << 20}),
    FailingAgent("a GPU in a worker", "print('''Traceback (most recent call last):\n  File \"/usr/lib/python3/multiprocessing/process.py\", line 314, in _bootstrap\n    self.run()\n  File \"train.py\", line 40, in train\n    loss.backward()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 23.64 GiB\nProcess SpawnProcess-1 ended''')\nsys.exit(1)", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("TensorFlow on a GPU", "print('2026-01-01 10:00:00.1: W tensorflow/core/common_runtime/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB')\nprint('2026-01-01 10:00:01.0: F tensorflow/core/kernels/conv.cc:12] OOM when allocating tensor with shape[256,112] on /device:GPU:0', flush=True)\nos.abort()", "out of memory (GPU)", None, (WINE,)),
    FailingAgent("speaks of memory and succeeds", "print('Peak memory 3 GB; earlier runs went out of memory, this one did not')\nhand_in(weak())", "below median", None, (CANCER,)),
    FailingAgent("a bus error", "kill -BUS $$", "killed by the system", "SIGBUS", (WINE,), shell=True),
    FailingAgent("a worker is killed, then a pool breaks", "from concurrent.futures import ProcessPoolExecutor\nimport signal\ndef die(n): os.kill(os.getpid(), signal.SIGSEGV)\nwith ProcessPoolExecutor(1) as pool: list(pool.map(die, [1]))", "crash", "BrokenProcessPool", (WINE,)),
    FailingAgent("hangs on a pipe", "import subprocess\nprocess = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\nprocess.stdout.read()", "timeout", None, (WINE,), limits={"seconds": 5.0}),
    FailingAgent("slow because it is thorough", "import time\nfor fold in range(1000): print(f'fold {fold}', flush=True); time.sleep(0.3)\nhand_in(weak())", "timeout", None, (DIGITS,), limits={"seconds": 5.0}),
    FailingAgent("prints its data", "while True: print(train.to_string())", "disk or output budget", "output", (WINE,), limits={"output_bytes": 4 << 20}),
    FailingAgent("checkpoints", "for epoch in range(500): np.save(f'{code}/checkpoint_{epoch}.npy', np.ones(1 << 19))", "disk or output budget", "disk", (WINE,), limits={"disk_bytes": 30 << 20}),
    FailingAgent("one row too many", "frame = weak(); hand_in(pd.concat([frame, frame.iloc[[0]].assign(id=999_999)]))", "format", None, (WINE,)),
    FailingAgent("NaN from a division", "frame = weak(); frame[targets[0]] = np.where(np.arange(len(frame)) % 7 == 0, np.nan, 0.4); hand_in(frame)", "format", "empty cells", (CANCER,)),
    FailingAgent("Markdown", "open(f'{out}/submission.csv', 'w').write('# Submission\\n\\nHere are my predictions:\\n\\n| id | p |\\n|---|---|\\n| 1 | 0.3 |\\n')", "format", None, (CANCER,)),
    FailingAgent("names of its own", "weak().rename(columns={'id': 'ID', targets[0]: 'target'}).to_csv(f'{out}/submission.csv', index=False)", "format", "columns", (CANCER,)),
    FailingAgent("brackets", "frame = weak().astype(object); frame[targets[0]] = frame[targets[0]].map(lambda p: f'[{p}]'); hand_in(frame)", "format", "type", (DIABETES,)),
    FailingAgent("the sample by name", "open(f'{out}/submission.csv', 'w').write(open(f'{data}/sample_submission.csv').read().replace('\\n', '\\r\\n'))", "sample handed in", None, (CANCER,)),
    FailingAgent("the sample of digits", "import shutil\nshutil.copy(f'{data}/sample_submission.csv', f'{out}/submission.csv')\nprint('Traceback (most recent call last): none')", "sample handed in", None, (DIGITS,)),
    FailingAgent("labels as floats", "frame = sample.copy(); frame[targets[0]] = (rng.random(len(frame)) > 0.4).astype(float); hand_in(frame)", "metric misunderstood", "form", (CANCER,)),
    FailingAgent("maximises a loss", "hand_in(weak()); leave('multi-class log loss', 'maximize', 1.2)", "metric misunderstood", "direction", (WINE,)),
    FailingAgent("accuracy for a ranking", "hand_in(weak()); leave('accuracy', 'higher', 0.6)", "metric misunderstood", "metric", (CANCER,)),
    FailingAgent("too good in its folds", "hand_in(weak(0.1)); leave('roc_auc', 'higher', 0.97)", "overfitting", None, (CANCER,)),
    FailingAgent("finds the target among the features", "frame = sample.copy(); frame['digit'] = rng.integers(0, 10, len(frame)); hand_in(frame); leave('Accuracy', 'higher', 1)", "suspiciously perfect", None, (DIGITS,)),
    FailingAgent("a seed that it chose", "hand_in(weak()); leave(*own); result(42)", "wrong seed", None, (CANCER,), variant="lite"),
    FailingAgent("an empty answer", "result(seed); hand_in(weak())", "missing artifact", None, (WINE,), variant="lite"),
    FailingAgent("a little signal", "frame = sample.copy(); frame['progression'] = 120 + test['bmi'] - test['bmi'].mean(); hand_in(frame)", "below median", None, (DIABETES,)),
]  # fmt: skip
