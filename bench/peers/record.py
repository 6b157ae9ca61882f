"""Records rollouts with one of the tools people use today, each in the fast way that its documentation shows, and prints
one line of JSON: how many, how long, and what is not durable when a call returns. Nothing here reaches the network.

    python record.py mlflow|wandb|aim|trackio ROLLOUTS.ndjson COUNT FOLDER
"""

import json
import os
import sqlite3
import sys
import time
from contextlib import closing, redirect_stdout
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path


def numbers(event):
    """The part of a rollout for a tool that only stores named numbers: eight numbers of the event's kilobyte."""
    data = event["data"]
    return {
        "reward": float(data["reward"]),
        "success": float(data["success"]),
        "cost": float(data["metrics"]["cost"]),
        "waits": float(data["metrics"]["waits"]),
        "entropy": float(data["metrics"]["entropy"]),
        "agent_steps": float(data["agentSteps"]),
        "input_tokens": float(data["tokens"]["input"]),
        "output_tokens": float(data["tokens"]["output"]),
    }


# Every tool takes (rollouts, folder), prepares itself, and returns the function to time and the function that counts the stored rollouts. The
# step is the rollout's number: with the training step, which many rollouts share, these tools would merge or overwrite them.


def with_mlflow(rollouts, folder):
    from mlflow import MlflowClient
    from mlflow.entities import Metric

    database = folder / "mlflow.db"
    client = MlflowClient(tracking_uri=f"sqlite:///{database}")
    experiment = client.create_experiment("bench", artifact_location=str(folder / "artifacts"))
    run_id = client.create_run(experiment).info.run_id
    metrics = [
        Metric(name, value, at, step)
        for step, (at, values) in enumerate(rollouts)
        for name, value in values.items()
    ]
    most = 1000  # documented maximum of metrics per call

    def record():
        for start in range(0, len(metrics), most):
            client.log_batch(run_id, metrics=metrics[start : start + most])

    def stored():
        return rows(database, "SELECT count(DISTINCT step) FROM metrics")

    return record, stored


def with_wandb(rollouts, folder):
    import wandb
    from wandb.proto.wandb_internal_pb2 import Record

    settings = wandb.Settings(
        console="off", silent=True, disable_git=True, save_code=False, x_disable_stats=True, x_disable_meta=True
    )
    run = wandb.init(project="bench", mode="offline", dir=folder, settings=settings)

    def record():
        for step, (_, values) in enumerate(rollouts):
            run.log(values, step=step)
        run.finish()

    def stored():
        (log,) = folder.glob("wandb/offline-run-*/*.wandb")
        return sum(Record.FromString(entry).HasField("history") for entry in log_entries(log.read_bytes()))

    return record, stored


def with_aim(rollouts, folder):
    from aim import Repo, Run

    repo = Repo.from_path(str(folder), init=True)
    run = Run(repo=repo, system_tracking_interval=None, capture_terminal_logs=False)
    run_hash = run.hash

    def record():
        for step, (_, values) in enumerate(rollouts):
            run.track(values, step=step)
        run.close()

    def stored():
        repo._recreate_index()  # what `aim storage reindex` does: unindexed runs cannot be read
        run = Run(run_hash, repo=repo, read_only=True)
        return min(len(metric.data.indices_list()) for metric in run.metrics())

    return record, stored


def with_trackio(rollouts, folder):
    import trackio

    trackio.init(project="bench", embed=False, auto_log_gpu=False, auto_log_cpu=False)

    def record():
        for step, (_, values) in enumerate(rollouts):
            trackio.log(values, step=step)
        trackio.finish()

    def stored():
        return rows(folder / "trackio" / "bench.db", "SELECT count(*) FROM metrics")

    return record, stored


TOOLS = {
    "mlflow": (with_mlflow, "durable when log_batch returns"),
    "wandb": (with_wandb, "log() only queues; written, not synced to disk, when finish() returns"),
    "aim": (with_aim, "track() writes without syncing; durable when close() returns"),
    "trackio": (with_trackio, "log() only queues; durable when finish() returns"),
}


def quietly_offline(folder):
    """Set the switches of each tool for working offline, and replace the home folder of the user."""
    os.environ.update(
        HOME=str(folder),
        DO_NOT_TRACK="true",
        MLFLOW_DISABLE_TELEMETRY="true",
        WANDB_MODE="offline",
        WANDB_ERROR_REPORTING="false",
        WANDB_CACHE_DIR=str(folder),
        WANDB_CONFIG_DIR=str(folder),
        WANDB_DATA_DIR=str(folder),
        HF_HUB_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        GRADIO_ANALYTICS_ENABLED="False",
        TRACKIO_DIR=str(folder / "trackio"),
        TRACKIO_SQLITE_SYNCHRONOUS="full",  # its default leaves commits to the operating system
    )


def rows(database, query):
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchone()[0]


def log_entries(log):
    """The entries of a W&B file: 7 bytes of header, then LevelDB's log format in blocks of 32 KB."""
    block, at, entry = 32768, 7, b""
    while at + 7 <= len(log):
        left = block - at % block
        if left < 7:  # too short for a header: padding
            at += left
            continue
        size, kind = int.from_bytes(log[at + 4 : at + 6], "little"), log[at + 6]
        entry += log[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # whole, or the last part
            yield entry
            entry = b""


def milliseconds(at):
    return int(datetime.fromisoformat(at).timestamp() * 1000)


def read(path, count):
    with open(path, encoding="utf-8") as lines:
        events = [json.loads(line) for line in islice(lines, count)]
    return [(milliseconds(event["at"]), numbers(event)) for event in events]


def main(tool, path, count, folder):
    prepare, note = TOOLS[tool]
    rollouts = read(path, int(count))
    folder = Path(folder).resolve()
    quietly_offline(folder)
    with redirect_stdout(sys.stderr):
        record, stored = prepare(rollouts, folder)
        start = time.perf_counter()
        record()
        seconds = time.perf_counter() - start
        found = stored()
    if found != len(rollouts):
        raise SystemExit(f"{tool} was given {len(rollouts)} rollouts and holds {found}")
    print(
        json.dumps(
            {
                "tool": tool,
                "version": version(tool),
                "events": len(rollouts),
                "seconds": round(seconds, 3),
                "perSecond": round(len(rollouts) / seconds, 1),
                "note": note,
            }
        )
    )


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in TOOLS:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
