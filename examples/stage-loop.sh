#!/bin/sh
# A run whose trainer is started by this script: icecore describes each training, a program trains, and icecore takes the
# result, until no stage is left. Instead of the trainer, the script can submit a job and wait for it.
# Interrupt it at any time; the same command resumes the run.
#   sh examples/stage-loop.sh [NAME]
set -eu

here=$(dirname "$0")
icecore=${ICECORE:-icecore}
run=${1:-stage-loop}
work=${WORK:-.}

while :; do
  # One line of JSON: configuration, budget, seed, the checkpoint to start from, a folder for the files of the training.
  $icecore stage start "$run" --stages 2 --engineer rules --budget 3_000 --policy pupil --suite none \
    --environment "python3 $here/arithmetic/environment.py" >"$work/stage.json"

  # This trainer reads it from its standard input, and prints its updates and its checkpoint in the format of docs/trainers.md.
  python3 "$here/arithmetic/trainer.py" <"$work/stage.json" >"$work/output.ndjson"

  # Measures, collects evidence, asks the engineer and adopts its proposal. For other trainers, name the checkpoint with --checkpoint.
  $icecore stage finish "$run" --curve "$work/output.ndjson"

  stage=$(sed 's/.*"stage":\([0-9]*\),.*/\1/' "$work/stage.json")
  stages=$(sed 's/.*"stages":\([0-9]*\),.*/\1/' "$work/stage.json")
  [ "$stage" -lt "$stages" ] || break
done
