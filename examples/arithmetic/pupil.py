"""A pupil who reckons digit by digit. How likely each comes out right is a skill of its own: for sums, products and chains,
and for the units, the tens and every other place of what comes out. trainer.py lets him practise."""

import json
import math

from description import FAMILIES
from problems import solution

PLACES = 16  # as many as the longest product has
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
    """By place, from the right: every operator is another chance to slip."""
    return [math.prod([skill] * len(instance["operators"])) for skill in skills[instance["family"]]]


def answer(instance, chances, luck):
    """A digit that slips is any digit."""
    right = solution(instance)
    digits = "".join(
        digit if luck.fraction() < chance else str(luck.below(10))
        for digit, chance in zip(str(abs(right)), reversed(chances[: places_of(instance)]))
    )
    return -int(digits) if right < 0 else int(digits)


def learn(skills, instance, rewards):
    """As much as the rewards of some tries differ: most where half of them succeed, nothing where all or none do."""
    mean = math.fsum(rewards) / len(rewards)
    variance = math.fsum((reward - mean) * (reward - mean) for reward in rewards) / len(rewards)
    own = skills[instance["family"]]
    for place in range(places_of(instance)):
        own[place] += LEARNING * 4 * variance * (1 - own[place])


def forget(skills, practised):
    """What was not among the problems of an update."""
    for family, own in skills.items():
        for place in range(practised.get(family, 0), len(own)):
            own[place] -= FORGETTING * (own[place] - NOVICE)
