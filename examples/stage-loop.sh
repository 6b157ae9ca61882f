#!/bin/sh
# A run whose trainer icecore does not start: icecore says what is to be trained, whatever stands in the middle trains it, and
# icecore takes what came of it, until no stage is left. A line that submits a job and waits for it fits there as well.
# Stopped at any moment, the same command goes on.
#   sh examples/stage-loop.sh [NAME]
set -eu

here=$(dirname "$0")
icecore=${ICECORE:-icecore}
run=${1:-stage-loop}
work=${WORK:-.}

while :; do
  # One line of JSON: configuration, budget, seed, the checkpoint to start from, a folder for what training leaves.
  $icecore stage start "$run" --stages 2 --engineer rules --budget 3_000 --policy pupil --suite none \
    --environment "python3 $here/arithmetic/environment.py" >"$work/stage.json"

  # This trainer reads it on its standard input, and tells of its updates and of its checkpoint, as docs/trainers.md says.
  python3 "$here/arithmetic/trainer.py" <"$work/stage.json" >"$work/told.ndjson"

  # Measures, gathers evidence, asks the engineer and adopts. Another trainer's checkpoint is named with --checkpoint.
  $icecore stage finish "$run" --curve "$work/told.ndjson"

  stage=$(sed 's/.*"stage":\([0-9]*\),.*/\1/' "$work/stage.json")
  stages=$(sed 's/.*"stages":\([0-9]*\),.*/\1/' "$work/stage.json")
  [ "$stage" -lt "$stages" ] || break
done
