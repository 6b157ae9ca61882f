import hashlib, json, pathlib, random, sys

DESCRIPTOR = {
    "environment": "parity",
    "knobs": [{"name": "digits", "path": ["digits"], "meaning": "digits of the number", "family": "numbers",
               "range": {"min": 1, "max": 9}, "step": 1, "integer": True, "harder": "more", "provokes": ["wrong"]}],
    "families": [{"family": "numbers"}],
    "failed": {"all": [{"field": ["success"], "equals": False}]},
    "failureClass": {"field": ["failureClass"]},
    "family": {"field": ["family"]},
}
SPLITS = ["train", "train", "train", "probe", "probe-holdout", "validation", "test"]

def describe(request):
    yield {"descriptor": DESCRIPTOR, "start": {"digits": 3}, "understands": ["rollout"]}

def generate(request):
    wanted, made = request["count"], set()
    for attempt in range(20 * wanted + 1000):
        luck = int(hashlib.sha256(f"{request['seed']}/{attempt}".encode()).hexdigest(), 16)
        number = luck % 10 ** request["configuration"]["digits"]
        place = int(hashlib.sha256(str(number).encode()).hexdigest(), 16) % len(SPLITS)
        if len(made) < wanted and number not in made and SPLITS[place] == request["split"]:
            yield {"task": {"id": str(len(made)), "family": "numbers", "instance": {"number": number}}}
            made.add(number)
    missing = {"cell": {"family": "numbers"}, "asked": wanted, "achieved": len(made), "says": "too few such numbers"}
    yield {"done": True, "shortages": [missing] if len(made) < wanted else []}

def verdict_on(instance, answer):
    parity = ["even", "odd"][instance["number"] % 2]
    if answer == parity:
        return {"outcome": "right", "success": True}
    failure = {"class": "wrong" if answer in ("even", "odd") else "unreadable", "message": f"it is {parity}"}
    return {"outcome": "wrong", "success": False, "failures": [failure]}

def judge(request):
    yield {"verdict": verdict_on(request["instance"], request["answer"])}

def rollout(request):
    checkpoint = request["policy"].get("checkpoint")  # the path of a file that train.py wrote; None before any training
    skill = json.loads(pathlib.Path(checkpoint).read_text())["skill"] if checkpoint else 0.0
    for task in request["tasks"]:
        for sample in range(request["samples"]):
            luck = random.Random(f"{request['seed']}/{task['id']}/{sample}")
            is_right = luck.random() < (1 + skill) / 2  # play your own policy here
            answer = ["even", "odd"][(task["instance"]["number"] + (not is_right)) % 2]
            verdict = verdict_on(task["instance"], answer)
            yield {"rollout": {"task": task["id"], "sample": sample, "answer": answer, "verdict": verdict}}
    yield {"done": True}

for line in sys.stdin:
    request = json.loads(line)
    for reply in {"describe": describe, "generate": generate, "judge": judge, "rollout": rollout}[request["do"]](request):
        print(json.dumps({"request": request["request"], **reply}), flush=True)
