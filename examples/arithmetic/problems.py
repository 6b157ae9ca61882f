"""Arithmetic problems: draws them, compares them, solves them and writes them out."""

import hashlib
import json

OPERATORS = {"addition": ["+"], "multiplication": ["*"], "chains": ["+", "-", "*"]}


class Luck:
    """Random choices that are the same on every machine: digits of a hash of their purpose."""

    def __init__(self, *purpose):
        self.renew(json.dumps(purpose).encode())

    def renew(self, source):
        self.source = hashlib.sha256(source).digest()
        self.rest = int.from_bytes(self.source, "big")

    def below(self, bound):
        if self.rest < 2**64:
            self.renew(self.source)
        self.rest, choice = divmod(self.rest, bound)
        return choice

    def fraction(self):
        return self.below(2**20) / 2**20


def problem(family, digits, terms, negatives, luck):
    low, high = 10 ** (digits - 1), 10**digits
    numbers = [low + luck.below(high - low) for _ in range(terms)]
    signs = OPERATORS[family]
    return {
        "family": family,
        "numbers": [-number if luck.fraction() < negatives else number for number in numbers],
        "operators": [signs[luck.below(len(signs))] for _ in range(terms - 1)],
    }


def likeness(instance):
    """The same for 3 + 5 and 5 + 3, and for the same problem among the chains."""
    numbers, operators = instance["numbers"], instance["operators"]
    if set(operators) in ({"+"}, {"*"}):
        numbers = sorted(numbers)
    return hashlib.sha256(json.dumps([numbers, operators]).encode()).hexdigest()


def split_of(like):
    """The split depends on the problem alone, never on a seed or a configuration."""
    bounds = [(70, "train"), (80, "probe"), (85, "probe-holdout"), (90, "validation"), (100, "test")]
    return next(split for bound, split in bounds if int(like[:8], 16) % 100 < bound)


def solution(instance):
    """Products before sums, from the left."""
    total, product = 0, instance["numbers"][0]
    for operator, number in zip(instance["operators"], instance["numbers"][1:]):
        if operator == "*":
            product *= number
        else:
            total, product = total + product, number if operator == "+" else -number
    return total + product


def written(instance):
    words = [str(instance["numbers"][0])]
    for operator, number in zip(instance["operators"], instance["numbers"][1:]):
        words += [operator, f"({number})" if number < 0 else str(number)]
    return " ".join(words)
