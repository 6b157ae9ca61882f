"""Trains a language model on frozen lakes with TRL's GRPOTrainer, as a trainer of icecore: docs/trainers.md.

    pip install -r examples/trainers/requirements.txt
    python3 examples/trainers/trl_grpo.py --model Qwen/Qwen3-4B < stage.json

The result is a LoRA adapter, packed as a tar archive: icecore keeps it, gives it to the next training, and unpacks it for vLLM.
The budget may have `agent-steps` (generated tokens), `updates`, or both: whichever is spent first ends training.

lake_stage.py, beside this file, gets lakes and rewards from icecore; lake_words.py writes the prompts, and icecore parses the
answers, as when it evaluates the adapter.

This is for a single process. With several from `accelerate launch`, count and report in the first one only.
"""

import argparse
import collections
import hashlib
import json
import signal
import sys
from pathlib import Path

import lake_words
from lake_stage import Judge, generate, learning_signal, options_of, packed, report, reward_of, sampled, seed_of, stage_from, unpacked


class Account:
    """Gives the rewards and counts the statistics for icecore."""

    def __init__(self, samples: int, tokens: int):
        self.judge = Judge()
        self.samples, self.tokens = samples, tokens
        self.agent_steps = 0
        self.drawn = collections.Counter()  # lakes, by size
        self.varied = collections.Counter()  # lakes whose plans got different rewards: the learning signal
        self.outcomes = collections.Counter()  # since the last report

    def keep(self, folder: Path):
        counts = {"agent-steps": self.agent_steps, "drawn": self.drawn, "varied": self.varied}
        (folder / "account.json").write_text(json.dumps(counts))

    def go_on(self, folder: Path):
        counts = json.loads((folder / "account.json").read_text())
        self.agent_steps = counts["agent-steps"]
        self.drawn, self.varied = collections.Counter(counts["drawn"]), collections.Counter(counts["varied"])

    def reward(self, completions, completion_ids, lake, **_) -> list[float]:
        # TRL calls this with `samples` consecutive completions per lake, and the columns of the data set.
        lakes = [json.loads(text) for text in lake]
        said = [messages[0]["content"] for messages in completions]
        cut = [len(ids) >= self.tokens for ids in completion_ids]
        tries = [{**one, "answer": text, "truncated": was} for one, text, was in zip(lakes, said, cut, strict=True)]
        answers = self.judge(tries)
        rewards = [reward_of(answer) for answer in answers]
        for first in range(0, len(rewards), self.samples):
            size = str(lakes[first]["size"])
            self.drawn[size] += 1
            self.varied[size] += len(set(rewards[first : first + self.samples])) > 1
        self.agent_steps += sum(len(ids) for ids in completion_ids)
        self.outcomes.update(answer["outcome"] for answer in answers)
        return rewards

    def outcome_shares(self) -> dict:
        """The share of each outcome among the plans since the last call."""
        shares = {outcome: count / self.outcomes.total() for outcome, count in self.outcomes.items()}
        self.outcomes = collections.Counter(dict.fromkeys(self.outcomes, 0))
        return {"valid": 0.0, **shares}


def saved_in(folder: Path, step: int) -> dict:
    """Refers to the folder of a save, which only this program reads; the digest is that of its weights."""
    digest = hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest()
    return {"reference": str(folder), "digest": digest, "step": step}


def report_done(account: Account, checkpoint: dict):
    spent = {"agent-steps": account.agent_steps, "updates": checkpoint["step"]}
    counted = {"learningSignal": learning_signal(account.drawn, account.varied), "sampled": sampled(account.drawn)}
    report({"done": {"checkpoint": checkpoint, "spent": spent, **counted}})


def train(stage: dict, given: argparse.Namespace) -> bool:
    """Returns whether the budget was spent; false if training was asked to stop."""
    # When asked to stop, it finishes the update, saves and reports the save, so that it can be resumed. If an update takes longer
    # than icecore waits (half a minute), it is repeated from the save before.
    stopping = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.append(True))
    budget, folder = stage["budget"], Path(stage["folder"])
    start = None if stage["from"] is None else unpacked(stage["from"]["reference"], folder / "from")
    lakes = generate(stage["configuration"], 2000, stage["seed"])
    import datasets
    import peft
    import torch
    import transformers
    import trl

    account = Account(given.samples, given.tokens)

    def is_spent(updates: int) -> bool:
        spent = {"agent-steps": account.agent_steps, "updates": updates}
        return any(spent[unit] >= budget[unit] for unit in spent.keys() & budget.keys())

    resume = Path(stage["resume"]["checkpoint"]["reference"]) if stage["resume"] else None
    if resume:
        account.go_on(resume)
        if is_spent(stage["resume"]["step"]):  # stopped between its last save and its end
            report_done(account, packed(resume, resume.with_suffix(".tar"), stage["resume"]["step"]))
            return True

    class Reporter(transformers.TrainerCallback):
        def on_log(self, args, state, control, logs=None, **_):
            if "reward" not in logs:  # the final summary is not an update
                return
            values = {name: value for name, value in logs.items() if isinstance(value, (int, float))}
            spent = {"agent-steps": account.agent_steps, "updates": state.global_step}
            report({"step": state.global_step, "spent": spent, "values": {**values, **account.outcome_shares()}})

        def on_step_end(self, args, state, control, **_):
            if stopping:
                control.should_save = True
            if stopping or is_spent(state.global_step):
                control.should_training_stop = True
            return control

        def on_save(self, args, state, control, **_):
            saved = folder / f"checkpoint-{state.global_step}"
            account.keep(saved)
            report({"saved": saved_in(saved, state.global_step)})

    rows = [{"prompt": [{"role": "user", "content": lake_words.prompt(one)}], "lake": json.dumps(one)} for one in lakes]
    on_gpu = torch.cuda.is_available()
    settings = trl.GRPOConfig(
        output_dir=str(folder),
        seed=seed_of(stage),
        max_steps=int(budget.get("updates", 1_000_000)),
        num_generations=given.samples,
        per_device_train_batch_size=given.samples,
        gradient_accumulation_steps=given.lakes,
        max_completion_length=given.tokens,
        chat_template_kwargs=given.template,
        shuffle_dataset=False,  # the generator mixes them already, and resuming continues with the next ones
        learning_rate=given.rate,
        lr_scheduler_type="constant",
        beta=0.0,
        logging_steps=1,
        save_steps=given.save_every,
        save_total_limit=2,
        report_to="none",
        disable_tqdm=True,
        bf16=on_gpu,
        use_cpu=not on_gpu,
    )
    model = transformers.AutoModelForCausalLM.from_pretrained(given.model, dtype="bfloat16" if on_gpu else "float32")
    lora = peft.LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    if start is not None:
        model = peft.PeftModel.from_pretrained(model, start, is_trainable=True)
        lora = None
    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=transformers.AutoTokenizer.from_pretrained(given.model),
        reward_funcs=account.reward,
        args=settings,
        train_dataset=datasets.Dataset.from_list(rows),
        peft_config=lora,
        callbacks=[Reporter()],
    )
    trainer.remove_callback(transformers.PrinterCallback)  # it would print the same values again
    if not stopping:
        trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    if stopping:
        return False
    trainer.save_model(str(folder / "final"))
    report_done(account, packed(folder / "final", folder / "final.tar", trainer.state.global_step))
    return True


if __name__ == "__main__":
    # A save of an adapter takes a second, and an update of a large model minutes, all of which a stop would lose.
    options = options_of("Trains a language model on frozen lakes: a trainer of icecore.", save_every=5)
    given = options.parse_args()
    sys.exit(0 if train(stage_from(sys.stdin.read(), ("agent-steps", "updates")), given) else 1)
