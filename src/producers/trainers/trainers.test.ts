import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { registry } from '../../../testbed/testing/registry.ts';
import type { Checkpoint } from '../../lab/policies/policy.ts';
import { allowingAll } from '../../lab/programs/testing/allowed.ts';
import { claim, occupy, stateOfFolder, type Training, trainingName } from './folder.ts';
import { anyCheckpoint, baseCheckpoint, checkpointsOn, openTrainer, ownCheckpoint } from './trainers.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'icecore-trainers-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const training: Training = {
  environment: 'lake',
  trainer: { name: 'grpo', version: '1' },
  configuration: { agents: 2 },
  budget: { 'agent-steps': 5 },
  seed: 'a',
  from: null,
};

describe('the folder of a training', () => {
  it('is free if it is empty, and belongs to the training once claimed', async () => {
    const path = join(folder(), 'not', 'there');
    expect(await stateOfFolder(path, training)).toBe('free');
    expect(existsSync(path)).toBe(false);
    await claim(path, training);
    expect(await stateOfFolder(path, training)).toBe('begun');
    expect(JSON.parse(readFileSync(join(path, trainingName), 'utf8'))).toEqual(training);
  });

  it.skipIf(!existsSync('/proc/self'))('is refused where it cannot be created', async () => {
    await expect(claim('/proc/none/training', training)).rejects.toThrow('/proc/none: the folder cannot be created');
  });

  it('does not depend on the order of fields in the request', async () => {
    const path = folder();
    await claim(path, { ...training, configuration: { b: 1, a: { d: 1, c: 2 } } });
    expect(await stateOfFolder(path, { ...training, configuration: { a: { c: 2, d: 1 }, b: 1 } })).toBe('begun');
  });

  it('is occupied by another training, with the differences', async () => {
    const path = folder();
    await claim(path, training);
    const other = stateOfFolder(path, { ...training, seed: 'b', budget: { 'agent-steps': 6 } });
    await expect(other).rejects.toThrow(
      `the folder ${path} contains another training: its budget is {"agent-steps":5}, its seed is "a"`,
    );
    await expect(other).rejects.toMatchObject({
      kind: 'conflict',
      facts: { differing: { seed: { there: 'a', asked: 'b' } } },
    });
  });

  it.each<Partial<Training>>([
    { environment: 'coins' },
    { trainer: { name: 'grpo', version: '2' } },
    { configuration: { agents: 3 } },
    { budget: { updates: 5 } },
    { seed: 'b' },
    { from: 'base' },
  ])('is occupied if a single field differs: %j', async (change) => {
    const path = folder();
    await claim(path, training);
    await expect(stateOfFolder(path, { ...training, ...change })).rejects.toThrow('contains another training: its');
  });

  it.each([['{'], ['null'], ['[]'], ['{"seed": "a"}']])('contains another training if its file is %s', async (text) => {
    const path = folder();
    writeFileSync(join(path, trainingName), text);
    await expect(stateOfFolder(path, training)).rejects.toThrow('contains another training');
  });

  it('is occupied by other files', async () => {
    const path = folder();
    for (const name of ['b', 'a', 'c']) mkdirSync(join(path, name));
    await expect(stateOfFolder(path, training)).rejects.toThrow(/contains other files \(\w, \w, \.\.\.\)/);
  });
});

describe('a folder in which a process trains', () => {
  it('is locked until the training is over', async () => {
    const cwd = folder();
    const leave = await occupy(cwd);
    await expect(occupy(cwd)).rejects.toMatchObject({
      kind: 'conflict',
      message: `the process ${process.pid} is training in the folder ${cwd}`,
    });
    await leave();
    await (await occupy(cwd))();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is free if that process is gone, or if the lock was partially written', async () => {
    const cwd = folder();
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const lock = join(cwd, 'icecore-training.lock');
    for (const text of [`${pid}\n`, '', 'x']) {
      writeFileSync(lock, text);
      utimesSync(lock, 0, 0);
      await (await occupy(cwd))();
    }
  });

  it('is locked while the process writes its number', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'icecore-training.lock'), '');
    await expect(occupy(cwd)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('another process is training'),
    });
  });

  it('is locked by only one of several concurrent processes', async () => {
    const cwd = folder();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => occupy(cwd)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a trainer', () => {
  const words = { environment: 'lake', folder: '/', allow: allowingAll('/'), registry };

  it('is a registered name or a program', async () => {
    const own = await openTrainer('grpo', { ...words, threads: 1 });
    const program = await openTrainer(['sh', '-c', 'true'], words);
    expect([own.component.name, program.component.name]).toEqual(['grpo', 'command']);
    expect(program.component.parameters).toEqual({ command: ['sh', '-c', 'true'] });
    await Promise.all([own.close(), program.close()]);
  });

  it('that is registered trains only on its environments', async () => {
    const opening = openTrainer('grpo', { ...words, environment: 'coins' });
    await expect(opening).rejects.toThrow('the trainer grpo trains on lake, not on coins');
  });

  it('that is a program must be executable from the current folder', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'mine'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(cwd, 'text'), '', { mode: 0o644 });
    mkdirSync(join(cwd, 'folder'));
    await openTrainer(['./mine'], { ...words, folder: cwd });
    for (const program of ['mine', './text', './folder', './none']) {
      const opening = openTrainer([program], { ...words, folder: cwd });
      await expect(opening).rejects.toThrow(`${program} does not exist`);
    }
  });
});

const checkpoints = checkpointsOn(registry, 'lake');

describe('the initial checkpoint of a training', () => {
  it('of a program is a file with its digest, a folder, or a name', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'weights'), 'abc');
    expect(await anyCheckpoint('weights', cwd)).toEqual({
      reference: join(cwd, 'weights'),
      digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      bytes: 3,
    });
    expect(await anyCheckpoint('.', cwd)).toEqual({ reference: cwd });
    expect(await anyCheckpoint('weights/none', cwd)).toEqual({ reference: 'weights/none' });
    expect(await anyCheckpoint('hub:mine', cwd)).toEqual({ reference: 'hub:mine' });
  });

  it('of the built-in trainer is one of its own files, even if named like a rule', async () => {
    const cwd = folder();
    await expect(ownCheckpoint('random', cwd, checkpoints)).rejects.toThrow(
      `${join(cwd, 'random')}: there is no such file or folder`,
    );
    writeFileSync(join(cwd, 'random'), 'abc');
    await expect(ownCheckpoint('random', cwd, checkpoints)).rejects.toThrow(
      'this is not a checkpoint in the safetensors format',
    );
  });
});

describe('the base checkpoint', () => {
  it('is created once in a folder, and identical in every folder', async () => {
    const sizes = Array.from({ length: 8 }, (_, i) => [i + 3, { data: i === 0 ? 1 : 0, hole: 0, wait: 0 }] as const);
    const configuration = { agents: 1, sizes: Object.fromEntries(sizes) };
    const baseIn = async (seed: string, folder: string): Promise<Checkpoint> => {
      const made = await baseCheckpoint(checkpoints, { configuration, seed, folder });
      if (made === null) throw new Error('the network has a base snapshot');
      return made;
    };
    const cwd = folder();
    const made = await baseIn('a', cwd);
    const written = statSync(made.reference).mtimeMs;
    expect(await baseIn('a', cwd)).toMatchObject({ digest: made.digest });
    expect(statSync(made.reference).mtimeMs).toBe(written);
    expect((await baseIn('a', folder())).digest).toBe(made.digest);
    expect((await baseIn('b', folder())).digest).not.toBe(made.digest);
  });

  it('is not used if it is damaged', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'base.safetensors'), 'abc');
    const configuration = { agents: 1, sizes: {} };
    const taken = baseCheckpoint(checkpoints, { configuration, seed: 'a', folder: cwd });
    await expect(taken).rejects.toThrow('this is not a checkpoint in the safetensors format');
  });
});
