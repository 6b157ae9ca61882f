"""The prompt for a frozen lake, identical to icecore's own, so that a model is trained on the prompts of its evaluation.

`lake_words.test.ts` compares this file with icecore's own code. Only the standard library is needed.
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
EXAMPLES = ["RRDW", "DL", "WUUR", "", "LWD"]  # only examples of the format


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
