#!/usr/bin/env bash
# Executes a whole run with a Slurm array for each generation: slurm.sh QUEUE RUN PROGRAM [SBATCH OPTIONS]. QUEUE is the compiled example.
# Call it on the login node, or as a separate job with one core. If it is killed, the same command continues the run.
set -euo pipefail
queue=$1 run=$2 program=$3
shift 3
job=$(dirname "$0")/job.sh
mkdir -p "$run/logs"
asked='' rounds=0
while tasks=$("$queue" ask "$run"); do
    # Candidates whose job has failed are submitted again, but not forever.
    if [ "$tasks" = "$asked" ]; then rounds=$((rounds + 1)); else rounds=1; fi
    [ "$rounds" -le 3 ] || { echo "no value in three rounds: $tasks" >&2; exit 1; }
    asked=$tasks
    read -r generation candidates <<< "$tasks"
    # Waits until all tasks have ended, successfully or not.
    sbatch --wait --array="$candidates" --output="$run/logs/%A-%a" "$@" "$job" "$run" "$generation" - "$program" || true
    "$queue" tell "$run"
done
"$queue" status "$run" || [ $? = 3 ]
