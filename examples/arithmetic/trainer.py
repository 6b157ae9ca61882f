"""A trainer for the arithmetic example: trains the pupil of pupil.py. Only the standard library is needed.

icecore starts this program with a stage, a line of JSON on the standard input, and reads lines of JSON from its standard
output: docs/trainers.md has the protocol.
"""

import json
import os
import sys

import pupil
import tally
from environment import drawn, verdict_on
from problems import Luck

PROBLEMS, TRIES = 8, 8  # per update
POINTS, SAVES = 100, 10  # per training


def tell(message):
    print(json.dumps(message), flush=True)


def problem_of(stage, luck, number):
    families, negatives = stage["configuration"]["families"], stage["configuration"]["negatives"]
    rest = luck.fraction() * sum(knobs["share"] for knobs in families.values())
    for family, knobs in families.items():
        rest -= knobs["share"]
        if rest < 0:
            break
    return drawn("train", stage["seed"], family, knobs["digits"], knobs["terms"], negatives, number, set())[0]


def update(stage, step, skills, tallies):
    """Tries several problems several times each. Returns the agent steps used."""
    luck, practised, agent_steps = Luck(stage["seed"], "update", step), {}, 0
    for number in range(step * PROBLEMS, (step + 1) * PROBLEMS):
        instance = problem_of(stage, luck, number)
        family, places, chances = instance["family"], pupil.places_of(instance), pupil.chances(skills, instance)
        verdicts = [verdict_on(instance, pupil.answer(instance, chances, luck)) for _ in range(TRIES)]
        pupil.learn(skills, instance, [verdict["reward"] for verdict in verdicts])
        practised[family] = max(practised.get(family, 0), places)
        agent_steps += TRIES * places
        for counts in tallies:
            tally.add(counts, family, verdicts)
    pupil.forget(skills, practised)
    return agent_steps


def saved(folder, step, state):
    """Written under another name and renamed, so that a checkpoint is always complete."""
    path = os.path.join(folder, f"pupil-{step}.json")
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        json.dump(state, file)
    os.replace(f"{path}.part", path)
    return {"file": path, "step": step}


def main():
    stage = json.loads(sys.stdin.readline())
    budget, resume = stage["budget"], stage["resume"]
    if not set(budget) <= {"agent-steps", "updates"}:
        sys.exit(f"budget: found {', '.join(sorted(budget))}, allowed: agent-steps, updates")
    begin = resume["checkpoint"] if resume else stage["from"]
    known = pupil.loaded(begin["reference"]) if begin else {"skills": pupil.novice()}
    state = {"skills": known["skills"], "whole": known["whole"] if resume else {}}
    spent = {"agent-steps": 0, "updates": 0, **(resume["spent"] if resume else {})}
    lately = {}

    def part():
        return max((spent[unit] / limit if limit else 1 for unit, limit in budget.items()), default=1)

    while part() < 1:
        before = part()
        spent["updates"] += 1
        spent["agent-steps"] += update(stage, spent["updates"], state["skills"], [state["whole"], lately])
        if int(part() * POINTS) > int(before * POINTS):
            tell({"step": spent["updates"], "spent": spent, "values": tally.values(lately)})
            lately = {}
        if int(before * SAVES) < int(part() * SAVES) < SAVES:
            tell({"saved": saved(stage["folder"], spent["updates"], state)})
    tell({"done": {"checkpoint": saved(stage["folder"], spent["updates"], state), "spent": spent, **tally.results(state["whole"])}})


if __name__ == "__main__":
    main()
