"""A training loop of your own that icecore records: for each stage it asks what to train, trains, and hands in the result.

    cd examples/own-loop && python3 loop.py

It calls `icecore`, or the program that the variable ICECORE names.
"""

import json, os, pathlib, random, shlex, subprocess, sys

NAME, STAGES = "own-loop", 2
SETTINGS = ["--environment", "python3 environment.py", "--policy", "mine", "--stages", str(STAGES), "--engineer", "rules",
            "--budget", "updates=30"]

def icecore(*words):
    command = shlex.split(os.environ.get("ICECORE", "icecore"))
    try:
        done = subprocess.run([*command, *words], stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not on the PATH: add its folder to PATH, or set ICECORE to the program with its path")
    if done.returncode != 0:
        sys.exit(done.returncode)  # icecore has said why
    return done.stdout

for _ in range(STAGES):
    stage = json.loads(icecore("stage", "start", NAME, *SETTINGS))  # configuration, budget, seed, checkpoint, folder
    skill = json.loads(pathlib.Path(stage["from"]["reference"]).read_text())["skill"] if stage["from"] else 0.0
    luck, printed = random.Random(stage["seed"]), []
    for update in range(1, stage["budget"]["updates"] + 1):
        number = luck.randrange(10 ** stage["configuration"]["digits"])
        task = {"id": f"update-{update}", "inline": {"number": number}}
        rewards = [float(luck.random() < (1 + skill) / 2) for _ in range(8)]  # train your own policy here
        for sample, reward in enumerate(rewards):
            answer = ["even", "odd"][(number + (reward == 0)) % 2]
            outcome = {"outcome": "right" if reward else "wrong", "success": reward == 1, "reward": reward}
            printed.append({"rollout": {"task": task, "family": "numbers", "sample": sample, "trainingStep": update,
                                        "answer": answer, **outcome}})
        skill += 0.02 * (1 - skill)
        printed.append({"step": update, "spent": {"updates": update}, "values": {"reward": sum(rewards) / 8}})
    folder = pathlib.Path(stage["folder"])
    (folder / "policy.json").write_text(json.dumps({"skill": skill}))
    printed.append({"done": {"checkpoint": {"file": "policy.json"}}})
    (folder / "printed.ndjson").write_text("".join(f"{json.dumps(line)}\n" for line in printed))
    icecore("stage", "finish", NAME, "--curve", str(folder / "printed.ndjson"))

print(icecore("show", NAME))
