"""An environment for icecore: arithmetic problems with difficulty knobs. Only the standard library is needed.

icecore starts this program and asks it for tasks and for verdicts: a line of JSON for each request on the standard input,
lines of JSON in reply on the standard output. docs/environments.md has the protocol, README.md beside this file
explains how to write an environment.
"""

import itertools
import json
import re
import sys

import pupil
from description import DESCRIPTOR, DIGITS, FAMILIES, START, SUITES, TERMS
from problems import Luck, likeness, problem, solution, split_of, written


def task(number, instance, like, conditions=None):
    numbers = instance["numbers"]
    facts = {
        "digits": len(str(abs(numbers[0]))),
        "terms": len(numbers),
        "negative": any(number < 0 for number in numbers),
    }
    cell = {} if conditions is None else {"conditions": conditions}
    family = instance["family"]
    known = {"symmetryDigest": like, "facts": facts}
    return {"id": f"{family}-{number}", "family": family, "instance": instance, **known, **cell}


TRIES = 400


def drawn(split, seed, family, digits, terms, negatives, number, taken):
    """A problem of a split that is not taken yet; None if there seems to be no other."""
    for attempt in range(TRIES):
        instance = problem(family, digits, terms, negatives, Luck(seed, split, family, digits, terms, number, attempt))
        like = likeness(instance)
        if split_of(like) == split and like not in taken:
            if split != "train":
                taken.add(like)
            return instance, like
    return None


def shortage(family, asked, achieved, conditions=None):
    cell = {"family": family, **({} if conditions is None else {"conditions": conditions})}
    says = "there are not enough different problems of this kind"
    return {"cell": cell, "asked": asked, "achieved": achieved, "says": says}


def counts(shares, count):
    """Whole numbers that sum to `count`, as close to the shares as possible."""
    exact = {family: share * count for family, share in shares.items()}
    rounded = {family: int(value) for family, value in exact.items()}
    nearest = sorted(exact, key=lambda family: rounded[family] - exact[family])
    for family in nearest[: count - sum(rounded.values())]:
        rounded[family] += 1
    return rounded


def generate(request):
    configuration, split, seed = request["configuration"], request["split"], request["seed"]
    wanted = counts({family: configuration["families"][family]["share"] for family in FAMILIES}, request["count"])
    order = [family for family, count in wanted.items() for _ in range(count)]
    order = [family for _, family in sorted((Luck(seed, place).rest, family) for place, family in enumerate(order))]
    made, taken, shortages = dict.fromkeys(FAMILIES, 0), set(), {}
    for family in order:
        if family in shortages:
            continue
        knobs = configuration["families"][family]
        negatives = configuration["negatives"]
        found = drawn(split, seed, family, knobs["digits"], knobs["terms"], negatives, made[family], taken)
        if found is None:
            shortages[family] = shortage(family, wanted[family], made[family])
            continue
        yield {"task": task(made[family], *found)}
        made[family] += 1
    yield {"done": True, "shortages": list(shortages.values())}


def cells(split, seed, all_digits, all_terms, signs, per_cell):
    """The same number of problems for every family, number of digits and number of terms."""
    shortages, taken, number = [], set(), itertools.count()
    for family, digits, terms, negative in itertools.product(FAMILIES, all_digits, all_terms, signs):
        conditions = {"digits": digits, "terms": terms, "negative": negative}
        for index in range(per_cell):
            found = drawn(split, seed, family, digits, terms, 1 if negative else 0, index, taken)
            if found is None:
                shortages.append(shortage(family, per_cell, index, conditions))
                break
            yield {"task": task(next(number), *found, conditions)}
    yield {"done": True, "shortages": shortages}


def probe(request):
    return cells(request["split"], request["seed"], DIGITS, TERMS, [False, True], request["perCell"])


def suite(request):
    chosen = next(suite for suite in SUITES if suite["name"] == request["suite"])
    parameters = chosen["parameters"]
    seed = str(chosen["seed"])
    return cells("test", seed, parameters["digits"], parameters["terms"], [False], parameters["perCell"])


def understood(answer):
    """The last whole number of a text, or the number itself; None if there is none."""
    if isinstance(answer, str):
        numbers = re.findall(r"-?\d+", answer.replace("\u2212", "-").replace(",", ""))
        return int(numbers[-1][:100]) if numbers else None
    if isinstance(answer, float) and answer.is_integer():
        return int(answer)
    return answer if isinstance(answer, int) and not isinstance(answer, bool) else None


def failure_of(found, right):
    if found is None:
        return "not-a-number", "there is no whole number in the answer"
    if found == -right:
        return "wrong-sign", f"{found} instead of {right}"
    ours, theirs = str(right), str(found)
    if len(ours) == len(theirs) and sum(a != b for a, b in zip(ours, theirs)) == 1:
        return "off-by-one-digit", f"{found} instead of {right}"
    return "wrong", f"{found} instead of {right}"


def exact(number):
    """JSON numbers are exact up to 2 ** 53: larger ones are sent as text."""
    return number if abs(number) < 2**53 else str(number)


def verdict_on(instance, answer):
    right, found = solution(instance), understood(answer)
    heard = {} if found is None else {"understood": exact(found)}
    if found == right:
        return {"outcome": "right", "success": True, "metrics": {"distance": 0}, "reward": 1, **heard}
    kind, message = failure_of(found, right)
    distance = {"value": None, "reason": "not a number"}
    if found is not None:
        whole = max(abs(right), 1)
        distance = min(abs(found - right), 10**9 * whole) / whole
    return {
        "outcome": "wrong",
        "success": False,
        "failures": [{"class": kind, "message": message, "details": {"right": str(right)}}],
        "metrics": {"distance": distance},
        "reward": 0.1 if kind == "off-by-one-digit" else 0,
        **heard,
    }


def judge(request):
    yield {"verdict": verdict_on(request["instance"], request["answer"])}


def draw(request):
    text = f"{written(request['instance'])} = "
    if "answer" not in request:
        yield {"drawing": {"text": f"{text}?"}}
        return
    right, found = solution(request["instance"]), understood(request["answer"])
    correction = "" if found == right else f"   (right: {right})"
    yield {"drawing": {"text": f"{text}{request['answer'] if found is None else found}{correction}"}}


def prompt(request):
    yield {"prompt": f"What is {written(request['instance'])}? Answer with the number alone."}


def chances_for(policy):
    """Of each digit of a problem: from the skills of a checkpoint, one skill for all digits, or untrained skills."""
    skill = policy.get("parameters", {}).get("skill")
    if skill is not None and "checkpoint" not in policy:
        return lambda instance: [skill] * pupil.PLACES
    skills = pupil.loaded(policy["checkpoint"])["skills"] if "checkpoint" in policy else pupil.novice()
    return lambda instance: pupil.chances(skills, instance)


def rollout(request):
    chances = chances_for(request["policy"])
    for asked, sample in itertools.product(request["tasks"], range(request["samples"])):
        instance = asked["instance"]
        answer = pupil.answer(instance, chances(instance), Luck(request["seed"], asked["id"], sample))
        result = {"task": asked["id"], "sample": sample, "answer": exact(answer), "verdict": verdict_on(instance, answer)}
        yield {"rollout": {**result, "agentSteps": pupil.places_of(instance)}}
    yield {"done": True}


def describe(_):
    understands = ["probe", "suite", "draw", "prompt", "rollout"]
    yield {"descriptor": DESCRIPTOR, "start": START, "suites": SUITES, "understands": understands}


ANSWERS = {
    "describe": describe,
    "generate": generate,
    "probe": probe,
    "suite": suite,
    "judge": judge,
    "draw": draw,
    "prompt": prompt,
    "rollout": rollout,
}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        try:
            for reply in ANSWERS[request["do"]](request):
                print(json.dumps({"request": request["request"], **reply}))
        except Exception as error:
            print(json.dumps({"request": request["request"], "error": {"message": f"{type(error).__name__}: {error}"}}))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
