#!/usr/bin/env bash
# Runs to the end with an array of Slurm for each generation: slurm.sh QUEUE RUN PROGRAM [OPTIONS OF SBATCH]. `QUEUE` is the built
# example. Call it on the login node, or as a job of its own with one core; killed at any moment, the same command goes on.
set -euo pipefail
queue=$1 run=$2 program=$3
shift 3
job=$(dirname "$0")/job.sh
mkdir -p "$run/logs"
asked='' rounds=0
while tasks=$("$queue" ask "$run"); do
    # Candidates whose job has died are submitted again, but not for ever.
    if [ "$tasks" = "$asked" ]; then rounds=$((rounds + 1)); else rounds=1; fi
    [ "$rounds" -le 3 ] || { echo "no value in three rounds: $tasks" >&2; exit 1; }
    asked=$tasks
    read -r generation candidates <<< "$tasks"
    # Waits until all tasks are over, whatever became of them.
    sbatch --wait --array="$candidates" --output="$run/logs/%A-%a" "$@" "$job" "$run" "$generation" - "$program" || true
    "$queue" tell "$run"
done
"$queue" status "$run" || [ $? = 3 ]
