"""Runs pycma on the applied problems, and writes a row for each trial. `cargo xtask applied against` compares these with ours.

    pip install cma
    cargo build --package xtask
    python xtask/scripts/applied_pycma.py --problems gp,gp-naive --trials 21 --csv target/pycma.csv
    cargo xtask applied against target/applied/trials.csv target/pycma.csv

The functions are those of ddcma_problems: `xtask applied serve` evaluates them. pycma gets the same starts, initial deviations, bounds,
targets and budgets, and its own defaults otherwise; "pycma dd" is the same with its diagonal decoding.
"""

import argparse
import json
import math
import subprocess
import warnings

import cma
import numpy as np

SETTINGS = {"pycma": {}, "pycma dd": {"CMA_diagonal_decoding": True}}


class Problem:
    def __init__(self, program, name):
        command = [program, "applied", "serve", "--problems", name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def start(self, seed):
        return json.loads(self.ask(f"start {seed}"))

    def value(self, x):
        return float(self.ask(" ".join(repr(float(x)) for x in x)))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def trial(problem, seed, most, settings):
    """Whether the target was reached, evaluations to the full generation, and the best value."""
    about = problem.start(seed)
    options = {
        "seed": seed,
        "CMA_stds": about["deviations"],
        "maxfevals": min(about["budget"], most),
        "ftarget": about["target"],
        "verbose": -9,
        **settings,
    }
    if any(bound is not None for bound in about["lower"] + about["upper"]):
        options["bounds"] = [about["lower"], about["upper"]]
    es = cma.CMAEvolutionStrategy(about["start"], 1.0, options)
    evaluations, best = 0, math.inf
    while not es.stop() and best > about["target"]:
        points = es.ask()
        values = [problem.value(x) for x in points]
        evaluations += len(values)
        best = min([best] + [value for value in values if not math.isnan(value)])
        es.tell(points, values)
    return best <= about["target"], evaluations, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", required=True, help="names, separated by commas")
    parser.add_argument("--trials", type=int, default=21)
    parser.add_argument("--most", type=int, default=1_000_000, help="evaluations of a trial")
    parser.add_argument("--program", default="target/debug/xtask")
    parser.add_argument("--csv", required=True)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    with open(arguments.csv, "w") as file:
        print("problem,algorithm,seed,success,evaluations,best", file=file)
        for name in arguments.problems.split(","):
            problem = Problem(arguments.program, name)
            for algorithm, settings in SETTINGS.items():
                for seed in range(1, arguments.trials + 1):
                    success, evaluations, best = trial(problem, seed, arguments.most, settings)
                    print(f"{name},{algorithm},{seed},{int(success)},{evaluations},{best!r}", file=file, flush=True)
            problem.close()


if __name__ == "__main__":
    main()
