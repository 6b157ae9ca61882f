// The part of vLLM that loads LoRA adapters, as its documentation describes it: `GET /models` lists the base model and what was loaded,
// `POST /load_lora_adapter` loads a folder with an adapter, and only a listed model answers.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields } from '../answers.ts';
import { answerReply, type Reply, type Seen, status } from './endpoint.ts';

const qwen = 'Qwen/Qwen3-4B';

export class AdapterServer {
  /** The folder of each adapter, by its name. */
  readonly loaded = new Map<string, string>();
  readonly #mind: (body: Fields) => string;
  readonly #base: readonly string[];

  /** `base`: models that it serves without adapters. */
  constructor(mind: (body: Fields) => string = () => 'four', base: readonly string[] = [qwen]) {
    this.#mind = mind;
    this.#base = base;
  }

  /** Called for each request. */
  readonly script = (_: number, { path, body }: Seen): Reply => {
    if (path.endsWith('/models')) return this.#list();
    if (path.endsWith('/load_lora_adapter')) return this.#load(body);
    const model = String(body['model']);
    if (!this.#base.includes(model) && !this.loaded.has(model))
      return status(404, { error: { message: `The model \`${model}\` does not exist.`, code: 404 } });
    return answerReply(this.#mind(body));
  };

  #list(): Reply {
    const data = [...this.#base, ...this.loaded.keys()].map((id) => ({ id, object: 'model' }));
    return status(200, { object: 'list', data });
  }

  #load({ lora_name: name, lora_path: path }: Fields): Reply {
    if (typeof name !== 'string' || typeof path !== 'string')
      return status(400, { error: { message: "Both 'lora_name' and 'lora_path' must be provided." } });
    if (this.loaded.has(name))
      return status(400, { error: { message: `The lora adapter '${name}' has already been loaded.` } });
    if (!existsSync(join(path, 'adapter_config.json')))
      return status(404, { error: { message: `Loading lora ${name} failed: No adapter found for ${path}` } });
    this.loaded.set(name, path);
    return status(200, `Success: LoRA adapter '${name}' added successfully.`);
  }
}
