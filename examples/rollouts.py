"""Records rollouts from a Python training loop: prints one event per line as input for `icecore event append`.

    python3 examples/rollouts.py | npx icecore event append

Only the standard library is needed. Replace `play` by your own environment and policy. Run it twice: the ids are the
same for the same run, step and sample, so nothing is recorded a second time.
"""

import json
import random
import time
import uuid

RUN = "first"
STAGE = 1
STREAM = f"evidence-{RUN}-{STAGE}-0-1"  # run, stage, shard, attempt: one writer per stream
IDS = uuid.UUID("5f0c2f6e-52a5-4b57-9a3e-0d6a9a1f7c11")


def play(step: int, sample: int) -> dict:
    luck = random.Random(f"{step}/{sample}")
    solved = luck.random() < 0.1 + 0.02 * step
    return {"outcome": "valid" if solved else "hole", "success": solved, "reward": 1.0 if solved else 0.0}


for step in range(10):
    for sample in range(8):
        started = time.perf_counter()
        result = play(step, sample)
        event = {
            "id": str(uuid.uuid5(IDS, f"{RUN}/{STAGE}/{step}/{sample}")),
            "stream": STREAM,
            "type": "RolloutRecorded",
            "actor": "producer/example",
            "data": {
                "environment": "example",
                "split": "train",
                "family": "all",
                "policy": "luck",
                "trainingStep": step,
                "sample": sample,
                **result,
                "measured": {"seconds": time.perf_counter() - started},
            },
        }
        print(json.dumps(event), flush=True)
