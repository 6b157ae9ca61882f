"""A policy that computes digit by digit. Each digit has its own skill, the probability that it is correct: one for each place of
the results of sums, of products and of chains. trainer.py trains it."""

import json
import math

from description import FAMILIES
from problems import solution

PLACES = 16  # of the longest product
NOVICE = 0.5
LEARNING, FORGETTING = 0.01, 0.0005


def novice():
    return {family: [NOVICE] * PLACES for family in FAMILIES}


def loaded(checkpoint):
    with open(checkpoint, encoding="utf-8") as file:
        return json.load(file)


def places_of(instance):
    return len(str(abs(solution(instance))))


def chances(skills, instance):
    """By place, from the right: every operator is another chance for an error."""
    return [math.prod([skill] * len(instance["operators"])) for skill in skills[instance["family"]]]


def answer(instance, chances, luck):
    """A wrong digit is a random digit."""
    right = solution(instance)
    digits = "".join(
        digit if luck.fraction() < chance else str(luck.below(10))
        for digit, chance in zip(str(abs(right)), reversed(chances[: places_of(instance)]))
    )
    return -int(digits) if right < 0 else int(digits)


def learn(skills, instance, rewards):
    """In proportion to the variance of the rewards: most if half of the tries succeed, nothing if all or none do."""
    mean = math.fsum(rewards) / len(rewards)
    variance = math.fsum((reward - mean) * (reward - mean) for reward in rewards) / len(rewards)
    own = skills[instance["family"]]
    for place in range(places_of(instance)):
        own[place] += LEARNING * 4 * variance * (1 - own[place])


def forget(skills, practised):
    """Skills that no problem of an update needed."""
    for family, own in skills.items():
        for place in range(practised.get(family, 0), len(own)):
            own[place] -= FORGETTING * (own[place] - NOVICE)
