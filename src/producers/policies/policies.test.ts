import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import { registry } from '../../../testbed/testing/registry.ts';
import { collected } from '../../lab/environments/contract/tasks.ts';
import { modelEntriesOf } from '../../lab/models/entries.ts';
import { Endpoint } from '../../lab/models/testing/endpoint.ts';
import { Notebook } from '../../lab/models/testing/models.ts';
import { served, wellBehaved } from '../../lab/models/testing/well-behaved.ts';
import { rulesIn } from '../../lab/registry.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { Models } from '../models/models.ts';
import { chosen, openPolicy, type Surroundings } from './policies.ts';
import { untrainedIn } from './testing/checkpoints.ts';

const lake = openLake();

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'icecore-policies-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const entries = modelEntriesOf({
  gpt: { url: 'http://localhost:1/v1', model: 'gpt-5', key: 'GPT_KEY' },
  qwen: { url: 'http://localhost:1/v1', model: 'lora-{checkpoint}', base: 'Qwen/Qwen3-4B' },
  baseless: { url: 'http://localhost:1/v1', model: 'lora-{checkpoint}' },
});

function surroundings(cwd = '/nowhere'): Surroundings {
  return { cwd, entries, registry };
}

const noModels = new Models({ entries: new Map(), environment: {}, permit: () => {} });

describe('a policy is named', () => {
  it.each(rulesIn(registry).map(({ name }) => name))('by the name of a rule: %s', async (name) => {
    const policy = await openPolicy(chosen(name, surroundings()), {
      environment: lake,
      threads: 1,
      models: noModels,
      registry,
    });
    expect(policy.component.name).toBe(name);
    expect(policy.checkpoint).toBe(null);
    await policy.close();
  });

  it('by the path of a checkpoint, identified by its digest', async () => {
    const cwd = folder();
    const path = await untrainedIn(cwd);
    const choice = chosen('update-0.safetensors', surroundings(cwd));
    const policy = await openPolicy(choice, { environment: lake, threads: 1, models: noModels, registry });
    expect(policy.component.name).toBe('neural');
    const bytes = await readFile(path);
    expect(policy.checkpoint).toEqual({ reference: path, digest: sha256(bytes), bytes: bytes.length });
    await policy.close();
  });

  it('by the folder of a training, which means its newest checkpoint by number', async () => {
    const cwd = folder();
    for (const update of [9, 100, 20]) await untrainedIn(cwd, `update-${update}`);
    await writeFile(join(cwd, 'update-500.safetensors.part'), '');
    expect(chosen('.', surroundings(cwd))).toEqual({
      kind: 'checkpoint',
      path: join(cwd, 'update-100.safetensors'),
    });
  });

  it.each([
    ['gpt', 'gpt', null],
    ['qwen', 'qwen', null],
    ['qwen:stage-3', 'qwen', 'stage-3'],
    ['qwen:runs:3', 'qwen', 'runs:3'],
  ])('as in icecore.config.json for a model: %s', (word, name, snapshot) => {
    expect(chosen(word, surroundings())).toMatchObject({ kind: 'model', entry: { name }, snapshot });
  });

  it('by a model and its checkpoint, and answers are recorded', async () => {
    const endpoint = await Endpoint.start();
    onTestFinished(() => endpoint.stop());
    endpoint.script(wellBehaved(() => '{"plan": ["W", "W"]}', 'sk-1'));
    const named = served.replace('model', '{checkpoint}');
    const local = modelEntriesOf({ local: { url: endpoint.url, model: named, key: 'LOCAL_KEY' } });
    const book = new Notebook();
    const models = new Models({ entries: local, environment: { LOCAL_KEY: 'sk-1' }, permit: () => {}, book });
    const choice = chosen('local:model', { cwd: '/', entries: local, registry });
    const policy = await openPolicy(choice, { environment: lake, threads: 1, models, registry });
    const { tasks } = await collected(
      lake.generate({ configuration: lake.start, split: 'validation', count: 1, seed: 'one' }),
    );
    for await (const { answer, spoken } of policy.plan({ tasks, seed: 'one' })) {
      expect(answer).toBe('{"plan": ["W", "W"]}');
      expect(spoken?.model).toMatchObject({ name: served, endpoint: 'local', checkpoint: 'model' });
    }
    expect(book.kept.size).toBe(1);
    expect(policy.checkpoint).toEqual({ reference: 'model' });
    await policy.close();
    await models.close();
  });
});

describe('an invalid name', () => {
  it.each([
    ['gready', 'there is no policy "gready"', 'Did you mean greedy?'],
    ['qwenn', 'there is no policy "qwenn"', 'Did you mean qwen?'],
    [
      'something',
      'there is no policy "something"',
      'There are random, greedy, optimal; the models are gpt, qwen, baseless;',
    ],
    ['runs/3', '/nowhere/runs/3: there is no such file or folder', 'Name a checkpoint'],
    ['a.safetensors', '/nowhere/a.safetensors: there is no such file or folder', 'Name a checkpoint'],
    [
      'gpt:stage-3',
      'the model gpt is named gpt-5: found the checkpoint stage-3, allowed: gpt alone',
      '"lora-{checkpoint}"',
    ],
    ['baseless', 'found no checkpoint, and it has no base, allowed: baseless:CHECKPOINT', 'baseless:NAME'],
    ['qwen:', 'the model qwen is named lora-{checkpoint}: found no checkpoint', 'qwen:NAME'],
  ])('%s', (word, message, remedy) => {
    const choosing = (): unknown => chosen(word, surroundings());
    expect(choosing).toThrow(message);
    expect(choosing).toThrow(expect.objectContaining({ remedy: expect.stringContaining(remedy) }));
  });

  it('a folder without a checkpoint', () => {
    expect(() => chosen('.', surroundings(folder()))).toThrow('there is no checkpoint in this folder');
  });

  const opened = async (path: string): Promise<unknown> =>
    await openPolicy({ kind: 'checkpoint', path }, { environment: lake, threads: 1, models: noModels, registry });

  it.each([
    ['is empty', (): Buffer => Buffer.alloc(0), 'found 0 bytes'],
    ['is a text', (): Buffer => Buffer.from('{"agents": 2, "sizes": {}}'), 'found a header of'],
    ['was cut', (whole: Buffer): Buffer => whole.subarray(0, whole.length - 8), 'found '],
  ])('a file that %s', async (_, change, found) => {
    const path = await untrainedIn(folder());
    await writeFile(path, change(await readFile(path)));
    await expect(opened(path)).rejects.toThrow(`${path}: this is not a checkpoint in the safetensors format: ${found}`);
  });

  it('a checkpoint of another architecture', async () => {
    const path = await untrainedIn(folder(), 'other', 'resnet-50');
    await expect(opened(path)).rejects.toThrow(
      `${path}: this checkpoint is not for the neural policy of this icecore: found resnet-50, allowed: icecore-lake`,
    );
  });

  it('a checkpoint with a weight that is not a number', async () => {
    const path = await untrainedIn(folder());
    const bytes = await readFile(path);
    bytes.writeFloatLE(Number.NaN, bytes.length - 4);
    await writeFile(path, bytes);
    await expect(opened(path)).rejects.toThrow(`${path}: this checkpoint is not for the neural policy`);
  });

  it('a checkpoint that was just removed', async () => {
    const path = await untrainedIn(folder());
    await rename(path, `${path}.moved`);
    await expect(opened(path)).rejects.toThrow('no such file');
  });

  it('a model without its key', async () => {
    const models = new Models({ entries, environment: {}, permit: () => {} });
    const opening = openPolicy(chosen('gpt', surroundings()), { environment: lake, threads: 1, models, registry });
    await expect(opening).rejects.toThrow(
      'the environment variable GPT_KEY, which has the key of the model gpt, is not',
    );
  });
});
