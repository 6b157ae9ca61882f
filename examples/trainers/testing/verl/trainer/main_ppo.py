"""In place of verl.trainer.main_ppo in tests: reads the same settings and files, asks for rewards and writes what verl 0.9.0
writes, but trains nothing. Its answers walk straight to the goal, or nowhere; its weights are the history of a training."""

import importlib.util
import json
import os
import re
import signal
import sys
from pathlib import Path


def value_of(text: str):
    if text.startswith("["):
        return re.findall(r"'([^']*)'", text)
    return text[1:-1].replace(r"\'", "'") if text.startswith("'") else text


settings = {name.removeprefix("+"): value_of(text) for name, text in (word.split("=", 1) for word in sys.argv[1:])}
print("settings " + json.dumps(settings), flush=True)

specification = importlib.util.spec_from_file_location("reward", settings["reward.custom_reward_function.path"])
reward = importlib.util.module_from_spec(specification)
specification.loader.exec_module(reward)
compute_score = getattr(reward, settings["reward.custom_reward_function.name"])

rows = [json.loads(line) for line in Path(settings["data.train_files"]).read_text().splitlines()]
lakes, samples = int(settings["data.train_batch_size"]), int(settings["actor_rollout_ref.rollout.n"])
updates, save_every = int(settings["trainer.total_training_steps"]), int(settings["trainer.save_freq"])
checkpoints, plans = Path(settings["trainer.default_local_dir"]), Path(settings["trainer.rollout_data_dir"])
plans.mkdir(exist_ok=True)


def answer_of(lake: dict, sample: int) -> str:
    """Every second plan walks down and then across, which works on a lake without holes and with one agent."""
    ways = []
    for agent in lake["agents"]:
        down, across = (goal - start for start, goal in zip(agent["start"], agent["goal"], strict=True))
        ways.append(("D" if down > 0 else "U") * abs(down) + ("R" if across > 0 else "L") * abs(across))
    return json.dumps({"plan": ways if sample % 2 == 0 else ["" for _ in ways]})


def judged(row: dict, sample: int) -> dict:
    lake = row["reward_model"]["ground_truth"]
    text = answer_of(json.loads(lake), sample)
    asked = {"data_source": row["data_source"], "solution_str": text, "ground_truth": lake, "extra_info": row["extra_info"]}
    return {"input": row["prompt"][0]["content"], "output": text, "gts": lake, "score": compute_score(**asked)}


def save(step: int):
    actor = checkpoints / f"global_step_{step}" / "actor"
    actor.mkdir(parents=True)
    (actor / "weights").write_text(f"{weights} {settings['data.seed']}:{step}")
    (checkpoints / "latest_checkpointed_iteration.txt").write_text(str(step))


begin, weights = 0, "base"
if settings["trainer.resume_mode"] == "resume_path":
    begin = int(settings["trainer.resume_from_path"].rsplit("_", 1)[1])
    weights = Path(settings["trainer.resume_from_path"], "actor", "weights").read_text()
elif "actor_rollout_ref.model.lora_adapter_path" in settings:
    weights = Path(settings["actor_rollout_ref.model.lora_adapter_path"], "adapter_model.safetensors").read_text()

with open(os.environ["VERL_FILE_LOGGER_PATH"], "w", encoding="utf-8", buffering=1) as metrics:
    for step in range(begin + 1, updates + 1):
        batch = [rows[((step - 1) * lakes + i) % len(rows)] for i in range(lakes)]
        tries = [{**judged(row, sample), "step": step} for row in batch for sample in range(samples)]
        if step == updates or step % save_every == 0:
            save(step)
        (plans / f"{step}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tries))
        scores = [one["score"] for one in tries]
        figures = {"critic/score/mean": sum(scores) / len(scores), "response_length/mean": 12.5, "actor/ppo_kl": 0.25}
        metrics.write(json.dumps({"step": step, "data": figures}) + "\n")
        if os.environ.get("STAND_IN_FAILS_AFTER") == str(step):
            sys.exit(3)
        if os.environ.get("STAND_IN_WAITS_AFTER") == str(step):
            signal.pause()
