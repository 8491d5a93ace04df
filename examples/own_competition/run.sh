#!/usr/bin/env bash
# A competition of one's own: prepare it, check and grade submissions to it, let an agent work on it.
set -euo pipefail
MLEBENCH_COMPETITIONS_DIR=$(cd "$(dirname "$0")/competitions" && pwd)    # every command finds it by this variable
export MLEBENCH_COMPETITIONS_DIR MLEBENCH_DATA_DIR=data

mlebench list --metric "root mean squared error" --category tabular
mlebench prepare -c deliveries

public=data/deliveries/prepared/public
mlebench validate $public/sample_submission.csv deliveries
mlebench grade-sample $public/sample_submission.csv deliveries    # everybody waits 30 minutes: no medal

# A better guess: a quarter of an hour, four minutes a kilometre, more in the rain.
awk -F, 'NR == 1 {print "id,minutes"} NR > 1 {print $1 "," 15 + 4 * $2 + 6 * $3}' $public/test.csv > guess.csv
mlebench grade-sample guess.csv deliveries
