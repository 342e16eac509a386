"""Runs pycma's BIPOP-CMA-ES on COCO's bbob functions, by the protocol of `cargo xtask-coco coco`.

    python3 -m venv pycma && pycma/bin/pip install cma coco-experiment
    pycma/bin/python benches/python/pycma_bbob.py --dims 5,20 --instances 16-30 --out target/pycma

Each run starts uniformly in [-4, 4]^n with sigma 2, and restarts continue until the final target, 1e-8 above the minimum, or the budget.
Writes the same columns as `problems.csv` of our own experiments and prints their summary. Running the same command again continues from
the existing records. `--dd` switches on pycma's diagonal decoding.
"""

import argparse
import csv
import multiprocessing
import os
import tempfile
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core for each problem, as in our own experiments
import cma
import cocoex
import numpy as np

COLUMNS = ["function", "n", "instance", "strategy", "policy", "evaluations", "hit", "best_precision"]
TARGETS = 10 ** np.linspace(2, -8, 51)


def numbers(text):
    """`1,3,8-10` as a list."""
    ends = [part.split("-") for part in text.split(",")]
    return [k for end in ends for k in range(int(end[0]), int(end[-1]) + 1)]


def coco_problem(function, n, instance):
    suite = cocoex.Suite("bbob", f"instances: {instance}", f"dimensions: {n} function_indices: {function}")
    return next(iter(suite)), suite  # the suite owns the problem


def minimum(function, n, instance):
    """The value at the optimum, by a copy of the problem: COCO writes the optimum to a file of the working directory."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            problem, suite = coco_problem(function, n, instance)
            problem._best_parameter("print")
            (file,) = Path(folder).iterdir()
            return problem(np.loadtxt(file))
        finally:
            os.chdir(here)


class Hit(Exception):
    """The final target is hit, or the budget is spent."""


def solve(task):
    function, n, instance, options = task
    problem, suite = coco_problem(function, n, instance)
    budget = options.budget_multiplier * n
    random = np.random.default_rng([options.seed, function, n, instance])

    def f(x):
        if problem.final_target_hit or problem.evaluations >= budget:
            raise Hit
        return problem(x)

    settings = {"verbose": -9, "seed": int(random.integers(1, 2**31)), "maxfevals": budget, "CMA_diagonal_decoding": options.dd}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:  # pycma ends after a number of restarts; whatever is left of the budget is for another search
            try:
                cma.fmin2(f, lambda: random.uniform(-4, 4, n), 2.0, settings, restarts=99, bipop=True)
            except Hit:
                break
    precision = problem.best_observed_fvalue1 - minimum(function, n, instance)
    name = "pycma-dd" if options.dd else "pycma"
    return [f"bbob-f{function}", n, instance, name, "bipop", problem.evaluations, int(problem.final_target_hit), precision]


def summary(rows):
    for n in sorted({int(row["n"]) for row in rows}):
        of_n = [row for row in rows if int(row["n"]) == n]
        solved = sum(row["hit"] == "1" for row in of_n)
        share = np.mean([np.mean(TARGETS >= max(float(row["best_precision"]), 0)) for row in of_n])
        print(f"n = {n}: {solved} of {len(of_n)} problems solved, {share:.3f} of the targets reached")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=numbers, default="1-24", help="such as 1,3,8-10")
    parser.add_argument("--dims", type=numbers, default="5,20", help="dimensions of COCO's suite bbob")
    parser.add_argument("--instances", type=numbers, default="1-15")
    parser.add_argument("--budget-multiplier", type=int, default=10000, help="evaluations for each variable")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dd", action="store_true", help="with pycma's diagonal decoding")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--out", type=Path, default=Path("target/pycma"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / f"problems-{'dd-' if options.dd else ''}{options.budget_multiplier}-{options.seed}.csv"
    if not file.exists():
        file.write_text(",".join(COLUMNS) + "\n")
    with file.open() as known:
        done = {(row["function"], row["n"], row["instance"]) for row in csv.DictReader(known)}
    tasks = [(f, n, i, options) for n in options.dims for f in options.functions for i in options.instances]
    tasks = [task for task in tasks if (f"bbob-f{task[0]}", str(task[1]), str(task[2])) not in done]
    with multiprocessing.Pool(options.jobs) as pool, file.open("a", newline="") as out:
        for row in pool.imap_unordered(solve, tasks):
            csv.writer(out).writerow(row)
            out.flush()
    with file.open() as all_rows:
        summary(list(csv.DictReader(all_rows)))


if __name__ == "__main__":
    main()
