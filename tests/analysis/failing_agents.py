"""Agents that fail, each in its own way, and the cause that the failure analysis should find.

Each is a Python program that runs in the folder of a real run. `WINE` has log loss and three probabilities,
`CANCER` has ROC AUC and one probability; in both the sample submission is in the data folder.
"""

# ruff: noqa: E501 (a table of programs)

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WINE, CANCER = "practice-wine", "practice-breast-cancer"
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


AGENTS = [
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
