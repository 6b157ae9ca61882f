"""In place of verl.model_merger in tests: writes the adapter of a save beside a merged model, as verl 0.9.0 does."""

import argparse
from pathlib import Path

options = argparse.ArgumentParser()
options.add_argument("operation", choices=["merge"])
options.add_argument("--backend", choices=["fsdp"], required=True)
options.add_argument("--local_dir", required=True)
options.add_argument("--target_dir", required=True)
given = options.parse_args()

adapter = Path(given.target_dir, "lora_adapter")
adapter.mkdir(parents=True)
(adapter / "adapter_config.json").write_text('{"r": 16}')
(adapter / "adapter_model.safetensors").write_text(Path(given.local_dir, "weights").read_text())
Path(given.target_dir, "model.safetensors").write_text("the merged model")
