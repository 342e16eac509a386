#!/usr/bin/env bash
# Executes a whole run with background processes: local.sh QUEUE RUN PROGRAM [PROCESSES]. QUEUE is the compiled example. If it is killed,
# the same command continues the run.
set -euo pipefail
queue=$1 run=$2 program=$3 processes=${4:-$(nproc)}
job=$(dirname "$0")/job.sh
asked='' rounds=0
while tasks=$("$queue" ask "$run"); do
    # Candidates whose job has failed are asked for again, but not forever.
    if [ "$tasks" = "$asked" ]; then rounds=$((rounds + 1)); else rounds=1; fi
    [ "$rounds" -le 3 ] || { echo "no value in three rounds: $tasks" >&2; exit 1; }
    asked=$tasks
    read -r generation candidates <<< "$tasks"
    tr , '\n' <<< "$candidates" | xargs -P "$processes" -I{} "$job" "$run" "$generation" {} "$program" || true
    "$queue" tell "$run"
done
"$queue" status "$run" || [ $? = 3 ]
