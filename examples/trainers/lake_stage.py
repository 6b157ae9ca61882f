"""What the trainers of language models on frozen lakes share: the stage they read, lakes and rewards from icecore, adapters as archives.

`icecore lake generate` generates the lakes of the stage's configuration, `icecore lake judge` gives the rewards: 1 for a plan
that works, 1.2 if its cost is minimal. Only the standard library is needed.
"""

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ICECORE = shlex.split(os.environ.get("ICECORE", "npx icecore"))
JUDGED = 64  # lines written before their answers are read: the capacity of a pipe is limited
ADAPTER = ("adapter_config.json", "adapter_model.safetensors")  # the files that PEFT and vLLM read


def stage_from(text: str, units: tuple[str, ...]) -> dict:
    """Exits with a message if a trainer of lakes that knows these units of a budget does not support the stage."""
    try:
        stage = json.loads(text)
    except ValueError as fault:
        sys.exit(f"standard input must be a stage in JSON ({fault}): see docs/trainers.md")
    if not isinstance(stage, dict) or stage.get("protocol") != 1:
        sys.exit("standard input must be a stage of protocol 1: see docs/trainers.md")
    if stage["environment"] != "lake":
        sys.exit(f"this trainer supports the environment lake only, not {stage['environment']}")
    if not stage["budget"].keys() & set(units):
        sys.exit(f"the budget {json.dumps(stage['budget'])} has none of the units that this trainer knows: {', '.join(units)}")
    return stage


def options_of(description: str, save_every: int) -> argparse.ArgumentParser:
    """The options that all trainers of language models on lakes have; each adds its own."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--model", default="Qwen/Qwen3-4B", help="a name on the hub, or a folder")
    options.add_argument("--samples", type=int, default=8, help="plans per lake, compared with each other (8)")
    options.add_argument("--lakes", type=int, default=6, help="lakes per update (6)")
    options.add_argument("--tokens", type=int, default=1024, help="the longest answer (1024)")
    options.add_argument("--rate", type=float, default=1e-5, help="the learning rate (1e-5)")
    options.add_argument("--save-every", type=int, default=save_every, help=f"updates between saves ({save_every})")
    options.add_argument("--template", type=json.loads, help='for the chat template: {"enable_thinking": false}')
    return options


def seed_of(stage: dict) -> int:
    return int.from_bytes(hashlib.sha256(stage["seed"].encode()).digest()[:4], "big")


def generate(configuration: dict, count: int, seed: str) -> list[dict]:
    """Exits with icecore's message if the configuration has no lakes."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(configuration, file)
        file.flush()
        command = [*ICECORE, "lake", "generate", "--config", file.name, "--count", str(count), "--seed", seed]
        try:
            done = subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8")
        except OSError as fault:
            sys.exit(f"icecore cannot be started ({fault}): set the environment variable ICECORE to its command, such as npx icecore")
    if done.returncode != 0:
        sys.exit(f"icecore lake generate made no lakes: {done.stderr.strip()}")
    print(done.stderr, end="", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Judge:
    """A running `icecore lake judge`, which answers line by line."""

    def __init__(self):
        # In its own session, so that it still answers while an interrupted training finishes its update. It ends at the
        # end of its input.
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


def reward_of(answer: dict) -> float:
    return (answer["outcome"] == "valid") + 0.2 * (answer["optimal"] is True)


def report(message: dict):
    print(json.dumps(message), flush=True)


def packed(folder: Path, archive: Path, step: int) -> dict:
    """Packs the adapter in the folder. The same weights give the same bytes."""

    def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime, member.uid, member.gid, member.uname, member.gname, member.mode = 0, 0, 0, "", "", 0o644
        return member

    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as out:
        for name in ADAPTER:
            out.add(folder / name, name, filter=anonymous)
    return {"file": archive.name, "step": step}


def unpacked(archive: str, folder: Path) -> str:
    """Exits with a message if it is not a packed adapter."""
    try:
        with tarfile.open(archive) as given:
            files = {name: given.extractfile(name).read() for name in ADAPTER}
    except (OSError, tarfile.TarError, KeyError) as fault:
        sys.exit(f"{archive} is not an adapter in a tar archive ({fault}): start from the final.tar of another training")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return str(folder)


def learning_signal(drawn: dict, varied: dict) -> list[dict]:
    """Of all lakes and of each size: how many were drawn, and of how many the plans got different rewards."""
    counted = [(None, sum(drawn.values()), sum(varied.values())), *((size, n, varied[size]) for size, n in drawn.items())]
    return [{"family": f, "sampleGroups": n, "withVariance": v, "share": v / n} for f, n, v in counted if n > 0]


def sampled(drawn: dict) -> list[dict]:
    return [{"family": size, "tasks": n, "share": n / sum(drawn.values())} for size, n in drawn.items()]
