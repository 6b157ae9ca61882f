// Reading a trainer's output from a file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BadTrainingReport, readTrainingReport, type TrainingReport } from './training-report.ts';

async function reportOf(...lines: readonly (object | string)[]): Promise<TrainingReport> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  writeFileSync(join(folder, 'report.ndjson'), text);
  return await readTrainingReport('report.ndjson', { cwd: folder, signal: new AbortController().signal });
}

const update = (step: number): object => ({
  step,
  spent: { 'agent-steps': 100 * step },
  values: { reward: step / 10 },
});
const digest = '0'.repeat(64);

describe('a training report', () => {
  it('contains the curve, the spending and the checkpoint', async () => {
    const done = { checkpoint: { file: 'update-2' }, spent: { 'agent-steps': 210 }, results: { valid: 0.5 } };
    expect(await reportOf('loading', update(1), { saved: { file: 'update-1' } }, update(2), { done })).toEqual({
      curve: [update(1), update(2)],
      spent: { 'agent-steps': 210 },
      left: { file: 'update-2' },
      results: { valid: 0.5 },
      signal: [],
      sampled: [],
    });
  });

  it('may end with a save', async () => {
    expect(await reportOf(update(1), { saved: { reference: 'adapter-1' } })).toMatchObject({
      left: { reference: 'adapter-1' },
      spent: { 'agent-steps': 100 },
    });
  });

  it('may be the output of icecore lake train --json, whose last line has all updates', async () => {
    const signal = [{ family: null, sampleGroups: 8, withVariance: 2, share: 0.25 }];
    const trained = {
      kind: 'trained',
      folder: '/lakes',
      isNew: true,
      environment: 'lake',
      trainer: { name: 'grpo' },
      configuration: {},
      from: null,
      budget: { 'agent-steps': 200 },
      seed: '1',
      spent: { 'agent-steps': 200 },
      checkpoint: { reference: '/lakes/update-2', digest, bytes: 3, step: 2 },
      curve: [update(1), update(2)],
      families: [],
      signal,
      results: null,
      exit: null,
      log: null,
      seconds: 1,
      perSecond: null,
    };
    expect(await reportOf({ kind: 'point', point: update(2) }, trained)).toEqual({
      curve: [update(1), update(2)],
      spent: { 'agent-steps': 200 },
      left: { file: '/lakes/update-2', digest, step: 2 },
      signal,
      sampled: [],
    });
  });

  it.each([
    ['an unknown key', [update(1), { step: 2, valeus: {} }], 'report.ndjson, line 2: '],
    [
      'a rollout twice',
      Array.from({ length: 2 }, () => ({ rollout: { task: { id: 'a' }, sample: 0, outcome: 'right' } })),
      'line 2: rollout.sample: found 0 again',
    ],
    ['a repeated step', [update(2), update(1)], 'line 2: step: found 1, allowed: more than the last step, 2'],
    [
      'a decreasing spending',
      [update(2), { ...update(3), spent: { 'agent-steps': 1 } }],
      'line 2: spent.agent-steps: found 1',
    ],
    ['no messages', ['training...', 'done'], 'report.ndjson: no line reports an update'],
    ['no lines', [], 'report.ndjson: no line reports an update'],
  ])('is refused with %s, by line', async (_, lines, said) => {
    const failing = reportOf(...lines);
    await expect(failing).rejects.toThrow(BadTrainingReport);
    await expect(failing).rejects.toThrow(said);
  });
});
