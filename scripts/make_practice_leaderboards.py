"""Make the leaderboards of the practice competitions: leaderboard.csv in the folder of each.

    python scripts/make_practice_leaderboards.py [ID …]

Nobody competes in a practice competition, so its leaderboard is a population of pipelines instead of people:
every "team" is one scikit-learn pipeline, from guessing to strong. Its hyper-parameters are fixed in here,
none is tuned on the test part. It is fitted on the public training data alone with a fixed random state, and
what it predicts for the test data is graded by the competition's own grader. The three classifications share
one population (`classifiers`), the regression has its own (`regressors`); a team's name says what it is.

A medal in a practice competition is therefore a place among these pipelines, not among humans.

The scores were made with scikit-learn 1.9; other versions move some of them by a little. One machine gives
the same files every time: all work is single-threaded, in as many processes as there are cores. It takes a
few minutes.
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image
from sklearn import (
    cross_decomposition,
    decomposition,
    discriminant_analysis,
    dummy,
    ensemble,
    gaussian_process,
    kernel_ridge,
    linear_model,
    naive_bayes,
    neighbors,
    neural_network,
    svm,
    tree,
)
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

from mlebench.competition.grader import DECIMALS
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare

Team = tuple[str, Any]  # what the pipeline is, and the pipeline
STATE = 0

scaled = partial(make_pipeline, StandardScaler())


def calibrated(classifier: Any) -> Any:
    """A classifier that gives scores only, with probabilities fitted to them by cross-validation."""
    return CalibratedClassifierCV(classifier, cv=5, ensemble=False)


def classifiers() -> Iterator[Team]:
    """The population of the classifications."""
    for strategy in ("prior", "stratified", "uniform"):
        yield f"guessing ({strategy})", dummy.DummyClassifier(strategy=strategy, random_state=STATE)
    yield from linear_classifiers()
    yield from neighbour_classifiers()
    yield from kernel_classifiers()
    yield from tree_classifiers()
    yield from network_classifiers()
    yield from mixed_classifiers()


def linear_classifiers() -> Iterator[Team]:
    """Logistic regression, discriminant analysis and naive Bayes."""
    logistic = partial(linear_model.LogisticRegression, max_iter=5000)
    yield "logistic regression", logistic()
    for strength in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0):
        yield f"standardised, logistic regression (C={strength:g})", scaled(logistic(C=strength))
    yield "0 to 1, logistic regression", make_pipeline(MinMaxScaler(), logistic())
    yield "power transform, logistic regression", make_pipeline(PowerTransformer(), logistic())
    for share in (0.5, 0.75, 0.9):
        name = f"standardised, principal components ({share:.0%} of variance), logistic regression"
        yield name, scaled(decomposition.PCA(share, random_state=STATE), logistic())
    yield "standardised, splines, logistic regression (C=0.1)", scaled(SplineTransformer(4), logistic(C=0.1))
    yield (
        "standardised, 8 components, products, logistic regression",
        scaled(decomposition.PCA(8, random_state=STATE), PolynomialFeatures(2), StandardScaler(), logistic()),
    )
    for strength in (1.0, 100.0):
        name = f"standardised, ridge classifier (alpha={strength:g}), calibrated"
        yield name, scaled(calibrated(linear_model.RidgeClassifier(alpha=strength)))
    yield (
        "standardised, perceptron, calibrated",
        scaled(calibrated(linear_model.Perceptron(random_state=STATE))),
    )
    yield (
        "standardised, stochastic gradient descent",
        scaled(linear_model.SGDClassifier(loss="log_loss", random_state=STATE)),
    )
    yield "linear discriminant", discriminant_analysis.LinearDiscriminantAnalysis()
    yield (
        "linear discriminant, shrunk",
        discriminant_analysis.LinearDiscriminantAnalysis("lsqr", shrinkage="auto"),
    )
    for strength in (0.1, 0.5):
        name = f"standardised, quadratic discriminant (reg_param={strength:g})"
        yield name, scaled(discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=strength))
    yield "naive Bayes", naive_bayes.GaussianNB()
    yield "naive Bayes, smoothed", naive_bayes.GaussianNB(var_smoothing=0.01)
    yield (
        "standardised, principal components (90% of variance), naive Bayes",
        scaled(decomposition.PCA(0.9, random_state=STATE), naive_bayes.GaussianNB()),
    )


def neighbour_classifiers() -> Iterator[Team]:
    """Votes of the nearest neighbours."""
    for count in (1, 3, 5, 10, 25):
        yield f"{count} nearest", neighbors.KNeighborsClassifier(count)
        yield f"standardised, {count} nearest", scaled(neighbors.KNeighborsClassifier(count))
    for count in (5, 25):
        weighted = neighbors.KNeighborsClassifier(count, weights="distance")
        yield f"standardised, {count} nearest by distance", scaled(weighted)


def kernel_classifiers() -> Iterator[Team]:
    """Support vector machines and a Gaussian process."""
    yield "support vectors (rbf)", calibrated(svm.SVC())
    for strength in (0.1, 1.0, 10.0, 100.0):
        yield f"standardised, support vectors (rbf, C={strength:g})", scaled(calibrated(svm.SVC(C=strength)))
    for strength in (0.01, 1.0):
        linear = svm.SVC(C=strength, kernel="linear")
        yield f"standardised, support vectors (linear, C={strength:g})", scaled(calibrated(linear))
    for degree in (2, 3):
        polynomial = svm.SVC(kernel="poly", degree=degree, coef0=1.0)
        yield f"standardised, support vectors (polynomial of degree {degree})", scaled(calibrated(polynomial))
    process = gaussian_process.GaussianProcessClassifier(4.0 * RBF(5.0), optimizer=None, random_state=STATE)
    yield "standardised, Gaussian process", scaled(process)


def tree_classifiers() -> Iterator[Team]:
    """Trees, alone, averaged and boosted."""
    for depth in (1, 3, 5, None):
        yield f"tree ({_depth(depth)})", tree.DecisionTreeClassifier(max_depth=depth, random_state=STATE)
    yield "tree (10 per leaf)", tree.DecisionTreeClassifier(min_samples_leaf=10, random_state=STATE)
    for count in (10, 100, 300):
        yield f"random forest of {count}", ensemble.RandomForestClassifier(count, random_state=STATE)
    shallow = ensemble.RandomForestClassifier(100, max_depth=3, random_state=STATE)
    yield "random forest of 100 (depth 3)", shallow
    for count in (100, 300):
        yield f"extremely random trees, {count}", ensemble.ExtraTreesClassifier(count, random_state=STATE)
    yield (
        "extremely random trees, 100 (5 per leaf)",
        ensemble.ExtraTreesClassifier(100, min_samples_leaf=5, random_state=STATE),
    )
    yield "bagged trees, 50", ensemble.BaggingClassifier(n_estimators=50, random_state=STATE)
    for count in (50, 200):
        yield f"boosted stumps, {count}", ensemble.AdaBoostClassifier(n_estimators=count, random_state=STATE)
    for count, depth in ((50, 3), (100, 2), (100, 3)):
        boosted = ensemble.GradientBoostingClassifier(n_estimators=count, max_depth=depth, random_state=STATE)
        yield f"gradient boosting, {count} trees (depth {depth})", boosted
    yield "histogram boosting", ensemble.HistGradientBoostingClassifier(random_state=STATE)
    yield (
        "histogram boosting, slow and small",
        ensemble.HistGradientBoostingClassifier(
            learning_rate=0.05, max_leaf_nodes=7, min_samples_leaf=10, random_state=STATE
        ),
    )


def network_classifiers() -> Iterator[Team]:
    """Small neural networks."""
    for layers in ((16,), (64,), (64, 64)):
        network = neural_network.MLPClassifier(hidden_layer_sizes=layers, max_iter=500, random_state=STATE)
        yield f"standardised, network {layers}", scaled(network)
    decayed = neural_network.MLPClassifier(hidden_layer_sizes=(64,), alpha=1.0, max_iter=500, random_state=STATE)
    yield "standardised, network (64,) with weight decay", scaled(decayed)


def mixed_classifiers() -> Iterator[Team]:
    """Several models that vote, or that a further model combines."""
    members = [
        ("logistic", scaled(linear_model.LogisticRegression(max_iter=5000))),
        ("forest", ensemble.RandomForestClassifier(100, random_state=STATE)),
        ("vectors", scaled(calibrated(svm.SVC(C=10.0)))),
    ]
    yield "vote of logistic regression and forest", ensemble.VotingClassifier(members[:2], voting="soft")
    yield (
        "vote of logistic regression, forest and support vectors",
        ensemble.VotingClassifier(members, voting="soft"),
    )
    yield (
        "stack of logistic regression, forest and support vectors",
        ensemble.StackingClassifier(members, cv=5),
    )


def regressors() -> Iterator[Team]:
    """The population of the regression."""
    for strategy in ("mean", "median"):
        yield f"guessing (the {strategy})", dummy.DummyRegressor(strategy=strategy)
    yield from linear_regressors()
    yield from projected_regressors()
    yield from neighbour_and_kernel_regressors()
    yield from tree_regressors()
    yield from other_regressors()


def linear_regressors() -> Iterator[Team]:
    """Least squares with all sorts of penalties and losses."""
    yield "least squares", linear_model.LinearRegression()
    for strength in (0.1, 1.0, 10.0, 100.0, 1000.0):
        yield f"standardised, ridge (alpha={strength:g})", scaled(linear_model.Ridge(strength))
    for strength in (0.1, 1.0, 5.0, 20.0):
        yield f"standardised, lasso (alpha={strength:g})", scaled(linear_model.Lasso(strength))
    for strength in (0.1, 1.0):
        yield f"standardised, elastic net (alpha={strength:g})", scaled(linear_model.ElasticNet(strength))
    yield "standardised, Bayesian ridge", scaled(linear_model.BayesianRidge())
    yield "standardised, relevance determination", scaled(linear_model.ARDRegression())
    yield "standardised, Huber", scaled(linear_model.HuberRegressor(max_iter=1000))
    yield (
        "standardised, Theil-Sen",
        scaled(linear_model.TheilSenRegressor(random_state=STATE, max_subpopulation=1000)),
    )
    yield "standardised, median regression", scaled(linear_model.QuantileRegressor(alpha=0.0))
    yield "standardised, stochastic gradient descent", scaled(linear_model.SGDRegressor(random_state=STATE))
    for count in (1, 3, 6):
        name = f"standardised, matching pursuit ({count} features)"
        yield name, scaled(linear_model.OrthogonalMatchingPursuit(n_nonzero_coefs=count))
    yield "standardised, Poisson", scaled(linear_model.PoissonRegressor(alpha=0.1, max_iter=1000))
    yield "standardised, gamma", scaled(linear_model.GammaRegressor(alpha=0.1, max_iter=1000))
    yield (
        "standardised, ridge on the logarithm",
        TransformedTargetRegressor(scaled(linear_model.Ridge(10.0)), func=np.log1p, inverse_func=np.expm1),
    )


def projected_regressors() -> Iterator[Team]:
    """Least squares on fewer or on more features."""
    for count in (1, 2, 4, 6):
        name = f"standardised, {count} principal components, least squares"
        yield name, scaled(decomposition.PCA(count, random_state=STATE), linear_model.LinearRegression())
    for count in (1, 2, 4):
        yield f"partial least squares ({count} components)", cross_decomposition.PLSRegression(count)
    for strength in (10.0, 100.0, 1000.0):
        name = f"standardised, products, ridge (alpha={strength:g})"
        products = PolynomialFeatures(2, include_bias=False)
        yield name, scaled(products, StandardScaler(), linear_model.Ridge(strength))
    for strength in (1.0, 10.0, 100.0):
        name = f"standardised, splines, ridge (alpha={strength:g})"
        yield name, scaled(SplineTransformer(4), linear_model.Ridge(strength))
    ranks = QuantileTransformer(n_quantiles=100, output_distribution="normal", random_state=STATE)
    yield "ranks, ridge (alpha=10)", make_pipeline(ranks, linear_model.Ridge(10.0))
    yield "power transform, ridge (alpha=10)", make_pipeline(PowerTransformer(), linear_model.Ridge(10.0))


def neighbour_and_kernel_regressors() -> Iterator[Team]:
    """Means of the nearest neighbours, support vectors, kernel ridge, Gaussian processes."""
    for count in (1, 5, 10, 25, 50):
        yield f"{count} nearest", neighbors.KNeighborsRegressor(count)
        yield f"standardised, {count} nearest", scaled(neighbors.KNeighborsRegressor(count))
    for strength in (1.0, 10.0, 100.0):
        yield f"standardised, support vectors (rbf, C={strength:g})", scaled(svm.SVR(C=strength))
    yield "standardised, support vectors (linear)", scaled(svm.SVR(kernel="linear"))
    for width in (0.01, 0.1):
        name = f"standardised, kernel ridge (gamma={width:g})"
        yield name, scaled(_centred(kernel_ridge.KernelRidge(kernel="rbf", gamma=width)))
    for noise in (0.1, 1.0):
        kernel = RBF(3.0) + WhiteKernel(noise)
        process = gaussian_process.GaussianProcessRegressor(
            kernel, optimizer=None, normalize_y=True, random_state=STATE
        )
        yield f"standardised, Gaussian process (noise {noise:g})", scaled(process)


def tree_regressors() -> Iterator[Team]:
    """Trees, alone, averaged and boosted."""
    for depth in (1, 2, 3, 5, None):
        yield f"tree ({_depth(depth)})", tree.DecisionTreeRegressor(max_depth=depth, random_state=STATE)
    for count in (10, 100, 300):
        yield f"random forest of {count}", ensemble.RandomForestRegressor(count, random_state=STATE)
    for leaf in (5, 15):
        forest = ensemble.RandomForestRegressor(200, min_samples_leaf=leaf, max_features=0.5, random_state=STATE)
        yield f"random forest of 200 ({leaf} per leaf, half the features)", forest
    for leaf in (1, 5):
        trees = ensemble.ExtraTreesRegressor(200, min_samples_leaf=leaf, random_state=STATE)
        yield f"extremely random trees, 200 ({leaf} per leaf)", trees
    for count in (20, 100):
        yield (
            f"boosted trees (AdaBoost), {count}",
            ensemble.AdaBoostRegressor(n_estimators=count, random_state=STATE),
        )
    for count, depth in ((50, 1), (100, 2), (100, 3), (500, 3)):
        boosted = ensemble.GradientBoostingRegressor(n_estimators=count, max_depth=depth, random_state=STATE)
        yield f"gradient boosting, {count} trees (depth {depth})", boosted
    yield "histogram boosting", ensemble.HistGradientBoostingRegressor(random_state=STATE)
    yield (
        "histogram boosting, slow and small",
        ensemble.HistGradientBoostingRegressor(learning_rate=0.03, max_leaf_nodes=5, random_state=STATE),
    )


def other_regressors() -> Iterator[Team]:
    """Small neural networks, and several models together."""
    for layers in ((16,), (64, 64)):
        network = neural_network.MLPRegressor(hidden_layer_sizes=layers, alpha=1.0, max_iter=1000, random_state=STATE)
        yield f"standardised, network {layers}", scaled(_centred(network))
    members = [
        ("ridge", scaled(linear_model.Ridge(10.0))),
        ("forest", ensemble.RandomForestRegressor(200, min_samples_leaf=5, random_state=STATE)),
        ("vectors", scaled(svm.SVR(C=100.0))),
    ]
    yield "mean of ridge and forest", ensemble.VotingRegressor(members[:2])
    yield "mean of ridge, forest and support vectors", ensemble.VotingRegressor(members)
    yield "stack of ridge, forest and support vectors", ensemble.StackingRegressor(members, cv=5)


def _centred(regressor: Any) -> Any:
    """A regressor that sees the target standardised."""
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


def _depth(depth: int | None) -> str:
    return "full depth" if depth is None else f"depth {depth}"


Predict = Callable[[Any, Any], Any]


def _labels(fitted: Any, features: Any) -> Any:
    return fitted.predict(features)


def _positive(fitted: Any, features: Any) -> Any:
    return fitted.predict_proba(features)[:, 1]


def _shares(fitted: Any, features: Any) -> Any:
    return fitted.predict_proba(features)


# Per competition: its target, its population, and what it wants predicted.
CONTESTS: dict[str, tuple[str, Callable[[], Iterator[Team]], Predict]] = {
    "practice-breast-cancer": ("malignant", classifiers, _positive),
    "practice-diabetes": ("progression", regressors, _labels),
    "practice-digits": ("digit", classifiers, _labels),
    "practice-wine": ("cultivar", classifiers, _shares),
}


def read_data(competition: LocalCompetition) -> tuple[Any, Any, Any, pd.DataFrame]:
    """Features and target to learn from, features to predict from, the sample submission, all public."""
    target = CONTESTS[competition.id][0]
    train, test = (pd.read_csv(competition.public_dir / name) for name in ("train.csv", "test.csv"))
    features = []
    for name, part in (("train", train.drop(columns=target)), ("test", test)):
        folder = competition.public_dir / name
        features.append(read_pixels(folder, part["id"]) if folder.is_dir() else part.drop(columns="id").to_numpy())
    return features[0], train[target].to_numpy(), features[1], pd.read_csv(competition.sample_submission)


def read_pixels(folder: Path, ids: Any) -> NDArray[np.float64]:
    """One row of pixels per picture."""
    return np.array([np.asarray(Image.open(folder / f"{each}.png")).ravel() for each in ids], dtype=np.float64)


def score(data_dir: Path, competition_id: str, team: str) -> float:
    """Fit one pipeline and grade what it predicts."""
    competition = Registry(data_dir).get_competition(competition_id)
    _, population, predict = CONTESTS[competition_id]
    features, target, unseen, submission = read_data(competition)
    with warnings.catch_warnings():
        # Some teams are meant to be poor: too few iterations, features that are nearly collinear.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        fitted = dict(population())[team].fit(features, target)
    columns = submission.columns[1:]
    submission[columns] = np.reshape(predict(fitted, unseen), (len(submission), len(columns)))
    return round(competition.grader.raw_score(submission, pd.read_csv(competition.answers)), DECIMALS)


def make_leaderboard(competition: LocalCompetition, pool: ProcessPoolExecutor) -> None:
    """Score the whole population and write leaderboard.csv, best first."""
    prepare(competition)
    teams = [name for name, _ in CONTESTS[competition.id][1]()]
    assert len(set(teams)) == len(teams), "two teams have one name"
    scores = pool.map(partial(score, competition.data_dir, competition.id), teams)
    sign = 1 if competition.declaration.better == "lower" else -1
    rows = sorted(zip(scores, teams, strict=True), key=lambda row: (sign * row[0], row[1]))
    assert competition.declaration.folder is not None
    with (competition.declaration.folder / "leaderboard.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["score", "team"])
        writer.writerows(rows)
    standings = competition.declaration.human_leaderboard()
    assert standings is not None
    print(f"{competition.id}: {len(rows)} teams, {standings.thresholds}")


def main() -> None:
    # One thread per worker process: sums then run in one order, and the processes do not crowd each other.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool,
    ):
        for competition_id in sys.argv[1:] or CONTESTS:
            make_leaderboard(Registry(Path(folder)).get_competition(competition_id), pool)


if __name__ == "__main__":
    main()
