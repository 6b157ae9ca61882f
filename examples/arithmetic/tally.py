"""Statistics of a training by family: problems, tries, correct tries, total reward, and problems whose tries got different
rewards."""

COUNTS = ("problems", "tries", "right", "reward", "differing")


def add(tally, family, verdicts):
    """The tries at one problem."""
    rewards = [verdict["reward"] for verdict in verdicts]
    right = sum(verdict["success"] for verdict in verdicts)
    counts = tally.setdefault(family, dict.fromkeys(COUNTS, 0))
    for name, more in zip(COUNTS, (1, len(verdicts), right, sum(rewards), min(rewards) < max(rewards))):
        counts[name] += more


def with_all(tally):
    """All families together, under the name None, and then each family."""
    every = {name: sum(counts[name] for counts in tally.values()) for name in COUNTS}
    return {**({None: every} if tally else {}), **{family: tally[family] for family in sorted(tally)}}


def values(tally):
    """A point of the curve."""
    point = {}
    for family, counts in with_all(tally).items():
        of = "" if family is None else f"/{family}"
        point[f"valid{of}"] = counts["right"] / counts["tries"]
        point[f"signal{of}"] = counts["differing"] / counts["problems"]
        point.setdefault("reward", counts["reward"] / counts["tries"])
    return point


def results(tally):
    shares = [(family, counts["problems"], counts["differing"]) for family, counts in with_all(tally).items()]
    signal = [
        {"family": family, "sampleGroups": n, "withVariance": differ, "share": differ / n} for family, n, differ in shares
    ]
    sampled = [{"family": family, "tasks": n, "share": n / shares[0][1]} for family, n, _ in shares[1:]]
    return {"learningSignal": signal, "sampled": sampled}
