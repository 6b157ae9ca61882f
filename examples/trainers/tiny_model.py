"""Makes a tiny Qwen3 with a small vocabulary, to try trl_grpo.py with: no hub, no GPU, a few minutes.

    python3 examples/trainers/tiny_model.py ./tiny
    python3 examples/trainers/trl_grpo.py --model ./tiny --tokens 32 --rate 1e-3 < stage.json

Its weights are initialized at random. It is then trained on optimal plans for small lakes with one agent, until some of its
plans work: without any reward there is nothing to learn from. `--lessons 0` leaves the weights random.
"""

import argparse
import json
import subprocess

import tokenizers
import torch
import transformers

import lake_words
from lake_stage import ICECORE, generate

LAKES = {"agents": 1, "sizes": {"3": {"data": 1, "hole": 0.1, "wait": 0}}}
BATCH = 16
# Qwen's chat template, without thoughts and tools.
TEMPLATE = """\
{%- for message in messages -%}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}"""


def conversations(lakes: list[dict]) -> list[list[dict]]:
    """The prompt of each lake and the optimal answer, from `icecore lake solve`."""
    asked = "".join(json.dumps(lake) + "\n" for lake in lakes)
    solved = subprocess.run([*ICECORE, "lake", "solve"], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.dumps({"plan": json.loads(line)["plan"]}, separators=(",", ":")) for line in solved.stdout.splitlines()]
    return [
        [{"role": "user", "content": lake_words.prompt(lake)}, {"role": "assistant", "content": answer}]
        for lake, answer in zip(lakes, answers, strict=True)
    ]


def tokenizer_of(texts: list[str]) -> transformers.PreTrainedTokenizerFast:
    """Every move is a token, and so are words of the prompt."""
    bare = tokenizers.Tokenizer(tokenizers.models.BPE())
    # Moves never become part of a longer token, so the model plans step by step.
    alone = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r'[UDLRW](?=[UDLRW"])'), "isolated")
    words = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([alone, words])
    bare.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    bare.train_from_iterator(
        texts, tokenizers.trainers.BpeTrainer(vocab_size=1024, special_tokens=special, initial_alphabet=alphabet)
    )
    names = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=bare, chat_template=TEMPLATE, **names)


def teach(model, tokenizer, examples: list[list[dict]], lessons: int):
    """One lesson is one batch. The loss covers the answers only."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for lesson in range(lessons):
        batch = [examples[(lesson * BATCH + i) % len(examples)] for i in range(BATCH)]
        whole = [tokenizer.apply_chat_template(one, tokenize=False) for one in batch]
        asked = [tokenizer.apply_chat_template(one[:1], tokenize=False, add_generation_prompt=True) for one in batch]
        inputs = tokenizer(whole, padding=True, padding_side="right", return_tensors="pt", return_token_type_ids=False)
        labels = inputs["input_ids"].masked_fill(inputs["attention_mask"] == 0, -100)
        for row, prompt in zip(labels, asked, strict=True):
            row[: len(tokenizer(prompt)["input_ids"])] = -100
        loss = model(**inputs, labels=labels).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        if lesson % 20 == 0:
            print(f"lesson {lesson} of {lessons}: loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Makes a tiny language model that sometimes solves small lakes.")
    options.add_argument("folder", help="folder for the model")
    options.add_argument("--lessons", type=int, default=120, help="batches of solved lakes to learn from (120)")
    given = options.parse_args()
    torch.manual_seed(1)
    examples = conversations(generate(LAKES, 2000, "tiny"))
    tokenizer = tokenizer_of([message["content"] for one in examples for message in one])
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=2048,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    model = transformers.Qwen3ForCausalLM(config)
    teach(model, tokenizer, examples, given.lessons)
    model.save_pretrained(given.folder)
    tokenizer.save_pretrained(given.folder)
