"""Trains a language model on frozen lakes with verl's GRPO, as a trainer of icecore: docs/trainers.md.

    pip install "verl[vllm]==0.9.0"
    python3 examples/trainers/verl_grpo.py --model Qwen/Qwen3-4B < stage.json

Writes the lakes of the stage as a data set, starts `python3 -m verl.trainer.main_ppo`, and reports its updates and saves. Then
`python3 -m verl.model_merger` takes the LoRA adapter out of the last save, and it is packed as by trl_grpo.py.
The budget has `updates`. When training is stopped, updates since the last save are lost and are done again.

verl_reward.py, beside this file, gives verl the rewards. Both are written for verl 0.9.0 and were never run with it:
docs/qwen.md says what was tried.
"""

import argparse
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import lake_words
from lake_stage import generate, learning_signal, options_of, packed, report, sampled, seed_of, stage_from, unpacked

LAKES = 2000
LONGEST_PROMPT = 2048
# What verl calls figures, and what they are called in the curve of a training.
FIGURES = {
    "actor/entropy": "entropy",
    "actor/ppo_kl": "kl",
    "response_length/mean": "length",
    "response_length/clip_ratio": "truncated",
    "perf/throughput": "tokens-per-second",
}


def write_rows(lakes: list[dict], path: Path):
    """The rows of a data set as verl reads them: a prompt, and what its reward function gets."""
    with path.open("w", encoding="utf-8") as file:
        for index, lake in enumerate(lakes):
            row = {
                "data_source": "icecore-lake",
                "prompt": [{"role": "user", "content": lake_words.prompt(lake)}],
                "reward_model": {"style": "rule", "ground_truth": json.dumps(lake)},
                "extra_info": {"index": index},
            }
            file.write(json.dumps(row) + "\n")


def settings_of(stage: dict, given: argparse.Namespace, start: str | None) -> dict:
    """Settings of verl.trainer.main_ppo that differ from its defaults; those of training are those of trl_grpo.py."""
    folder, seed = Path(stage["folder"]), seed_of(stage) % 2**31
    model, actor, rollout = (f"actor_rollout_ref.{part}" for part in ("model", "actor", "rollout"))
    resume = stage["resume"] and stage["resume"]["checkpoint"]["reference"]
    return {
        "algorithm.adv_estimator": "grpo",
        "data.train_files": str(folder / "train.jsonl"),
        "data.val_files": str(folder / "validation.jsonl"),  # verl demands some; icecore measures the checkpoint itself
        "data.train_batch_size": given.lakes,
        "data.max_prompt_length": LONGEST_PROMPT,
        "data.max_response_length": given.tokens,
        "data.truncation": "error",
        "data.shuffle": False,  # the generator mixes them already, and resuming continues with the next ones
        "data.seed": seed,
        **{f"+data.apply_chat_template_kwargs.{name}": value for name, value in (given.template or {}).items()},
        f"{model}.path": given.model,
        f"{model}.lora_rank": 16,
        f"{model}.lora_alpha": 32,
        f"{model}.target_modules": "all-linear",
        **({} if start is None else {f"{model}.lora_adapter_path": start}),
        f"{actor}.optim.lr": given.rate,
        f"{actor}.ppo_mini_batch_size": given.lakes,
        f"{actor}.use_dynamic_bsz": True,
        f"{actor}.ppo_max_token_len_per_gpu": 4 * (LONGEST_PROMPT + given.tokens),
        f"{actor}.use_kl_loss": False,
        f"{actor}.data_loader_seed": seed,
        f"{rollout}.name": "vllm",
        f"{rollout}.n": given.samples,
        f"{rollout}.seed": seed,
        f"{rollout}.load_format": "safetensors",  # with LoRA, vLLM must load the base model itself
        f"{rollout}.layered_summon": True,
        f"{rollout}.tensor_model_parallel_size": 1,
        f"{rollout}.gpu_memory_utilization": given.memory,
        "reward.num_workers": 1,
        "reward.custom_reward_function.path": str(Path(__file__).with_name("verl_reward.py").resolve()),
        "reward.custom_reward_function.name": "compute_score",
        "trainer.logger": ["console", "file"],
        "trainer.project_name": "icecore",
        "trainer.experiment_name": folder.name,
        "trainer.nnodes": 1,
        "trainer.n_gpus_per_node": given.gpus,
        "trainer.total_training_steps": updates_of(stage),
        "trainer.total_epochs": updates_of(stage),  # more than enough: the number of steps ends training
        "trainer.val_before_train": False,
        "trainer.test_freq": -1,
        "trainer.save_freq": given.save_every,
        "trainer.max_actor_ckpt_to_keep": 2,
        "trainer.default_local_dir": str(folder / "checkpoints"),
        "trainer.rollout_data_dir": str(folder / "plans"),
        "trainer.resume_mode": "resume_path" if resume else "disable",
        **({"trainer.resume_from_path": resume} if resume else {}),
        "hydra.run.dir": str(folder / "hydra"),
    }


def written(value: object) -> str:
    """A value as Hydra reads it on a command line."""
    if isinstance(value, list):
        return f"[{','.join(map(written, value))}]"
    return "'" + value.replace("'", r"\'") + "'" if isinstance(value, str) else str(value)


def updates_of(stage: dict) -> int:
    return int(stage["budget"]["updates"])


def started(stage: dict, given: argparse.Namespace, start: str | None, metrics: Path) -> subprocess.Popen:
    overrides = [f"{name}={written(value)}" for name, value in settings_of(stage, given, start).items()]
    command = [sys.executable, "-m", "verl.trainer.main_ppo", *overrides, *given.override]
    env = {**os.environ, "VERL_FILE_LOGGER_PATH": str(metrics), "PYTHONUNBUFFERED": "1"}
    # Its output is a log: standard output is for messages to icecore.
    return subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def lines_of(path: Path, writer: subprocess.Popen) -> Iterator[dict]:
    """The lines of a file while it is written, until its writer has ended."""
    position, rest = 0, ""
    while True:
        has_ended = writer.poll() is not None
        if path.exists():
            with path.open(encoding="utf-8") as file:
                file.seek(position)
                *whole, rest = (rest + file.read()).split("\n")
                position = file.tell()
            yield from map(json.loads, whole)
        if has_ended:
            return
        time.sleep(0.2)


class Account:
    """Counts the statistics for icecore, from the plans that verl writes down after each update."""

    def __init__(self, folder: Path, plans: int):
        self.folder, self.plans = folder, plans
        self.drawn = collections.Counter()  # lakes, by size
        self.varied = collections.Counter()  # lakes whose plans got different rewards: the learning signal

    def add(self, step: int, writer: subprocess.Popen | None = None) -> list[float]:
        """The rewards of an update. verl writes plans while it goes on: waits until all of them are there."""
        path = self.folder / f"{step}.jsonl"
        while True:
            has_ended = writer is None or writer.poll() is not None
            lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
            if has_ended or len(lines) >= self.plans:
                break
            time.sleep(0.2)
        plans = [json.loads(line) for line in lines]
        rewards = collections.defaultdict(list)
        for plan in plans:
            rewards[plan["gts"]].append(plan["score"])
        for lake, own in rewards.items():
            size = str(json.loads(lake)["size"])
            self.drawn[size] += 1
            self.varied[size] += len(set(own)) > 1
        return [plan["score"] for plan in plans]


def report_update(step: int, spent: dict, rewards: list[float], figures: dict):
    means = {"reward": sum(rewards) / len(rewards), "valid": sum(one > 0.5 for one in rewards) / len(rewards)} if rewards else {}
    values = {FIGURES[name]: value for name, value in figures.items() if name in FIGURES}
    report({"step": step, "spent": spent, "values": {**means, **values}})


def save_after(step: int, checkpoints: Path) -> Path | None:
    """The save that verl made after this update, if it made one; verl writes down which one is complete."""
    latest = checkpoints / "latest_checkpointed_iteration.txt"
    is_complete = latest.exists() and int(latest.read_text()) >= step
    save = checkpoints / f"global_step_{step}"
    return save if is_complete and save.exists() else None


def packed_adapter(save: Path, folder: Path, step: int) -> dict:
    """Takes the adapter out of a save and packs it; what takes gigabytes is deleted then."""
    archive, merged = folder / "final.tar", folder / "merged"
    if not archive.exists():
        words = ["merge", "--backend", "fsdp", "--local_dir", str(save / "actor"), "--target_dir", str(merged)]
        done = subprocess.run([sys.executable, "-m", "verl.model_merger", *words], check=False, stdout=sys.stderr)
        if done.returncode != 0:
            sys.exit(f"verl.model_merger ended with exit code {done.returncode}; the save is {save}")
        packed(merged / "lora_adapter", folder / "final.part", step)
        (folder / "final.part").rename(archive)
    for own in (merged, folder / "checkpoints"):
        shutil.rmtree(own, ignore_errors=True)
    return {"file": archive.name, "step": step}


def train(stage: dict, given: argparse.Namespace) -> bool:
    """Returns whether the budget was spent; false if training was asked to stop."""
    folder, updates, resume = Path(stage["folder"]), updates_of(stage), stage["resume"]
    checkpoints = folder / "checkpoints"
    step = resume["step"] if resume else 0
    spent = {"agent-steps": 0, **((resume["spent"] or {}) if resume else {}), "updates": step}
    account = Account(folder / "plans", given.lakes * given.samples)
    for earlier in range(1, step + 1):
        account.add(earlier)

    if step < updates:
        lakes = generate(stage["configuration"], LAKES, stage["seed"])
        write_rows(lakes, folder / "train.jsonl")
        write_rows(lakes[:1], folder / "validation.jsonl")
        start = None if stage["from"] is None else unpacked(stage["from"]["reference"], folder / "from")
        metrics = folder / f"metrics-{step}.jsonl"
        metrics.unlink(missing_ok=True)
        verl = started(stage, given, start, metrics)
        stopping = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: (stopping.append(True), verl.terminate()))
        for line in lines_of(metrics, verl):
            step, figures = line["step"], line["data"]
            rewards = account.add(step, verl)
            tokens = round(figures["response_length/mean"] * account.plans)
            spent = {"agent-steps": spent["agent-steps"] + tokens, "updates": step}
            report_update(step, spent, rewards, figures)
            save = save_after(step, checkpoints)
            if save is not None:
                report({"saved": {"reference": str(save), "step": step}})
        if stopping:
            return False
        if verl.wait() != 0 or step < updates:
            sys.exit(f"verl ended after update {step} of {updates} with exit code {verl.returncode}; its output is above")
    checkpoint = packed_adapter(checkpoints / f"global_step_{step}", folder, step)
    counted = {"learningSignal": learning_signal(account.drawn, account.varied), "sampled": sampled(account.drawn)}
    report({"done": {"checkpoint": checkpoint, "spent": spent, **counted}})
    return True


if __name__ == "__main__":
    options = options_of("Trains a language model on frozen lakes with verl: a trainer of icecore.", save_every=20)
    options.add_argument("--gpus", type=int, default=1, help="GPUs of this machine (1)")
    options.add_argument("--memory", type=float, default=0.3, help="share of a GPU's memory for verl's own vLLM (0.3)")
    options.add_argument("--override", action="append", default=[], help="a further setting of verl, as trainer.save_freq=5")
    given = options.parse_args()
    sys.exit(0 if train(stage_from(sys.stdin.read(), ("updates",)), given) else 1)
