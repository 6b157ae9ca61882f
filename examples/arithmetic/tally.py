"""What a training came to, by group: problems, tries at them, how many were right, what they earned, and of how many
problems one try earned more than another."""

COUNTS = ("problems", "tries", "right", "reward", "differing")


def add(tally, group, verdicts):
    """The tries at one problem."""
    rewards = [verdict["reward"] for verdict in verdicts]
    right = sum(verdict["success"] for verdict in verdicts)
    counts = tally.setdefault(group, dict.fromkeys(COUNTS, 0))
    for name, more in zip(COUNTS, (1, len(verdicts), right, sum(rewards), min(rewards) < max(rewards))):
        counts[name] += more


def with_all(tally):
    """The groups that were met; before them, without a name, all of them together."""
    every = {name: sum(counts[name] for counts in tally.values()) for name in COUNTS}
    return {**({None: every} if tally else {}), **{group: tally[group] for group in sorted(tally)}}


def values(tally):
    """A point of the curve."""
    told = {}
    for group, counts in with_all(tally).items():
        of = "" if group is None else f"/{group}"
        told[f"valid{of}"] = counts["right"] / counts["tries"]
        told[f"signal{of}"] = counts["differing"] / counts["problems"]
        told.setdefault("reward", counts["reward"] / counts["tries"])
    return told


def results(tally):
    shares = [(group, counts["problems"], counts["differing"]) for group, counts in with_all(tally).items()]
    signal = [{"group": group, "groups": n, "withVariance": differ, "share": differ / n} for group, n, differ in shares]
    sampled = [{"group": group, "instances": n, "share": n / shares[0][1]} for group, n, _ in shares[1:]]
    return {"signal": signal, "sampled": sampled}
