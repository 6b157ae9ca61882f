"""Describes the environment: its knobs, families, failure classes and benchmark suites."""

import itertools

FAMILIES = {
    "addition": "sums",
    "multiplication": "products",
    "chains": "sums, differences and products in one line",
}
DIGITS = range(1, 5)
TERMS = range(2, 5)

def knob(family, word, meaning, low, high, step, integer, provokes=()):
    path = ["families", family, word] if family else [word]
    name = f"{family}.{word}" if family else word
    bounds = {"range": {"min": low, "max": high}, "step": step, **({"integer": True} if integer else {})}
    difficulty = {"harder": "more", "provokes": list(provokes)} if provokes else {}
    return {"name": name, "path": path, "meaning": meaning, "family": family, **bounds, **difficulty}


def knobs_of(family):
    yield knob(family, "share", "share of the training tasks", 0, 1, 0.05, False)
    yield knob(family, "digits", "digits of each number", DIGITS[0], DIGITS[-1], 1, True, ["off-by-one-digit", "wrong"])
    yield knob(family, "terms", "how many numbers", TERMS[0], TERMS[-1], 1, True, ["wrong"])


DESCRIPTOR = {
    "environment": "arithmetic",
    "version": "1",
    "meaning": "problems to be solved in the head",
    "knobs": [
        *itertools.chain.from_iterable(map(knobs_of, FAMILIES)),
        knob(None, "negatives", "share of the numbers that are negative", 0, 1, 0.1, False, ["wrong-sign"]),
    ],
    "sharesSum": [{"knobs": [f"{family}.share" for family in FAMILIES], "total": 1}],
    "families": [{"family": family, "meaning": meaning} for family, meaning in FAMILIES.items()],
    "outcomes": [
        {"outcome": "right", "meaning": "the number asked for"},
        {"outcome": "wrong", "meaning": "another number, or none"},
    ],
    "failureClasses": [
        {"class": "not-a-number", "meaning": "there is no whole number in the answer"},
        {"class": "wrong-sign", "meaning": "right but for its sign"},
        {"class": "off-by-one-digit", "meaning": "right but for one digit"},
        {"class": "wrong", "meaning": "wrong in any other way"},
    ],
    "facts": [
        {"fact": "digits", "meaning": "digits of each number"},
        {"fact": "terms", "meaning": "how many numbers"},
        {"fact": "negative", "meaning": "whether one of them is negative"},
    ],
    "metrics": [{"metric": "distance", "meaning": "how far off, as a part of the right number"}],
    "failed": {"all": [{"field": ["success"], "equals": False}]},
    "failureClass": {"field": ["failureClass"]},
    "family": {"field": ["task", "inline", "family"]},
}

START = {
    "families": {
        "addition": {"share": 0.5, "digits": 2, "terms": 2},
        "multiplication": {"share": 0.25, "digits": 1, "terms": 2},
        "chains": {"share": 0.25, "digits": 1, "terms": 3},
    },
    "negatives": 0.2,
}

SUITES = [
    {
        "name": "short",
        "meaning": "two and three digits, two and three numbers",
        "seed": 20260701,
        "tasks": 120,
        "parameters": {"digits": [2, 3], "terms": [2, 3], "perCell": 10},
    },
    {
        "name": "long",
        "meaning": "four numbers of three and four digits",
        "seed": 20260702,
        "tasks": 120,
        "parameters": {"digits": [3, 4], "terms": [4], "perCell": 20},
    },
]
