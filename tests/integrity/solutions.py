"""Honest solutions of one task with the same libraries and boilerplate of tutorials, and ways to disguise a copy."""

from __future__ import annotations

import ast
import json
import random

SETUP = """
import os
import random
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
import warnings
warnings.filterwarnings('ignore')

def seed_everything(seed=42):
    random.seed(seed)
    os.environ['PYTHONHASHSEED'] = str(seed)
    np.random.seed(seed)

seed_everything(42)
train = pd.read_csv('../input/train.csv')
test = pd.read_csv('../input/test.csv')
print(train.shape, test.shape)
train.head()
"""

SOLUTIONS = {
    "forest": SETUP
    + """
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.metrics import accuracy_score

full = pd.concat([train, test], sort=False).reset_index(drop=True)
full['Deck'] = full['Cabin'].str.split('/').str[0].fillna('U')
full['Side'] = full['Cabin'].str.split('/').str[2].fillna('U')
full['Group'] = full['PassengerId'].str.split('_').str[0].astype(int)
full['GroupSize'] = full.groupby('Group')['Group'].transform('count')
spend = ['RoomService', 'FoodCourt', 'ShoppingMall', 'Spa', 'VRDeck']
full['Total'] = full[spend].sum(axis=1)
for c in spend + ['Age']:
    full[c] = full[c].fillna(full[c].median())
full = full.drop(columns=['Cabin', 'Name', 'PassengerId'])
full = pd.get_dummies(full, columns=['Deck', 'Side', 'HomePlanet', 'Destination'])
X = full[:len(train)].drop(columns='Transported')
y = train['Transported'].astype(int)
T = full[len(train):].drop(columns='Transported')
votes = np.zeros(len(T))
scores = []
for fold, (a, b) in enumerate(StratifiedKFold(5, shuffle=True, random_state=1).split(X, y)):
    rf = RandomForestClassifier(n_estimators=400, min_samples_leaf=3, n_jobs=-1, random_state=fold)
    rf.fit(X.iloc[a], y.iloc[a])
    scores.append(accuracy_score(y.iloc[b], rf.predict(X.iloc[b])))
    votes += rf.predict_proba(T)[:, 1] / 5
print(np.mean(scores), np.std(scores))
sub = pd.read_csv('../input/sample_submission.csv')
sub['Transported'] = votes > 0.5
sub.to_csv('submission.csv', index=False)
""",
    "pipeline": SETUP
    + """
from sklearn.pipeline import make_pipeline, Pipeline
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

TARGET = 'Transported'
numeric = train.select_dtypes('number').columns.tolist()
categorical = ['HomePlanet', 'CryoSleep', 'Destination', 'VIP']
plt.figure(figsize=(10, 6))
sns.heatmap(train[numeric].corr(), annot=True)
plt.show()
prep = ColumnTransformer([
    ('num', make_pipeline(SimpleImputer(strategy='median'), StandardScaler()), numeric),
    ('cat', make_pipeline(SimpleImputer(strategy='most_frequent'), OneHotEncoder()), categorical),
])
pipe = Pipeline([('prep', prep), ('clf', LogisticRegression(max_iter=2000))])
search = GridSearchCV(pipe, {'clf__C': [0.01, 0.1, 1, 10]}, cv=5, scoring='accuracy', n_jobs=-1)
search.fit(train[numeric + categorical], train[TARGET])
print('best', search.best_params_, search.best_score_)
out = pd.DataFrame({'PassengerId': test['PassengerId'], TARGET: search.predict(test[numeric + categorical])})
out.to_csv('submission.csv', index=False)
""",
    "boosting": SETUP
    + """
import lightgbm as lgb
from sklearn.model_selection import KFold
from sklearn.preprocessing import LabelEncoder

def add_features(df):
    df = df.copy()
    parts = df['Cabin'].fillna('X/-1/X').str.split('/', expand=True)
    df['deck'], df['num'], df['side'] = parts[0], parts[1].astype(int), parts[2]
    df['surname'] = df['Name'].fillna('? ?').str.split().str[-1]
    df['family'] = df.groupby('surname')['surname'].transform('size')
    bills = df[['RoomService', 'FoodCourt', 'ShoppingMall', 'Spa', 'VRDeck']]
    df['spent'] = np.log1p(bills.fillna(0).sum(axis=1))
    df['nothing'] = (bills.fillna(0).sum(axis=1) == 0).astype(int)
    return df.drop(columns=['Cabin', 'Name', 'surname'])

tr, te = add_features(train), add_features(test)
for col in tr.select_dtypes('object'):
    if col in ('PassengerId', 'Transported'):
        continue
    enc = LabelEncoder().fit(pd.concat([tr[col], te[col]]).astype(str))
    tr[col], te[col] = enc.transform(tr[col].astype(str)), enc.transform(te[col].astype(str))
features = [c for c in te.columns if c != 'PassengerId']
params = dict(objective='binary', metric='auc', learning_rate=0.03, num_leaves=31, feature_fraction=0.8, verbose=-1)
oof, pred = np.zeros(len(tr)), np.zeros(len(te))
for trn, val in KFold(n_splits=10, shuffle=True, random_state=7).split(tr):
    d1 = lgb.Dataset(tr.iloc[trn][features], tr.iloc[trn]['Transported'].astype(int))
    d2 = lgb.Dataset(tr.iloc[val][features], tr.iloc[val]['Transported'].astype(int), reference=d1)
    booster = lgb.train(params, d1, 3000, valid_sets=[d2], callbacks=[lgb.early_stopping(100)])
    oof[val] = booster.predict(tr.iloc[val][features])
    pred += booster.predict(te[features]) / 10
best = max(np.linspace(0.3, 0.7, 81), key=lambda t: ((oof > t) == tr['Transported']).mean())
submission = te[['PassengerId']].assign(Transported=pred > best)
submission.to_csv('submission.csv', index=False)
lgb.plot_importance(booster, max_num_features=20)
""",
    "network": SETUP
    + """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
cols = ['Age', 'RoomService', 'FoodCourt', 'ShoppingMall', 'Spa', 'VRDeck']
scaler = StandardScaler()
X = scaler.fit_transform(train[cols].fillna(0))
T = scaler.transform(test[cols].fillna(0))
y = train['Transported'].values.astype('float32')
x1, x2, y1, y2 = train_test_split(X, y, test_size=0.2, stratify=y)

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(width, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.3),
            nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
    def forward(self, x):
        return self.layers(x).squeeze(1)

def loader(x, y, shuffle):
    data = TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))
    return DataLoader(data, batch_size=256, shuffle=shuffle)

net = Net(X.shape[1]).to(device)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 30)
criterion = nn.BCEWithLogitsLoss()
history = []
for epoch in range(30):
    net.train()
    for xb, yb in loader(x1, y1, True):
        optimizer.zero_grad()
        loss = criterion(net(xb.to(device)), yb.to(device))
        loss.backward()
        optimizer.step()
    scheduler.step()
    net.eval()
    with torch.no_grad():
        hits = [((net(xb.to(device)) > 0).cpu() == yb.bool()).float().mean().item() for xb, yb in loader(x2, y2, False)]
    history.append(np.mean(hits))
    print(epoch, history[-1])
plt.plot(history)
with torch.no_grad():
    answer = (net(torch.tensor(T, dtype=torch.float32).to(device)) > 0).cpu().numpy()
pd.DataFrame({'PassengerId': test['PassengerId'], 'Transported': answer}).to_csv('submission.csv', index=False)
""",
    "stack": SETUP
    + """
from sklearn.ensemble import StackingClassifier, ExtraTreesClassifier, GradientBoostingClassifier
from sklearn.linear_model import RidgeClassifierCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.model_selection import cross_val_score
from sklearn.impute import KNNImputer
import optuna

useful = [c for c in train.columns if train[c].nunique() < 100 and c != 'Transported']
def encode(frame):
    out = pd.DataFrame(index=frame.index)
    for name in useful:
        codes, _ = pd.factorize(frame[name])
        out[name] = codes
    out['missing'] = frame.isna().sum(axis=1)
    return out
both = encode(pd.concat([train, test]))
both[:] = KNNImputer(n_neighbors=7).fit_transform(both.replace(-1, np.nan))
A, B = both.iloc[:len(train)], both.iloc[len(train):]

def objective(trial):
    model = ExtraTreesClassifier(
        n_estimators=trial.suggest_int('n', 100, 600), max_depth=trial.suggest_int('d', 3, 20), n_jobs=-1)
    return cross_val_score(model, A, train['Transported'], cv=3).mean()

study = optuna.create_study(direction='maximize')
study.optimize(objective, n_trials=25)
stack = StackingClassifier(
    [('et', ExtraTreesClassifier(n_estimators=study.best_params['n'], max_depth=study.best_params['d'])),
     ('gb', GradientBoostingClassifier(subsample=0.7)), ('nn', KNeighborsClassifier(25))],
    final_estimator=RidgeClassifierCV())
stack.fit(A, train['Transported'])
result = test[['PassengerId']].copy()
result['Transported'] = stack.predict(B)
result.to_csv('submission.csv', index=False)
""",
    "text": SETUP
    + """
from catboost import CatBoostClassifier, Pool
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.decomposition import TruncatedSVD

names = TfidfVectorizer(analyzer='char', ngram_range=(2, 3), min_df=5)
svd = TruncatedSVD(8, random_state=0)
svd.fit(names.fit_transform(train['Name'].fillna('')))
def enrich(d):
    topics = svd.transform(names.transform(d['Name'].fillna('')))
    extra = pd.DataFrame(topics, columns=[f'topic{i}' for i in range(8)], index=d.index)
    d = pd.concat([d.drop(columns=['Name']), extra], axis=1)
    d['cabin_number'] = pd.to_numeric(d['Cabin'].str.extract(r'/(\\d+)/')[0])
    d['is_alone'] = ~d['PassengerId'].str[:4].duplicated(keep=False)
    return d
left, right = enrich(train), enrich(test)
cats = [c for c in right if right[c].dtype == object and c != 'PassengerId']
left[cats], right[cats] = left[cats].astype(str), right[cats].astype(str)
cut = int(len(left) * 0.85)
keep = [c for c in right if c != 'PassengerId']
model = CatBoostClassifier(iterations=4000, depth=6, eval_metric='Accuracy', od_wait=200, verbose=500)
watched = Pool(left[keep][cut:], left['Transported'][cut:], cat_features=cats)
model.fit(Pool(left[keep][:cut], left['Transported'][:cut], cat_features=cats), eval_set=watched)
for name, value in sorted(zip(keep, model.get_feature_importance()), key=lambda p: -p[1])[:15]:
    print(f'{name:20s} {value:.2f}')
right['Transported'] = model.predict(right[keep]) == 'True'
right[['PassengerId', 'Transported']].to_csv('submission.csv', index=False)
""",
}

_FILLER = '''
def _unused_{n}(values, limit={n}):
    """Not used."""
    total = 0
    for value in values:
        if value > limit:
            total += value * {n}
        else:
            total -= 1
    return [total, limit, sum(v ** 2 for v in values)]
if False:
    print(_unused_{n}([1, 2, 3]))
'''


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            node.value += 1
        return node


def renamed(code: str) -> str:
    """Other names for variables and functions, and other numbers."""
    tree = ast.parse(code)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return ast.unparse(_Rename({name: f"v_{number}" for number, name in enumerate(sorted(names))}).visit(tree))


def reordered(code: str) -> str:
    """Statements at the top in another order: in pieces, as cells would be moved."""
    tree = ast.parse(code)
    pieces = [tree.body[place : place + 4] for place in range(0, len(tree.body), 4)]
    random.Random(0).shuffle(pieces)
    tree.body = [statement for piece in pieces for statement in piece]
    return ast.unparse(tree)


def commented(code: str) -> str:
    """With comments between all lines."""
    lines = []
    for number, line in enumerate(ast.unparse(ast.parse(code)).split("\n")):
        indent = line[: len(line) - len(line.lstrip())]
        lines += [f"{indent}# step {number}: this is my own idea" if line.strip() else "", line]
    return "\n".join(lines)


def padded(code: str) -> str:
    """With code that does nothing, between statements: about a third more."""
    tree = ast.parse(code)
    count = max(1, len(code) // 1100)
    places = sorted(random.Random(1).sample(range(len(tree.body)), count), reverse=True)
    for number, place in enumerate(places):
        tree.body[place:place] = ast.parse(_FILLER.format(n=number + 3)).body
    return ast.unparse(tree)


def split(code: str) -> dict[str, str]:
    """In three files."""
    body = ast.parse(code).body
    third = len(body) // 3
    parts = {"setup.py": body[:third], "model.py": body[third : 2 * third], "main.py": body[2 * third :]}
    return {name: ast.unparse(ast.Module(part, [])) for name, part in parts.items()}


def as_notebook(code: str) -> str:
    """As a notebook with a cell for each few statements."""
    body = ast.parse(code).body
    cells = [ast.unparse(ast.Module(body[place : place + 5], [])) for place in range(0, len(body), 5)]
    made = [
        {"cell_type": "code", "source": cell.splitlines(keepends=True), "metadata": {}, "outputs": []} for cell in cells
    ]
    made.insert(0, {"cell_type": "markdown", "source": ["# My solution"], "metadata": {}})
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def disguises(code: str) -> dict[str, dict[str, str]]:
    """All ways to disguise a copy, by name: files."""
    return {
        "as it is": {"s.py": code},
        "renamed": {"s.py": renamed(code)},
        "reordered": {"s.py": reordered(code)},
        "commented": {"s.py": commented(code)},
        "dead code": {"s.py": padded(code)},
        "split": split(code),
        "notebook": {"s.ipynb": as_notebook(code)},
        "all at once": split(padded(reordered(renamed(code)))),
    }
