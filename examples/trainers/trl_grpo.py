"""Trains a language model on frozen lakes with TRL's GRPOTrainer, as a trainer of icecore: docs/trainers.md.

    pip install -r examples/trainers/requirements.txt
    python3 examples/trainers/trl_grpo.py --model Qwen/Qwen3-4B < stage.json

`icecore lake generate` makes the lakes of the stage's configuration, `icecore lake judge` gives the reward: 1 for a plan
that works and 0.2 more for one of the least cost. What is left is a LoRA adapter, a folder that vLLM and PEFT can load.
The budget may have `decisions` (tokens the model says), `updates`, or both: whichever is spent first ends training.

One process. Where `accelerate launch` starts several, count and tell in the first of them only.
"""

import argparse
import collections
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ICECORE = shlex.split(os.environ.get("ICECORE", "npx icecore"))
SAMPLES = 8  # plans for each lake, which are compared with one another
LAKES = 6  # lakes an update
TOKENS = 1024  # the longest answer
SAVE_EVERY = 20  # updates
JUDGED = 64  # lines written before their answers are read: a pipe holds only so much

# Word for word what icecore itself tells a policy that reads: it is evaluated on what it was trained on.
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


def prompt(lake: dict) -> str:
    size, agents = lake["size"], lake["agents"]
    cells = [["##" if [row, column] in lake["holes"] else ".." for column in range(size)] for row in range(size)]
    for i, agent in enumerate(agents):
        (row, column), (goal_row, goal_column) = agent["start"], agent["goal"]
        cells[row][column] = chr(97 + i) + cells[row][column][1]
        cells[goal_row][goal_column] = cells[goal_row][goal_column][0] + chr(65 + i)
    at = lambda cell: f"row {cell[0]}, column {cell[1]}"  # noqa: E731
    place = lambda i, agent: f"Agent {chr(97 + i)}: start at {at(agent['start'])}; goal at {at(agent['goal'])}."  # noqa: E731
    examples = ["RRDW", "DL", "WUUR", "", "LWD"]
    facts = {
        "size": str(size),
        "agents": "one agent" if len(agents) == 1 else f"{len(agents)} agents",
        "grid": "\n".join(" ".join(row) for row in cells),
        "places": "\n".join(place(i, agent) for i, agent in enumerate(agents)),
        "holes": f"Holes: {'; '.join(map(at, sorted(lake['holes'])))}." if lake["holes"] else "There are no holes.",
        "horizon": str(8 * size),
        "each": "agent a" if len(agents) == 1 else f"each agent, from a to {chr(96 + len(agents))}",
        "example": json.dumps({"plan": [examples[i % 5] for i in range(len(agents))]}, separators=(",", ":")),
    }
    return re.sub(r"<(\w+)>", lambda found: facts[found[1]], PROMPT)


def plan_in(answer: str):
    """The last plan in what the model said; None, which is judged like any other answer, where there is none."""
    for text in reversed(re.findall(r'\{[^{}]*"plan"[^{}]*\}', answer)):
        try:
            return json.loads(text)["plan"]
        except ValueError:
            continue
    return None


def generate(configuration: dict, count: int, seed: str) -> list[dict]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(configuration, file)
        file.flush()
        command = [*ICECORE, "lake", "generate", "--config", file.name, "--count", str(count), "--seed", seed]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Judge:
    """`icecore lake judge`, kept running: a line answered for a line."""

    def __init__(self):
        # In a session of its own, so that it goes on answering while training that is asked to stop ends its update. It
        # ends with its input.
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
        self.process = subprocess.Popen([*ICECORE, "lake", "judge"], text=True, encoding="utf-8", **options)

    def __call__(self, tries: list[dict]) -> list[dict]:
        answers = []
        for begin in range(0, len(tries), JUDGED):
            batch = tries[begin : begin + JUDGED]
            self.process.stdin.write("".join(json.dumps(one) + "\n" for one in batch))
            self.process.stdin.flush()
            answers += [self.answer() for _ in batch]
        return answers

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if line == "":
            raise RuntimeError(f"icecore lake judge ended with exit code {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"]["message"])
        return answer


class Account:
    """Gives the rewards, and counts what icecore wants to know of them."""

    def __init__(self):
        self.judge = Judge()
        self.decisions = 0
        self.drawn = collections.Counter()  # lakes, by size
        self.varied = collections.Counter()  # lakes whose plans earned differently: what there is to learn from

    def keep(self, folder: Path):
        counts = {"decisions": self.decisions, "drawn": self.drawn, "varied": self.varied}
        (folder / "account.json").write_text(json.dumps(counts))

    def go_on(self, folder: Path):
        counts = json.loads((folder / "account.json").read_text())
        self.decisions = counts["decisions"]
        self.drawn, self.varied = collections.Counter(counts["drawn"]), collections.Counter(counts["varied"])

    def reward(self, completions, completion_ids, lake, **_) -> list[float]:
        # As TRL calls it: SAMPLES completions of one lake after the other, columns of the data set beside.
        lakes = [json.loads(text) for text in lake]
        said = [messages[0]["content"] for messages in completions]
        cut = [len(ids) >= TOKENS for ids in completion_ids]
        tries = [{**one, "plan": plan_in(text), "truncated": c} for one, text, c in zip(lakes, said, cut, strict=True)]
        rewards = [(a["outcome"] == "valid") + 0.2 * (a["optimal"] is True) for a in self.judge(tries)]
        for first in range(0, len(rewards), SAMPLES):
            size = str(lakes[first]["size"])
            self.drawn[size] += 1
            self.varied[size] += len(set(rewards[first : first + SAMPLES])) > 1
        self.decisions += sum(len(ids) for ids in completion_ids)
        return rewards

    def signal(self) -> list[dict]:
        groups = [(None, self.drawn.total(), self.varied.total()), *((s, n, self.varied[s]) for s, n in self.drawn.items())]
        return [{"group": g, "groups": n, "withVariance": v, "share": v / n} for g, n, v in groups if n > 0]

    def sampled(self) -> list[dict]:
        all_of_them = self.drawn.total()
        return [{"group": size, "instances": n, "share": n / all_of_them} for size, n in self.drawn.items()]


def tell(message: dict):
    print(json.dumps(message), flush=True)


def adapter(folder: Path, step: int) -> dict:
    """A folder is named by reference; its digest is that of the weights in it."""
    digest = hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest()
    return {"reference": str(folder), "digest": digest, "step": step}


def train(stage: dict, model_name: str) -> bool:
    """Whether the budget was spent; it was not where training was asked to stop."""
    import peft
    import torch
    import transformers
    import trl
    from datasets import Dataset

    budget, folder = stage["budget"], Path(stage["folder"])
    resume = Path(stage["resume"]["checkpoint"]["reference"]) if stage["resume"] else None
    account = Account()
    if resume:
        account.go_on(resume)
    stopping = []
    # Asked to stop, it saves at the end of the update, and says so: then it can be gone on with.
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(True))

    class Teller(transformers.TrainerCallback):
        def on_log(self, args, state, control, logs=None, **_):
            if "reward" not in logs:  # the summary at the end is no update
                return
            values = {name: value for name, value in logs.items() if isinstance(value, (int, float))}
            spent = {"decisions": account.decisions, "updates": state.global_step}
            tell({"step": state.global_step, "spent": spent, "values": values})

        def on_step_end(self, args, state, control, **_):
            if stopping:
                control.should_save = True
            if stopping or account.decisions >= budget.get("decisions", float("inf")):
                control.should_training_stop = True
            return control

        def on_save(self, args, state, control, **_):
            saved = folder / f"checkpoint-{state.global_step}"
            account.keep(saved)
            tell({"saved": adapter(saved, state.global_step)})

    lakes = generate(stage["configuration"], 2000, stage["seed"])
    rows = [{"prompt": [{"role": "user", "content": prompt(one)}], "lake": json.dumps(one)} for one in lakes]
    on_gpu = torch.cuda.is_available()
    settings = trl.GRPOConfig(
        output_dir=str(folder),
        seed=int.from_bytes(hashlib.sha256(stage["seed"].encode()).digest()[:4], "big"),
        max_steps=int(budget.get("updates", 1_000_000)),
        num_generations=SAMPLES,
        per_device_train_batch_size=SAMPLES,
        gradient_accumulation_steps=LAKES,
        max_completion_length=TOKENS,
        shuffle_dataset=False,  # the generator mixes them, and so that going on finds the next ones
        learning_rate=1e-5,
        lr_scheduler_type="constant",
        beta=0.0,
        logging_steps=1,
        save_steps=SAVE_EVERY,
        save_total_limit=2,
        report_to="none",
        disable_tqdm=True,
        bf16=on_gpu,
        use_cpu=not on_gpu,
    )
    model = transformers.AutoModelForCausalLM.from_pretrained(model_name, dtype="bfloat16" if on_gpu else "float32")
    lora = peft.LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    if stage["from"] is not None:
        model = peft.PeftModel.from_pretrained(model, stage["from"]["reference"], is_trainable=True)
        lora = None
    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=transformers.AutoTokenizer.from_pretrained(model_name),
        reward_funcs=account.reward,
        args=settings,
        train_dataset=Dataset.from_list(rows),
        peft_config=lora,
        callbacks=[Teller()],
    )
    trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    if stopping:
        return False
    trainer.save_model(str(folder / "final"))
    step = trainer.state.global_step
    spent = {"decisions": account.decisions, "updates": step}
    checkpoint = adapter(folder / "final", step)
    tell({"done": {"checkpoint": checkpoint, "spent": spent, "signal": account.signal(), "sampled": account.sampled()}})
    return True


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Trains a language model on frozen lakes: a trainer of icecore.")
    options.add_argument("--model", default="Qwen/Qwen3-4B", help="a name on the hub, or a folder")
    given = options.parse_args()
    told = json.load(sys.stdin)
    if told["environment"] != "lake":
        sys.exit(f"this trainer knows frozen lakes and not the environment {told['environment']}")
    if not told["budget"].keys() & {"decisions", "updates"}:
        sys.exit(f"the budget {json.dumps(told['budget'])} has neither decisions nor updates")
    sys.exit(0 if train(told, given.model) else 1)
