#!/usr/bin/env bash
# Evaluates one candidate: job.sh RUN GENERATION CANDIDATE PROGRAM. The program gets the variables as arguments and prints the value.
# In a Slurm array, CANDIDATE is `-`, and the number of the task is used.
set -euo pipefail
run=$1 generation=$2 candidate=$3 program=$4
[ "$candidate" != - ] || candidate=$SLURM_ARRAY_TASK_ID
folder="$run/$generation"
row=$(grep "^$generation,$candidate," "$folder/candidates.csv")
IFS=, read -r _ _ key variables <<< "$row"
value=$("$program" ${variables//,/ })
# A file with its final name is complete. Names that begin with a dot are not read.
echo "$generation,$candidate,$key,$value" > "$folder/.$candidate.$$"
mv "$folder/.$candidate.$$" "$folder/$candidate.value"
