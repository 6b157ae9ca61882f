// External evidence for a ledger with reported attempts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { collect } from '../../ledger/contract/fixture.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { treeOf } from '../../ledger/seal/span.ts';
import { sealStage } from '../trust/sealing.ts';
import { takeIn } from './intake.ts';
import { targetOf } from './testing/targets.ts';
import { longestInline } from './texts.ts';

const run = 'theirs';
const work = `work-${run}`;
let ledger: Ledger;
let reopened: () => Promise<Ledger>;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-intake-'));
  const url = `split:sqlite:${join(folder, 'run.db')}+sqlite:${join(folder, 'evidence.db')}`;
  const opened: Ledger[] = [];
  reopened = async () => {
    const one = await openLedger(url, { create: true });
    opened.push(one);
    return one;
  };
  ledger = await reopened();
  onTestFinished(async () => {
    for (const one of opened) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

const rollout = (attempt: number, i: number): string =>
  JSON.stringify({
    id: `00000000-0000-4000-8000-${String(attempt * 1000 + i).padStart(12, '0')}`,
    stream: `evidence-${run}-1-0-${attempt}`,
    type: 'RolloutRecorded',
    version: 1,
    at: '2026-07-01T12:00:00Z',
    actor: 'producer/theirs',
    run,
    stage: 1,
    causes: [],
    data: { environment: 'lake', split: 'probe', policy: 'theirs', outcome: 'valid' },
  });

async function taken(lines: readonly string[]): Promise<void> {
  const source = (async function* () {
    yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
  })();
  await takeIn(source, targetOf(ledger), {
    defaults: { stream: null, isOnlyStream: false, now: () => new Date().toISOString() },
    longestInline: longestInline.byDefault,
    expect: 'any',
    onRefused: null,
    signal: new AbortController().signal,
  });
}

const reports = async (): Promise<unknown[]> =>
  (await collect(ledger.read(work))).map(({ envelope: { stage, data } }) => ({ stage, data }));

const rollouts = (attempt: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => rollout(attempt, i));

describe('imported evidence', () => {
  it('is reported stream by stream, and readable by others', async () => {
    await taken([...rollouts(0, 3), ...rollouts(1, 2)]);
    const expected = await Promise.all(
      [0, 1].map(async (attempt) => {
        const tree = await treeOf(ledger, { stream: `evidence-${run}-1-0-${attempt}` });
        return { stage: 1, data: { part: '0', attempt, count: tree.to, root: tree.root() } };
      }),
    );
    expect(expected.map(({ data: { count } }) => count)).toEqual([3, 2]);
    expect(await reports()).toEqual(expected);
    ledger = await reopened();
    expect(await collect(ledger.readAll({ types: ['RolloutRecorded'] }))).toHaveLength(5);
    // Nothing says that one follows the other: the last attempt counts.
    const sealed = await sealStage(ledger, { run, stage: 1, actor: 'human/ada', chosen: new Map() });
    expect(sealed.attempts.map(({ stream, count }) => [stream, count])).toEqual([[`evidence-${run}-1-0-1`, 2]]);
  });

  it('is reported once, however often it is imported', async () => {
    await taken(rollouts(0, 3));
    await taken(rollouts(0, 3));
    expect(await reports()).toHaveLength(1);
  });

  it('of an interrupted input is imported again, and reported then', async () => {
    await expect(taken([...rollouts(0, 2), 'rubbish'])).rejects.toThrow();
    expect(await reports()).toEqual([]);
    await taken(rollouts(0, 3));
    expect(await reports()).toMatchObject([{ data: { count: 3 } }]);
  });

  it('cannot be extended once it is reported', async () => {
    await taken(rollouts(0, 3));
    await expect(taken(rollouts(0, 4))).rejects.toThrow(`evidence-${run}-1-0-0 was reported with 3 events`);
  });
});
