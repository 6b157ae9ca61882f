"""What a model is told about a frozen lake, and which plan it said: as icecore itself tells and reads it.

A model is trained on the words with which it is asked later, and earns for an answer what it gets for it later; else it
learns a way of writing and no way over the ice. `lake_words.test.ts` holds this file to icecore's own code. Only the
standard library is needed.
"""

import json
import re
import string

PROMPT = """\
There is a frozen lake of <size> x <size> cells with <agents> on it. Each agent has a goal of its own. Plan the moves of all agents, from start to goal.

The lake:

<grid>

Rows are counted from 0 at the top, columns from 0 at the left. Two characters are a cell: ".." is free ice, "##" is a hole. A small letter is where an agent starts, a capital letter is the goal of that agent: "a." is the start of agent a, ".A" is the goal of agent a.

<places>
<holes>

In each step all agents move at the same time. A move is one of five letters: U (up, row - 1), D (down, row + 1), L (left, column - 1), R (right, column + 1), W (wait, stay on the cell).

A plan works if in every step
- no agent leaves the grid,
- no agent enters a hole,
- no two agents are on the same cell after the step,
- no two agents change places with each other in the step,
and if after the last step every agent is on its goal. An agent may enter a cell that another agent leaves in the same step. An agent that has made all its moves stays where it is, and is in the way of the others. No agent may make more than <horizon> moves.

The cost of a plan is the sum, over all agents, of the step at which the agent arrives at its goal to stay there. Find a plan that works at the least cost.

End your answer with one line of JSON: the moves of <each>, in the order of the letters, without spaces. It looks like this, with other moves:

<example>"""

LETTERS = string.ascii_lowercase
EXAMPLES = ["RRDW", "DL", "WUUR", "", "LWD"]  # nobody's way: they show the form


def prompt(lake: dict) -> str:
    size, agents = lake["size"], lake["agents"]
    cells = [["##" if [row, column] in lake["holes"] else ".." for column in range(size)] for row in range(size)]
    places = []
    for letter, agent in zip(LETTERS, agents, strict=False):
        (row, column), (goal_row, goal_column) = agent["start"], agent["goal"]
        cells[row][column] = letter + cells[row][column][1]
        cells[goal_row][goal_column] = cells[goal_row][goal_column][0] + letter.upper()
        places.append(f"Agent {letter}: start at {at(agent['start'])}; goal at {at(agent['goal'])}.")
    facts = {
        "size": str(size),
        "agents": "one agent" if len(agents) == 1 else f"{len(agents)} agents",
        "grid": "\n".join(" ".join(row) for row in cells),
        "places": "\n".join(places),
        "holes": f"Holes: {'; '.join(map(at, sorted(lake['holes'])))}." if lake["holes"] else "There are no holes.",
        "horizon": str(8 * size),
        "each": "agent a" if len(agents) == 1 else f"each agent, from a to {LETTERS[len(agents) - 1]}",
        "example": json.dumps({"plan": [EXAMPLES[i % 5] for i in range(len(agents))]}, separators=(",", ":")),
    }
    return re.sub(r"<(\w+)>", lambda found: facts[found[1]], PROMPT)


def at(cell: list[int]) -> str:
    return f"row {cell[0]}, column {cell[1]}"


# What JavaScript takes for white space, which is not quite what Python does.
SPACE = " \t\n\v\f\r\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
TAG = re.compile(r"<(/?)(?:think|thinking|thought)>")
OPENING = re.compile(r"[{[]")
MARK = re.compile(r'["\\{}[\]]')
AGENT = re.compile(r"(?:agent[ _-]?)?([a-z])", re.IGNORECASE | re.ASCII)
LINE = re.compile(r"(?:agent )?([a-z]) ?[:=] ?([a-z]*) ?[.,;]?", re.IGNORECASE | re.ASCII)
DECORATION = re.compile(rf"[{SPACE}*_`\"'#>|-]+")
DEEPEST = 4  # deeper within something else, nobody means a plan
MOST = 4_000_000  # characters that are looked at
NOTHING = object()  # not the same as null, which somebody may have said


def plan_in(completion: str):
    """What `icecore lake judge` is to judge: the plan that stands last, thoughts left out; the text where there is none."""
    answer = without_thoughts(completion)
    values = json_in(answer)
    for plan in (last(map(named_plan, values)), last(map(bare_plan, values)), lines_plan(answer)):
        if plan is not NOTHING and plan is not None:
            return plan
    return answer


def without_thoughts(whole: str) -> str:
    """Thoughts that never end go on to the end. An end without a beginning ends thoughts that began with the text."""
    text, begin, thinking = "", 0, False
    for tag in TAG.finditer(whole):
        is_end = tag[1] == "/"
        if thinking and not is_end:
            continue
        if not thinking:
            text = "" if is_end else text + whole[begin : tag.start()]
        thinking, begin = not is_end, tag.end()
    if begin == 0:
        return whole
    return (text if thinking else text + whole[begin:]).strip(SPACE)


def json_in(text: str) -> list:
    """Every object and every list that stands in a text. Brackets that belong to prose are passed over."""
    values, left, begin = [], MOST, 0
    while left > 0 and (found := OPENING.search(text, begin)):
        begin = found.start()
        end = end_of(text, begin, left)
        left -= (end or len(text)) - begin
        value = parsed(text[begin:end]) if end else NOTHING
        if value is NOTHING:
            begin += 1
        else:
            values.append(value)
            begin = end
    return values


def end_of(text: str, begin: int, reach: int) -> int | None:
    """Behind the bracket that closes the one at the beginning."""
    depth, quoted, unescaped = 0, False, begin
    for found in MARK.finditer(text, begin, min(len(text), begin + reach)):
        here, mark = found.start(), found[0]
        if here < unescaped:
            continue
        if quoted and mark == "\\":
            unescaped = here + 2
        elif mark == '"':
            quoted = not quoted
        elif not quoted and mark in "{[":
            depth += 1
        elif not quoted and mark in "}]":
            depth -= 1
            if depth == 0:
                return here + 1
    return None


def parsed(text: str):
    try:
        value = json.loads(text, parse_int=number, parse_float=number, parse_constant=refuse)
        json.dumps([[value]])  # with room for the line that it will stand in
        return value
    except RecursionError:
        return {"plan": ""}  # deeper than Python can look: a plan that never works
    except ValueError:
        return NOTHING


def number(text: str) -> float:
    return min(max(float(text), -1e308), 1e308)


def refuse(word: str):
    raise ValueError(f"{word} is no JSON")


def last(plans):
    return next((plan for plan in reversed(list(plans)) if plan is not NOTHING), NOTHING)


def named_plan(value, depth: int = 0):
    """{"plan": ...}, also within something else."""
    if not isinstance(value, (dict, list)) or depth > DEEPEST:
        return NOTHING
    if isinstance(value, dict) and "plan" in value:
        by_agent = by_agents(value["plan"])
        return value["plan"] if by_agent is NOTHING else by_agent
    members = value if isinstance(value, list) else in_key_order(value)
    return last(named_plan(member, depth + 1) for member in members)


def in_key_order(value: dict) -> list:
    """As JavaScript has them: whole numbers come first."""

    def place(key: str) -> int:
        is_index = re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1
        return int(key) if is_index else 2**32

    return [value[key] for key in sorted(value, key=place)]


def bare_plan(value):
    """["RRD", "DW"], a list of paths, or {"a": "RRD", "b": "DW"}."""
    if not isinstance(value, list):
        return by_agents(value)
    first = value[0] if value else None
    is_path = isinstance(first, list) and len(first) > 0 and isinstance(first[0], list)
    return value if isinstance(first, str) or is_path else NOTHING


def by_agents(value):
    if not isinstance(value, dict):
        return NOTHING
    told = {}
    for key, moves in value.items():
        agent = AGENT.fullmatch(key.strip(SPACE))
        if agent is None:
            return NOTHING
        told[agent[1].lower()] = moves
    return in_order(told)


def in_order(told: dict):
    """From the first agent on, none left out: whose moves those of a later one are would be a guess."""
    letters = LETTERS[: len(told)]
    return [told[letter] for letter in letters] if told and set(letters) == set(told) else NOTHING


def lines_plan(text: str):
    """`Agent a: RRD`, one a line, decorated or not. Where an agent has a second line, a second plan begins."""
    told = {}
    for line in text.split("\n"):
        found = LINE.fullmatch(DECORATION.sub(" ", line).strip(" "))
        if found is None:
            continue
        letter = found[1].lower()
        told = told if letter not in told else {}
        told[letter] = found[2]
    return in_order(told)
