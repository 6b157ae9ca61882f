#!/bin/sh
# A run whose trainer icecore does not start: two stages, each trained by whatever stands in the middle. Here that is another
# icecore; a line that submits a job and waits for it would do as well. Asked again after it was stopped, it goes on.
#   sh examples/stage-loop.sh [NAME]
set -eu
icecore=${ICECORE:-icecore}
run=${1:-by-hand}
stages=${STAGES:-2}
budget=${BUDGET:-30_000}
work=${WORK:-stage-loop}
mkdir -p "$work"

stage=1
while [ "$stage" -le "$stages" ]; do
  # What is to be trained is one line of JSON; a script of your own would read it with a JSON library.
  $icecore stage start "$run" --stages "$stages" --budget "$budget" --engineer rules --suite none >"$work/stage.json"
  field() { sed -n "s/.*$1.*/\\1/p" "$work/stage.json"; }
  field '"configuration":\({.*}\),"budget"' >"$work/configuration.json"
  seed=$(field '"seed":"\([^"]*\)"')
  from=$(field '"from":{[^}]*"reference":"\([^"]*\)"')
  stage=$(field '"stage":\([0-9]*\)')
  decisions=$(field '"budget":{"decisions":\([0-9]*\)}')

  $icecore lake train --config "$work/configuration.json" --budget "$decisions" --seed "$seed" ${from:+--from "$from"} \
    --out "$work/$run-$stage" --json >"$work/told.ndjson"

  $icecore stage finish "$run" --checkpoint "$work/$run-$stage" --curve "$work/told.ndjson"
  stage=$((stage + 1))
done
