"""The models that are compared: which suit the data, and how each is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from .features import Features
from .metrics import Metric
from .task import Kind

MANY_ROWS = 5_000  # from here on fewer folds, and no method whose cost grows with the square of the rows
MANY_CLASSES = 30  # from here on no gradient boosting, which makes a tree per class and step
MANY_FEATURES = 300  # likewise, where there are many rows
ROWS_PER_TREE = 20_000
RIDGE, LOGISTIC, WORDS = "ridge regression", "logistic regression", "linear model on words"
FOREST, BOOSTING, SUPPORT = "random forest", "gradient boosting", "support vector machine"
FOREST_OF_COLUMNS = "random forest on columns alone"
SMALL_PICTURES = "linear model on small pictures"


def model_names(kind: Kind, features: Features, rows: int, classes: int) -> list[str]:
    """The candidates that suit the data, the simplest first, which are also the quickest."""
    names = [RIDGE if kind == "regression" else LOGISTIC]
    if features.small_pictures.any():
        names.insert(0, SMALL_PICTURES)
    if features.words is not None:
        names.append(WORDS)
    names.append(FOREST)
    if 0 < features.from_columns.sum() < len(features.from_columns):  # files may tell nothing that columns do not
        names.append(FOREST_OF_COLUMNS)
    if features.has_pixels and rows <= MANY_ROWS:
        names.append(SUPPORT)
    elif classes <= MANY_CLASSES and (features.train.shape[1] <= MANY_FEATURES or rows <= MANY_ROWS):
        names.append(BOOSTING)
    return names


def load_libraries() -> None:
    """Load what models need before work is spread over processes, so that not each of them has to."""
    import sklearn.calibration
    import sklearn.ensemble
    import sklearn.impute
    import sklearn.linear_model
    import sklearn.metrics
    import sklearn.model_selection
    import sklearn.svm  # noqa: F401


def make_model(name: str, kind: Kind, metric: Metric, seed: int, rows: int) -> Any:
    """A fresh pipeline for a candidate that will see so many rows."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    estimator = (_regressor if kind == "regression" else _classifier)(name, metric, seed, rows)
    filled = SimpleImputer(strategy="median", add_indicator=True)
    if name in (BOOSTING, WORDS):  # deals with gaps itself, or has none
        model = make_pipeline(estimator)
    elif name in (RIDGE, LOGISTIC, SUPPORT, SMALL_PICTURES):
        model = make_pipeline(filled, StandardScaler(), estimator)
    else:
        model = make_pipeline(filled, estimator)
    if metric.name == "RMSLE":
        return TransformedTargetRegressor(model, func=np.log1p, inverse_func=np.expm1)
    return model


def _classifier(name: str, metric: Metric, seed: int, rows: int) -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    steps = 1000 if rows <= MANY_ROWS else 200
    if name in (LOGISTIC, SMALL_PICTURES):
        return LogisticRegression(max_iter=steps)
    if name == WORDS:
        return LogisticRegression(C=4.0, max_iter=steps)
    if name in (FOREST, FOREST_OF_COLUMNS):
        return RandomForestClassifier(200, max_samples=_share(rows), random_state=seed)
    if name == SUPPORT:
        machine = SVC(C=10.0)
        needs = metric.wants == "probabilities"
        return CalibratedClassifierCV(machine, cv=3, ensemble=False) if needs else machine
    return HistGradientBoostingClassifier(learning_rate=0.08, max_leaf_nodes=15, random_state=seed)


def _regressor(name: str, metric: Metric, seed: int, rows: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import Ridge, RidgeCV
    from sklearn.svm import SVR

    if name in (RIDGE, SMALL_PICTURES):
        return RidgeCV(alphas=np.logspace(-2, 4, 25))
    if name == WORDS:
        return Ridge(alpha=3.0)
    if name in (FOREST, FOREST_OF_COLUMNS):
        return RandomForestRegressor(200, min_samples_leaf=3, max_samples=_share(rows), random_state=seed)
    if name == SUPPORT:
        return SVR(C=10.0)
    loss = "absolute_error" if metric.name == "MAE" else "squared_error"
    return HistGradientBoostingRegressor(loss=loss, learning_rate=0.06, max_leaf_nodes=15, random_state=seed)


def _share(rows: int) -> float | None:
    return ROWS_PER_TREE / rows if rows > ROWS_PER_TREE else None
