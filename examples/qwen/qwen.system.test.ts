// A dry run of the run files for Qwen3-4B: the same steps, with a server that speaks vLLM's protocol in place of vLLM and a trainer that packs an
// adapter without learning in place of TRL. For verl its trainer runs itself, with examples/trainers/testing/verl in place of verl.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin, icecore, json, lines, type Ran, temporaryFolder } from '../../src/cli/testing/harness.ts';
import type { Fields } from '../../src/lab/models/answers.ts';
import { AdapterServer } from '../../src/lab/models/testing/adapter-server.ts';
import { Endpoint } from '../../src/lab/models/testing/endpoint.ts';
import { promptIn } from '../../src/lab/models/testing/well-behaved.ts';
import { mind } from '../../src/lab/policies/testing/speaking.ts';

const shipped = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Record<string, unknown>;

/** Packs an adapter whose weights are the stage's seed and the adapter it started from. */
const trainer = `
stage=$(cat)
field() { printf '%s\\n' "$stage" | sed -n "s/.*$1.*/\\1/p"; }
folder=$(field '"folder":"\\([^"]*\\)"')
from=$(field '"from":{"reference":"\\([^"]*\\)"')
mkdir "$folder/adapter"
echo '{"r": 16}' >"$folder/adapter/adapter_config.json"
field '"seed":"\\([^"]*\\)"' >"$folder/adapter/adapter_model.safetensors"
[ -z "$from" ] || tar -xOf "$from" adapter_model.safetensors >>"$folder/adapter/adapter_model.safetensors"
tar -cf "$folder/final.tar" -C "$folder/adapter" adapter_config.json adapter_model.safetensors
echo '{"step": 2, "spent": {"updates": 2}, "values": {"reward": 0.5}}'
echo '{"done": {"checkpoint": {"file": "final.tar"}}}'
`;

/** A model that plans badly, and as engineer keeps what the example in its prompt has. */
function answer(body: Fields): string {
  const prompt = promptIn(body);
  const [, example] = /as they are now\.\n\n(\{[\s\S]*?\n\})\n\n- "rationale"/.exec(prompt) ?? [];
  return example ?? mind(prompt, body);
}

let endpoint: Endpoint;
let server: AdapterServer;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

const env = { ICECORE_TRUST: '*', OPENAI_API_KEY: 'sk-a', GEMINI_API_KEY: 'sk-b' };

interface Place {
  readonly cwd: string;
  run(engineer: string, ...more: readonly string[]): Promise<Ran>;
}

/** The shipped settings with the local server's address, and a shipped run file with few tasks. */
function place(file = 'run.json', program: readonly string[] = ['sh', '-c', trainer], variables = {}): Place {
  const cwd = temporaryFolder();
  const { models } = shipped('icecore.config.json') as { models: Record<string, Fields> };
  const local = Object.entries(models).map(([name, entry]) => [name, { ...entry, url: endpoint.url }]);
  writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models: Object.fromEntries(local) }));
  const few = { stages: 3, validation: 8, perCell: 1, samples: 1, trained: 8, suites: ['agents-2-wait-50-of-1'] };
  const settings = { ...shipped(file), ...few, trainer: program, budget: { updates: 2 } };
  writeFileSync(join(cwd, 'run.json'), JSON.stringify(settings));
  server = new AdapterServer(answer, ['Qwen/Qwen3-4B', 'gpt-5.4', 'gemini-3.1-pro-preview']);
  endpoint.script(server.script);
  const run = (engineer: string, ...more: readonly string[]) =>
    icecore(['run', '--file', 'run.json', '--engineer', engineer, '--name', engineer, ...more, '--json'], {
      cwd,
      env: { ...env, ...variables },
    });
  return { cwd, run };
}

/** The models that answered, in order, without repetition. */
const askedModels = (): readonly string[] => {
  const names = endpoint.seen.flatMap(({ path, body }) =>
    path.endsWith('/chat/completions') ? [String(body['model'])] : [],
  );
  return names.filter((name, i) => name !== names[i - 1]);
};

describe('the run file for Qwen3-4B', () => {
  it('trains, loads each adapter, measures it, and asks it for the next configuration', async () => {
    const { cwd, run } = place();
    const ran = await run('checkpoint');
    expect(ran).toMatchObject({ code: 0 });
    const loaded = [...server.loaded.keys()];
    expect(loaded).toHaveLength(3);
    expect(askedModels()).toEqual(loaded);
    const asked = await icecore(['sql', '--format', 'csv', 'SELECT DISTINCT purpose FROM model_calls ORDER BY 1'], {
      cwd,
      env,
    });
    expect(lines(asked.stdout).slice(1)).toEqual(expect.arrayContaining(['plan', 'proposal']));
    const shown = json(await icecore(['show', 'checkpoint@3', '--json'], { cwd, env }));
    expect(JSON.stringify(shown)).toContain(loaded[2]?.replace('lora-', ''));
  });

  it.each(['gpt', 'gemini', 'base'])(
    'asks %s for the configuration, and only the policy for plans',
    async (engineer) => {
      const { run } = place();
      expect(await run(engineer)).toMatchObject({ code: 0 });
      const { models } = shipped('icecore.config.json') as { models: Record<string, { readonly model: string }> };
      const name = engineer === 'base' ? 'Qwen/Qwen3-4B' : models[engineer]?.model;
      const [first, second, third] = [...server.loaded.keys()];
      expect(askedModels()).toEqual([first, name, second, name, third]);
    },
  );

  it('resumes when the server has lost its adapters, and loads them again', async () => {
    const { cwd, run } = place();
    expect(await run('checkpoint', '--stages', '1')).toMatchObject({ code: 0 });
    server.loaded.clear();
    const proposed = await icecore(['propose', 'checkpoint@next', '--json'], { cwd, env });
    expect(proposed).toMatchObject({ code: 0 });
    expect(server.loaded.size).toBe(1);
  });

  it('names the server and the adapter if the server cannot load it, and can be resumed', async () => {
    const { cwd, run } = place();
    endpoint.script((index, seen) => server.script(index, { ...seen, body: { ...seen.body, lora_path: '/not/here' } }));
    const failed = await run('checkpoint');
    expect(failed.code).toBe(1);
    expect(json(failed)).toMatchObject({
      error: { message: expect.stringMatching(/does not serve lora-[0-9a-f]{64}/) },
    });
    endpoint.script(server.script);
    expect(await icecore(['resume', 'checkpoint', '--json'], { cwd, env })).toMatchObject({ code: 0 });
  });
});

const trainers = fileURLToPath(new URL('../trainers/', import.meta.url));

describe.skipIf(spawnSync('python3', ['--version']).status !== 0)('the run file for Qwen3-4B with verl', () => {
  it('differs from the one with TRL in its trainer alone', () => {
    const trainerIn = (name: string) => shipped(name)['trainer'] as readonly string[];
    expect({ ...shipped('run-verl.json'), trainer: null }).toEqual({ ...shipped('run.json'), trainer: null });
    expect(trainerIn('run-verl.json')).toEqual(
      trainerIn('run.json').map((word) => (word === 'trl_grpo.py' ? 'verl_grpo.py' : word)),
    );
  });

  it('trains, loads the adapter of each save of verl, and starts the next stage from it', async () => {
    const surroundings = {
      ...env,
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      PYTHONPATH: join(trainers, 'testing'),
      PYTHONDONTWRITEBYTECODE: '1',
      ICECORE: `'${process.execPath}' '${bin}'`,
    };
    const [python = '', , ...words] = shipped('run-verl.json')['trainer'] as readonly string[];
    const small = ['--lakes', '2', '--samples', '2', '--save-every', '1'];
    const program = [python, join(trainers, 'verl_grpo.py'), ...words, ...small];
    const { cwd, run } = place('run-verl.json', program, surroundings);
    const ran = await run('checkpoint', '--stages', '2');
    expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr + ran.stdout }).toEqual({ code: 0, stderr: '' });
    const weights = [...server.loaded.values()].map((folder) =>
      readFileSync(join(folder, 'adapter_model.safetensors'), 'utf8'),
    );
    expect(weights).toEqual([
      expect.stringMatching(/^base \d+:2$/),
      expect.stringMatching(new RegExp(`^${weights[0]} \\d+:2$`)),
    ]);
    expect(askedModels()).toEqual([...server.loaded.keys()]);
    const shown = json(await icecore(['show', 'checkpoint', '--json'], { cwd, env: surroundings }));
    expect(JSON.stringify(shown)).toContain('verl_grpo.py');
  });
});
