"""The rewards of frozen lakes for verl: verl_grpo.py gives verl the path of this file. icecore judges every plan."""

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # verl loads this file by its path

import lake_stage  # noqa: E402

judging = threading.Lock()  # verl asks from several threads
judges: list[lake_stage.Judge] = []  # one, started with the first question


def compute_score(data_source: str, solution_str: str, ground_truth: str, extra_info: dict | None = None) -> float:
    """verl calls this by name for each answer; the lake is the ground truth of its row."""
    with judging:
        if not judges:
            judges.append(lake_stage.Judge())
        [answer] = judges[0]([{**json.loads(ground_truth), "answer": solution_str}])
    return lake_stage.reward_of(answer)
