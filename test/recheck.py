#!/usr/bin/env python3
"""Recompute icecore's conclusions from an export of its events, without icecore's code.

    icecore export events > events.ndjson
    python3 test/recheck.py events.ndjson

Reads the lines of `icecore export events` from files or standard input. For every ablation it adds up, from what was measured of
each arm, the value of the arm in each unit; from these the means with their intervals, and every contrast with its interval, p,
correction after Holm and outcome; and it compares all of them with what AblationCompleted recorded. For every evaluation it
compares the recorded rates and intervals with the recorded counts; where an evaluation or a training names the rollouts that it adds
up, also with those. Differences are listed; the exit code is 1 where there is one.
"""

import itertools
import json
import math
import random
import sys
from collections import defaultdict

EXACT_PAIRS = 18  # With more pairs, icecore samples 20,000 sign assignments; so does this script, with other random numbers.
DRAWN = 20_000
TOLERANCE = 1e-9
BENCHMARK_MEASURES = {"valid": "valid", "optimal": "optimal"}
VALIDATION_MEASURES = {"validation": "valid", "area": "valid"}
LOWER_IS_BETTER = {"brier"}


class Finding:
    """A recomputed figure; `problem` is None if it equals the recorded one."""

    def __init__(self, what, problem=None):
        self.what = what
        self.problem = problem


def compare(what, recorded, computed, tolerance=TOLERANCE):
    if recorded is None and computed is None:
        return Finding(what)
    if recorded is None or computed is None or not math.isclose(recorded, computed, rel_tol=1e-7, abs_tol=tolerance):
        return Finding(what, f"recorded {recorded}, recomputed {computed}")
    return Finding(what)


def number(value):
    """A score is a number, or an object with the reason why there is none."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def mean(values):
    return sum(values) / len(values)


# --- statistics -----------------------------------------------------------------------------------------------------


def all_set_means(differences):
    """The means of all non-empty sets of pairs, which determine p and the interval for every possible centre."""
    if len(differences) <= EXACT_PAIRS:
        means = []
        for chosen in range(1, 2 ** len(differences)):
            members = [d for i, d in enumerate(differences) if chosen >> i & 1]
            means.append(sum(members) / len(members))
        return sorted(means), True
    luck = random.Random(len(differences))
    means = []
    while len(means) < DRAWN:
        members = [d for d in differences if luck.random() < 0.5]
        if members:
            means.append(sum(members) / len(members))
    return sorted(means), False


class SignFlip:
    """Signs of pairs flipped around a centre; ties count as at least as extreme on both sides."""

    def __init__(self, differences):
        self.means, self.exact = all_set_means(differences)
        self.ways = len(self.means) + 1
        self.slack = 1e-9 * max(abs(d) for d in differences)

    def above(self, middle):
        return (1 + sum(1 for m in self.means if m <= middle + self.slack)) / self.ways

    def below(self, middle):
        return (self.ways - sum(1 for m in self.means if m < middle - self.slack)) / self.ways

    def p(self):
        return min(1.0, 2 * self.above(0), 2 * self.below(0))

    def equivalence(self, margin):
        return max(self.above(-margin), self.below(margin))

    def interval(self, level):
        out = math.ceil(round(1 - level, 9) / 2 * self.ways) - 1
        if out < 1:
            return None
        low, high = self.means[out - 1], self.means[len(self.means) - out]
        return tuple(0.0 if abs(end) <= self.slack else end for end in (low, high))

    def tolerance(self):
        """Four standard errors of a sampled p of one half, for two independent samples."""
        return TOLERANCE if self.exact else 4 * math.sqrt(2) / math.sqrt(DRAWN)


def is_unvaried(differences):
    """Differences that are all alike have no interval: it would have no width."""
    return max(differences) - min(differences) <= 1e-9 * max(abs(d) for d in differences)


def sign_flip_by_signs(differences):
    """The same p by direct enumeration of all signs."""
    total = abs(sum(differences))
    slack = 1e-9 * sum(abs(d) for d in differences)
    extreme = 0
    for signs in itertools.product((1, -1), repeat=len(differences)):
        extreme += abs(sum(s * d for s, d in zip(signs, differences))) >= total - slack
    return extreme / 2 ** len(differences)


def holm(ps):
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    adjusted, most = list(ps), 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1.0, ps[i] * (len(ps) - rank)))
        adjusted[i] = most
    return adjusted


def hedges(differences):
    n = len(differences)
    if n < 3:
        return None
    centre = mean(differences)
    deviation = math.sqrt(sum((d - centre) ** 2 for d in differences) / (n - 1))
    if deviation <= 1e-9 * max(abs(d) for d in differences):
        return None
    m = n - 1
    correction = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    return correction * centre / deviation


def t_within(share, degrees):
    """The distance from the centre that contains a share of Student's t, by integrating its density."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def within(distance, steps=2000):
        # x = sqrt(degrees) tan(angle) makes the tail finite.
        end = math.atan(distance / math.sqrt(degrees))
        width = end / steps
        density = lambda angle: math.cos(angle) ** (degrees - 1)  # noqa: E731
        inner = sum((4 if i % 2 else 2) * density(i * width) for i in range(1, steps))
        return 2 * scale * math.sqrt(degrees) * (width / 3) * (density(0) + inner + density(end))

    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < share else (low, middle)
    return (low + high) / 2


_T = {}


def mean_interval(values, level):
    n = len(values)
    if n < 3 or all(v == values[0] for v in values):
        return None
    centre = mean(values)
    deviation = math.sqrt(sum((v - centre) ** 2 for v in values) / (n - 1))
    if (level, n) not in _T:
        _T[level, n] = t_within(level, n - 1)
    half = _T[level, n] * deviation / math.sqrt(n)
    return centre - half, centre + half


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def wilson(count, of, z=1.959963984540054):
    share = count / of
    shrunk = 1 + z**2 / of
    middle = (share + z**2 / (2 * of)) / shrunk
    half = z * math.sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2) / shrunk
    return (0.0 if count == 0 else middle - half), (1.0 if count == of else middle + half)


# --- reading --------------------------------------------------------------------------------------------------------


def read_events(paths):
    streams = [open(path, encoding="utf-8") for path in paths] if paths else [sys.stdin]
    for stream in streams:
        for line in stream:
            if line.strip():
                yield json.loads(line)


class Ablation:
    """The records of an ablation, by arm and unit."""

    def __init__(self):
        self.started = None
        self.completed = None
        self.proposals = {}
        self.rejections = {}
        self.evaluations = defaultdict(dict)

    def add(self, event):
        kind, data = event["type"], event["data"]
        if kind == "AblationStarted":
            self.started = data
        elif kind == "AblationCompleted":
            self.completed = data
        elif kind in ("ArmProposed", "ArmRejected", "ArmEvaluated"):
            key = (data["arm"], data.get("unit"), event["stage"])
            if kind == "ArmProposed":
                self.proposals[key] = data
            elif kind == "ArmRejected":
                self.rejections[key] = data
            else:
                self.evaluations[key][data["suite"]["name"]] = data

    def units(self):
        return self.started["options"]["units"]

    def unfinished(self):
        return {one["arm"] for one in self.completed["unfinished"]}

    # The value of an arm in a unit.

    def value(self, arm, unit, measure):
        if arm in self.unfinished():
            return None
        if measure in BENCHMARK_MEASURES or measure in VALIDATION_MEASURES:
            stages = sorted(stage for a, u, stage in self.evaluations if (a, u) == (arm, unit))
            if self.started["depth"] == "run" and measure != "area":
                stages = stages[-1:]
            rates = [self.rate(self.evaluations[arm, unit, stage], measure) for stage in stages]
        else:
            mine = [data for (a, u, _), data in sorted(self.proposals.items(), key=str) if (a, u) == (arm, unit)]
            rates = [self.score(data.get("scores") or {}, measure) for data in mine]
            if measure == "usable":
                rates += [0.0 for a, u, _ in self.rejections if (a, u) == (arm, unit)]
        known = [rate for rate in rates if rate is not None]
        return mean(known) if known else None

    @staticmethod
    def rate(suites, measure):
        on_validation = measure in VALIDATION_MEASURES
        named = VALIDATION_MEASURES.get(measure) or BENCHMARK_MEASURES[measure]
        results = [
            result
            for name, data in suites.items()
            if (name == "validation") == on_validation
            for result in data["results"]
            if result["family"] is None and result["measure"] == named
        ]
        if any(result.get("count") is None or result.get("of") is None for result in results):
            known = [v for v in (number(result["value"]) for result in results) if v is not None]
            return mean(known) if known else None
        tried = sum(result["of"] for result in results)
        return sum(result["count"] for result in results) / tried if tried else None

    @staticmethod
    def score(scores, measure):
        if measure in ("brier", "rank-correlation"):
            calibration = scores.get("calibration") or {}
            return number(calibration.get("rankCorrelation" if measure == "rank-correlation" else "brier"))
        return number(scores.get(measure))

    # Comparisons.

    def measure(self):
        declared = self.declared()
        return declared[0]["measure"] if declared else None

    def declared(self):
        primary = self.started.get("primary")
        return self.started.get("contrasts") or ([primary] if primary else [])

    def arm(self, name):
        return next((arm for arm in self.started["arms"] if arm["arm"] == name), None)

    @staticmethod
    def cell(arm):
        if arm["contextForm"] is None or "/" not in arm["arm"]:
            return None
        engineer, context = arm["arm"].rsplit("/", 1)
        return {"engineer": engineer, "context": context}

    @staticmethod
    def used(arm):
        """The modules that the engineer of an arm can use."""
        modules = (arm["contextForm"] or {}).get("modules", [])
        reads = arm["engineer"].get("reads")
        gone = set(arm.get("notApplicable", [])) | set(arm.get("without", []))
        return [m for m in modules if m not in gone and (reads is None or m in reads)]

    def decided_from(self, arm, modules):
        used = self.used(arm)
        unread = set(arm.get("notApplicable", [])) | modules
        items = [i for i in arm.get("without", []) if i not in unread] if used else []
        return json.dumps([arm["engineer"]["name"], sorted(used), sorted(items)])

    def same_source(self, of, less):
        """Whether both sides decided from the same input: a null by construction."""
        arms = [[self.arm(name) for name in side] for side in (of, less)]
        modules = {m for arm in arms[0] + arms[1] for m in (arm["contextForm"] or {}).get("modules", [])}
        one, other = (sorted(self.decided_from(arm, modules) for arm in side) for side in arms)
        return one == other

    def sides(self, comparison):
        """The arms whose means are compared."""
        arm, against, factor = comparison["arm"], comparison["reference"], comparison.get("factor")
        if factor is not None:
            return self.main_effect(factor, arm, against)
        if self.arm(arm) and self.arm(against):
            return [arm], [against]
        return self.factorial_effect(arm)

    def main_effect(self, factor, level, against):
        other = "context" if factor == "engineer" else "engineer"
        rows = {level: {}, against: {}}
        for arm in self.started["arms"]:
            cell = self.cell(arm)
            if arm["arm"] not in self.unfinished() and cell and cell[factor] in rows:
                rows[cell[factor]][cell[other]] = arm
        pairs, left_out = [], []
        for place, arm in rows[level].items():
            there = rows[against].get(place)
            if there is None:
                continue
            blind = not self.used(arm) or not self.used(there)
            same = factor == "context" and self.same_source([arm["arm"]], [there["arm"]])
            (left_out if blind or same else pairs).append((arm["arm"], there["arm"]))
        if factor == "engineer" and not pairs:
            pairs = left_out
        return [one for one, _ in pairs], [other for _, other in pairs]

    def is_lost(self, arm, against, factor):
        """Whether errors leave nothing to compare."""
        if factor is None:
            return bool({arm, against} & self.unfinished())
        cells = {one["arm"]: self.cell(one) for one in self.started["arms"]}
        errored = [name for name, cell in cells.items() if cell and cell[factor] in (arm, against) and name in self.unfinished()]
        return bool(errored) and not self.main_effect(factor, arm, against)[0]

    def factorial_effect(self, name):
        engineer, effect = name.split(": ", 1)
        factors = effect.split(" x ")
        own = [
            arm
            for arm in self.started["arms"]
            if arm["engineer"]["name"] == engineer and arm["contextForm"] is not None and not arm["baseline"]
        ]
        shown = lambda arm: [factor in arm["contextForm"]["modules"] for factor in factors]  # noqa: E731
        is_of = lambda arm: all(shown(arm)) if len(factors) == 1 else len(set(shown(arm))) == 1  # noqa: E731
        return [a["arm"] for a in own if is_of(a)], [a["arm"] for a in own if not is_of(a)]

    def repeating(self):
        """Without training: arms that decided the same with every seed of a run count once per run."""
        units = self.units()
        first = {}
        for unit in units:
            first.setdefault(unit["run"], unit["unit"])
        if self.started["depth"] != "propose" or len(first) == len(units):
            return set(), None
        run_of = {unit["unit"]: unit["run"] for unit in units}
        arms = set()
        for arm in (one["arm"] for one in self.started["arms"]):
            digests = defaultdict(set)
            for (name, unit, stage), data in self.proposals.items():
                if name == arm:
                    digests[run_of.get(unit), stage].add(data["configuration"]["digest"])
            if all(len(one) == 1 for one in digests.values()):
                arms.add(arm)
        return arms, list(first.values())

    def differences(self, of, less, measure):
        arms, once = self.repeating()
        units = once if once is not None and set(of + less) <= arms else [unit["unit"] for unit in self.units()]
        found = []
        for unit in units:
            sides = [[self.value(arm, unit, measure) for arm in side] for side in (of, less)]
            if of and less and all(value is not None for side in sides for value in side):
                difference = mean(sides[0]) - mean(sides[1])
                found.append(0.0 if abs(difference) < 1e-12 else difference)
        return found


def ablations_in(events):
    found = defaultdict(Ablation)
    for event in events:
        if event["stream"].startswith("ablation-"):
            found[event["stream"]].add(event)
    return {name: one for name, one in found.items() if one.started and one.completed}


# --- checks ---------------------------------------------------------------------------------------------------------


def check_results(events):
    """Means, medians and intervals of arms, from the values of each unit."""
    for name, ablation in ablations_in(events).items():
        level = ablation.started["level"]
        for result in ablation.completed["results"]:
            if result["statistic"] not in ("mean", "median"):
                continue
            arm, measure = result["arm"], result["measure"]
            what = f"{name}: {result['statistic']} {measure} of {arm}"
            values = [ablation.value(arm, unit["unit"], measure) for unit in ablation.units()]
            values = [value for value in values if value is not None]
            yield compare(f"{what}, units", result["units"], len(values))
            if not values:
                yield compare(what, number(result["value"]), None)
                continue
            centre = mean(values) if result["statistic"] == "mean" else median(values)
            yield compare(what, number(result["value"]), centre)
            interval = mean_interval(values, level) if result["statistic"] == "mean" else None
            low, high = interval or (None, None)
            yield compare(f"{what}, low", result.get("low"), low, 1e-7)
            yield compare(f"{what}, high", result.get("high"), high, 1e-7)


def check_contrasts(events):
    """Every contrast: its difference, interval, p, Holm's correction and outcome."""
    for name, ablation in ablations_in(events).items():
        declared = [(one["arm"], one["reference"], one.get("factor")) for one in ablation.declared()]
        families = defaultdict(list)
        for one in ablation.completed["contrasts"]:
            key = (one["arm"], one["reference"], one.get("factor"))
            what = f"{name}: {' '.join(str(part) for part in key if part)}"
            yield Finding(what, None if one["declared"] == (key in declared) else "declared or not, as AblationStarted says")
            family = "declared" if key in declared else "main effects" if one.get("factor") else "others"
            families[family].append((what, one))
        compared = {(o["arm"], o["reference"], o.get("factor")) for _, o in families["declared"]}
        for what in (key for key in declared if key not in compared and not ablation.is_lost(*key)):
            yield Finding(f"{name}: {what}", "declared but not compared")
        for family in families.values():
            yield from check_family(ablation, family)


def check_family(ablation, family):
    level, margin = ablation.started["level"], ablation.started.get("margin")
    alpha = round(1 - level, 9)
    tested = []
    for what, one in family:
        of, less = ablation.sides(one)
        differences = ablation.differences(of, less, one["measure"])
        yield compare(f"{what}, units", one["units"], len(differences))
        yield compare(f"{what}, difference", number(one["difference"]), mean(differences) if differences else None)
        is_null = not of or ablation.same_source(of, less)
        if is_null or "decided the same" in one.get("method", ""):
            problem = None if one["verdict"] == "not-applicable" and "p" not in one else "a null by construction is tested"
            if not is_null and any(differences):
                problem = "recorded as a null by construction, but the arms differ"
            yield Finding(f"{what}, outcome", problem)
        elif len(differences) < 2:
            yield Finding(f"{what}, outcome", None if one["verdict"] == "inconclusive" and "p" not in one else "tested without pairs")
        else:
            tested.append((what, one, differences, SignFlip(differences)))
    ps = holm([test.p() for *_, test in tested])
    equal = None if margin is None else holm([test.equivalence(margin) for *_, test in tested])
    for i, (what, one, differences, test) in enumerate(tested):
        tolerance = test.tolerance()
        yield compare(f"{what}, p", number(one.get("p")), test.p(), tolerance)
        if len(differences) <= 12:
            yield compare(f"{what}, p over all signs", number(one.get("p")), sign_flip_by_signs(differences))
        if "adjusted" in one or not (one["declared"] and len(tested) == 1):
            yield compare(f"{what}, p after Holm", number(one.get("adjusted")), ps[i], tolerance * len(tested))
        yield compare(f"{what}, effect", number(one.get("effect")), hedges(differences))
        if test.exact:
            # Earlier versions recorded an interval of no width for differences that are all alike.
            has_none = is_unvaried(differences) and "low" not in one
            low, high = (None, None) if has_none else test.interval(level) or (None, None)
            yield compare(f"{what}, low", one.get("low"), low)
            yield compare(f"{what}, high", one.get("high"), high)
            outcome = "equivalent" if equal and equal[i] < alpha else "significant" if ps[i] < alpha else "inconclusive"
            yield Finding(f"{what}, outcome", None if one["verdict"] == outcome else f"recorded {one['verdict']}, recomputed {outcome}")


def check_evaluations(events):
    """Rates and Wilson intervals of every evaluation, from its recorded counts."""
    for event in events:
        if event["type"] not in ("EvaluationRecorded", "ArmEvaluated"):
            continue
        data = event["data"]
        samples = max(1, data.get("samples") or 1)
        is_wilson = (data.get("interval") or {}).get("method") == "wilson"
        in_cells = [result for cell in data.get("cells", []) for result in cell["results"]]
        for result in data["results"] + in_cells:
            count, of = result.get("count"), result.get("of")
            # Spending on models is a sum, not a rate.
            if count is None or not of or "/" in result["measure"]:
                continue
            what = f"{event['stream']} {event['revision']}: {data['suite']['name']} {result['measure']} of {result.get('family')}"
            yield compare(what, number(result["value"]), count / of)
            if is_wilson and "low" in result and of % samples == 0:
                # Attempts at one task are correlated and count as one. Missing judgements leave some tasks with fewer attempts.
                low, high = wilson(count / samples, of / samples)
                yield compare(f"{what}, low", result["low"], low)
                yield compare(f"{what}, high", result["high"], high)


def rollouts_of(event, by_stream):
    """The rollouts among an event's causes, in order; None if there are none or they are not in the export."""
    spans = [cause for cause in event["causes"] if "stream" in cause]
    found = []
    for span in spans:
        stream = by_stream.get(span["stream"], {})
        for revision in range(span["from"], span["to"] + 1):
            if revision not in stream:
                return None
            if stream[revision]["type"] == "RolloutRecorded":
                found.append(stream[revision]["data"])
    return found if spans else None


def by_stream_of(events):
    by_stream = defaultdict(dict)
    for event in events:
        if event["stream"].startswith("evidence-"):
            by_stream[event["stream"]][event["revision"]] = event
    return by_stream


def tried_as(rollout, measure):
    """Whether a rollout counts, 1 or 0; None if unknown."""
    if measure == "fault":
        return int("error" in rollout)
    if "error" in rollout:
        return None
    success = rollout.get("success", False)
    if measure == "valid":
        return int(success)
    optimal = number(rollout.get("metrics", {}).get("optimal"))
    if optimal is not None:
        return int(optimal == 1)
    return None if success else 0


def check_rates_from_rollouts(events):
    """Every rate of an evaluation, its interval and its failures, from its rollouts."""
    by_stream = by_stream_of(events)
    for event in events:
        if event["type"] not in ("EvaluationRecorded", "ArmEvaluated"):
            continue
        rollouts = rollouts_of(event, by_stream)
        if rollouts is None:
            continue
        data = event["data"]
        name = f"{event['stream']} {event['revision']}: {data['suite']['name']}"
        yield compare(f"{name}, rollouts", data["rollouts"], len(rollouts))
        results = [(result["family"], None, result) for result in data["results"]]
        results += [(cell["family"], cell.get("conditions", {}), one) for cell in data.get("cells", []) for one in cell["results"]]
        for family, conditions, result in results:
            measure = result["measure"]
            if measure not in ("valid", "optimal", "fault"):
                continue
            own = [
                rollout
                for rollout in rollouts
                if family in (None, rollout.get("family"))
                and (conditions is None or rollout.get("task", {}).get("conditions", {}) == conditions)
            ]
            known = [(rollout, counts) for rollout, counts in ((r, tried_as(r, measure)) for r in own) if counts is not None]
            what = f"{name} from rollouts, {measure} of {family}{'' if not conditions else f' {conditions}'}"
            count, of = sum(counts for _, counts in known), len(known)
            yield compare(f"{what}, count", result.get("count"), count)
            yield compare(f"{what}, of", result.get("of"), of)
            if of == 0:
                continue
            yield compare(what, number(result["value"]), count / of)
            tasks = len({(one.get("task", {}).get("id"), one.get("task", {}).get("digest")) for one, _ in known})
            low, high = wilson(count * tasks / of, tasks)
            yield compare(f"{what}, low", result.get("low"), low)
            yield compare(f"{what}, high", result.get("high"), high)
        failed = defaultdict(int)
        for rollout in rollouts:
            if "error" not in rollout and "failureClass" in rollout:
                failed[rollout.get("family"), rollout["failureClass"]] += 1
        recorded = {(one["family"], one["class"]): one["count"] for one in data.get("failures", []) if one["family"] is not None}
        if recorded:
            yield Finding(f"{name}, failures", None if recorded == dict(failed) else f"recorded {recorded}, counted {dict(failed)}")


def check_signal_from_rollouts(events):
    """The learning signal of every training: the share of sample groups with different rewards, by family and overall."""
    by_stream = by_stream_of(events)
    for event in events:
        if event["type"] not in ("TrainingRecorded", "ArmTrained") or not event["data"].get("learningSignal"):
            continue
        rollouts = rollouts_of(event, by_stream)
        if rollouts is None:
            continue
        groups = []
        for rollout in rollouts:
            task = (rollout.get("trainingStep"), rollout.get("task", {}).get("id"), rollout.get("task", {}).get("digest"))
            if not groups or rollout.get("sample", 0) == 0 or groups[-1][0] != task:
                groups.append((task, rollout.get("family"), []))
            groups[-1][2].append(number(rollout.get("reward")))
        name = f"{event['stream']} {event['revision']}: learning signal"
        for signal in event["data"]["learningSignal"]:
            own = [rewards for _, family, rewards in groups if signal["family"] in (None, family)]
            differing = sum(1 for rewards in own if len(set(rewards)) > 1)
            yield compare(f"{name} of {signal['family']}, sample groups", signal["sampleGroups"], len(own))
            yield compare(f"{name} of {signal['family']}, with variance", signal["withVariance"], differing)
            yield compare(f"{name} of {signal['family']}", number(signal["share"]), differing / len(own) if own else None)


CHECKS = (
    check_evaluations,
    check_rates_from_rollouts,
    check_signal_from_rollouts,
    check_results,
    check_contrasts,
)


def main(paths):
    events = list(read_events(paths))
    problems = 0
    for check in CHECKS:
        findings = list(check(events))
        wrong = [one for one in findings if one.problem is not None]
        problems += len(wrong)
        print(f"{check.__name__[6:].replace('_', ' ')}: {len(findings)} recomputed, {len(wrong)} differ")
        for one in wrong:
            print(f"  {one.what}: {one.problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
