#!/usr/bin/env python3
"""An engineer: the more a family is solved, the more data it gets, until it is mastered. See docs/engineers.md.

    icecore run --engineer "python3 examples/engineers/easier.py" --context combined
"""
import json
import sys

asked = json.load(sys.stdin)
configuration, reasons, solved = asked["current"], [], {}
for module in asked["context"]["modules"] if asked["context"] else []:
    if module["module"] == "behaviour":
        solved = {fact["family"]: fact for fact in module["facts"] if fact["measure"] == "valid"}

for whole in asked["descriptor"].get("sharesSum", []):
    shares = []
    for knob in asked["descriptor"]["knobs"]:
        fact = solved.get(knob["family"])
        if knob["name"] not in whole["knobs"] or fact is None:
            continue
        factor = 0.25 + fact["value"] if fact["value"] < 0.9 else 1
        *path, key = knob["path"]
        place = configuration
        for step in path:
            place = place[step]
        shares.append((place, key, factor))
        reasons.append({"knob": knob["name"], "cites": [fact["evidenceId"]], "reason": f"{fact['value']:.0%} are solved"})
    before = sum(place[key] for place, key, _ in shares)
    after = sum(place[key] * factor for place, key, factor in shares)
    for place, key, factor in shares:
        place[key] *= factor * before / after if after > 0 else 1

predictions = [{"family": family, "value": fact["value"]} for family, fact in solved.items()]
print(json.dumps({"configuration": configuration, "reasons": reasons, "predictions": predictions}))
