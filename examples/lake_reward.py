"""Rewards for plans on frozen lakes, from an `icecore lake judge` process that runs beside a Python trainer.

    python3 examples/lake_reward.py

Only the standard library is needed. `reward` has the form that trainers such as TRL ask for: completions in, one number
each out, and the lakes beside as a column of the data set. Here a policy that hurries to the goal and looks at nothing
tries eight lakes eight times each.
"""

import collections
import json
import os
import random
import shlex
import subprocess

ICECORE = shlex.split(os.environ.get("ICECORE", "npx icecore"))
BATCH = 64  # lines written before their answers are read: the capacity of a pipe is limited


class Judge:
    """Answers line by line, in order, without delay."""

    def __init__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([*ICECORE, "lake", "judge"], text=True, encoding="utf-8", **pipes)

    def __call__(self, lakes: list[dict], plans: list) -> list[dict]:
        lines = [json.dumps({**lake, "plan": plan}) for lake, plan in zip(lakes, plans, strict=True)]
        answers = []
        for begin in range(0, len(lines), BATCH):
            batch = lines[begin : begin + BATCH]
            self.process.stdin.write("".join(line + "\n" for line in batch))
            self.process.stdin.flush()
            answers += [self.answer() for _ in batch]
        return answers

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if line == "":
            raise RuntimeError(f"icecore lake judge ended with exit code {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:  # an invalid lake; invalid plans get a verdict like any other
            raise ValueError(answer["error"]["message"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


judge = Judge()


def reward(completions: list[str], lakes: list[dict], **_) -> list[float]:
    """1 for a valid plan, 0.2 more when it is optimal. A completion is written like RRD,WUL: agents separated by commas."""
    plans = [[moves.strip() for moves in text.split(",")] for text in completions]
    return [(answer["outcome"] == "valid") + 0.2 * (answer["optimal"] is True) for answer in judge(lakes, plans)]


def generate(count: int, seed: str) -> list[dict]:
    command = [*ICECORE, "lake", "generate", "--count", str(count), "--seed", seed]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def hurry(lake: dict, luck: random.Random) -> str:
    """For every agent the moves to its goal, in any order."""
    plan = []
    for agent in lake["agents"]:
        down, right = (goal - start for start, goal in zip(agent["start"], agent["goal"]))
        moves = ["D" if down > 0 else "U"] * abs(down) + ["R" if right > 0 else "L"] * abs(right)
        luck.shuffle(moves)
        plan.append("".join(moves))
    return ",".join(plan)


if __name__ == "__main__":
    luck = random.Random(1)
    lakes = [lake for lake in generate(8, "example") for _ in range(8)]
    completions = [hurry(lake, luck) for lake in lakes]
    rewards = reward(completions, lakes)
    for first in range(0, len(lakes), 8):
        print(lakes[first]["id"], " ".join(f"{value:.1f}" for value in rewards[first : first + 8]))
    print(f"mean reward {sum(rewards) / len(rewards):.3f}")
    plans = [text.split(",") for text in completions]
    outcomes = collections.Counter(answer["outcome"] for answer in judge(lakes, plans))
    print(", ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common()))
    judge.close()
