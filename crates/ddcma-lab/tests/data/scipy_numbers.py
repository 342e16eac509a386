"""Prints the numbers that the tests of ddcma_lab::statistics hold ours against.

    pip install scipy==1.17.1 statsmodels==0.15.0
    python crates/ddcma-lab/tests/data/scipy_numbers.py
"""

import itertools

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def tails(sums, observed):
    """Twice the shorter tail of a distribution that is given by all of its values."""
    return min(1.0, 2 * min((sums <= observed + 1e-9).mean(), (sums >= observed - 1e-9).mean()))


def dealt(x, y):
    """U and the p-value of all ways to deal the numbers to two samples."""
    ranks, n = stats.rankdata(x + y), len(x)
    observed = ranks[:n].sum()
    sums = np.array([sum(chosen) for chosen in itertools.combinations(ranks, n)])
    return observed - n * (n + 1) / 2, tails(sums, observed)


def signed(differences):
    """The sum of positive ranks and the p-value of all signs."""
    d = np.array([value for value in differences if value != 0])
    ranks = stats.rankdata(abs(d))
    observed = ranks[d > 0].sum()
    signs = itertools.product([0, 1], repeat=len(d))
    return observed, tails(np.array([np.dot(ranks, s) for s in signs]), observed)


def intervals(samples, statistic):
    """Percentile intervals of 94, 95 and 96 %: that of a bootstrap with other random numbers lies between the outer ones."""
    for level in (0.94, 0.95, 0.96):
        found = stats.bootstrap(
            samples, statistic, vectorized=True, n_resamples=200_000, method="percentile", rng=1, confidence_level=level
        ).confidence_interval
        print(f"  {level}: {found.low:.17g} {found.high:.17g}")


print("wilson", [proportion_confint(k, n, method="wilson") for k, n in [(0, 11), (7, 11), (11, 11), (150, 200), (1, 1)]])
print("holm", multipletests([0.01, 0.04, 0.03, 0.005, 0.5, 0.2], method="holm")[1].tolist())

print("rank sum, exact", stats.mannwhitneyu([1, 2, 3], [4, 5, 6, 7], method="exact"))
print("rank sum, exact", stats.mannwhitneyu([19, 22, 16, 29, 24], [20, 11, 17, 12], method="exact"))
a = [3.1, 4.7, 2.2, 9.9, 5.5, 6.1, 7.3, 8.8, 1.5, 4.4, 6.6]
b = [5.2, 7.7, 8.1, 9.4, 10.3, 6.9, 11.2, 12.5, 3.3, 7.1, 9.0]
print("rank sum, exact", stats.mannwhitneyu(a, b, method="exact"))
print("rank sum, ties", dealt([10, 20, 20, 30, 40], [20, 30, 50, 50, 60, 70]), dealt([1, 1, 2], [1, 2, 2, 2]))
rng = np.random.default_rng(7)
x, y = rng.integers(100, 160, 80), rng.integers(108, 170, 70)
print("x", x.tolist())
print("y", y.tolist())
print("rank sum, normal", stats.mannwhitneyu(x, y, method="asymptotic"))

print("signed rank, exact", stats.wilcoxon([0.3, -0.1, 0.7, 1.2, -0.4, 0.9, 2.1, 0.6], method="exact"))
print("signed rank, ties", signed([1, 1, -1, 2, 3, -2, 0, 4]), signed([np.inf, np.inf, -1, 2, 3]))
d = np.round(rng.normal(0.2, 1, 60), 1)
print("d", d.tolist())
print("signed rank, normal", stats.wilcoxon(d, method="asymptotic", correction=True, zero_method="wilcox"))

print("quantiles", [float(np.quantile([120, 340, 250, 410, 180, 390, 275], q)) for q in (0.25, 0.5, 0.75)])
print("geometric mean", stats.gmean([0.5, 2.2, 1.3, 0.8]))
evaluations = np.array([1200, 3400, 2500, 10000, 4100, 1800, 10000, 3900, 2750])
print("ERT", evaluations.sum() / 7)
index = np.arange(9)
intervals((index,), lambda i, axis: evaluations[i].sum(axis=axis) / (evaluations < 10000)[i].sum(axis=axis))
print("ratio of medians", np.median(a) / np.median(b))
intervals((a, b), lambda u, v, axis: np.median(u, axis=axis) / np.median(v, axis=axis))
