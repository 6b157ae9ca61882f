#!/bin/sh
# A trainer in plain sh. It learns nothing, but follows every rule of docs/trainers.md: it uses its budget, reports its
# updates, saves, resumes, and starts from the checkpoint of another training. Its "weights" are a checksum.
set -eu

# The stage is one line of JSON; a real trainer would read it with a JSON library.
stage=$(cat)
field() { printf '%s\n' "$stage" | sed -n "s/.*$1.*/\\1/p"; }
budget=$(field '"budget":{"agent-steps":\([0-9]*\)')
seed=$(field '"seed":"\([^"]*\)"')
folder=$(field '"folder":"\([^"]*\)"')
from=$(field '"from":{"reference":"\([^"]*\)"')
resume=$(field '"resume":{"checkpoint":{"reference":"\([^"]*\)"')
step=$(field '"resume":{.*"step":\([0-9]*\),"spent"')

step=${step:-0}
weights=$(cat "${resume:-${from:-/dev/null}}")
echo "training from update $step" >&2

# Written under another name and renamed, so that a checkpoint is always complete.
save() {
  echo "$weights" >"$folder/$1.part"
  mv "$folder/$1.part" "$folder/$1"
}

while [ $((step * 100)) -lt "$budget" ]; do
  step=$((step + 1))
  weights=$(echo "$weights $seed $step" | cksum)
  sleep "${UPDATE_SECONDS:-0}"
  echo "{\"step\": $step, \"spent\": {\"agent-steps\": $((step * 100))}, \"values\": {\"reward\": 0.$((step % 10))}}"
  [ $((step % 3)) -ne 0 ] || { save "update-$step"; echo "{\"saved\": {\"file\": \"update-$step\"}}"; }
done

save final
echo '{"done": {"checkpoint": {"file": "final"}}}'
