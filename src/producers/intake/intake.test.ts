import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { StorageFailed } from '../../base/folders.ts';
import { evidenceStream, noteIn, rolloutIn, runStream, seal } from '../../ledger/contract/samples.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { AttemptTree } from '../../ledger/seal/attempt.ts';
import { IntakeStopped } from './faults.ts';
import { type IntakeOptions, type Tally, takeIn } from './intake.ts';
import { RejectsFile } from './refusals.ts';
import type { Target } from './target.ts';
import { inChunks } from './testing/chunks.ts';
import { onlyChecking, targetOf } from './testing/targets.ts';
import { longestInline } from './texts.ts';
import { most, type Refused } from './windows.ts';

const other = 'evidence-c0ntractc0nt-2-1-1';
const notes = 'notes-c0ntractc0nt';

let folder: string;
let ledger: Ledger;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-intake-'));
  ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
});

afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

type Sent = NewEvent & { stream: string };

function rollout(index: number, stream = evidenceStream): Sent {
  return { ...rolloutIn(stream, index), stream };
}

function rollouts(from: number, count: number, stream = evidenceStream): Sent[] {
  return Array.from({ length: count }, (_, i) => rollout(from + i, stream));
}

function note(index: number): Sent {
  return { ...noteIn(notes, index), stream: notes };
}

function target(): Target {
  return targetOf(ledger);
}

const options: IntakeOptions = {
  defaults: { stream: null, isOnlyStream: false, now: () => '2026-01-01T00:00:00Z' },
  longestInline: longestInline.everything,
  expect: 'any',
  onRefused: null,
  signal: new AbortController().signal,
};

function take(events: readonly unknown[], more: Partial<IntakeOptions> = {}, to = target()): Promise<Tally> {
  const text = events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('');
  return takeIn(inChunks(text, 65_536), to, { ...options, ...more });
}

async function stopped(taking: Promise<unknown>): Promise<IntakeStopped> {
  const fault = await taking.then(() => null).catch((error: unknown) => error);
  if (fault instanceof IntakeStopped) return fault;
  throw new Error(`not stopped: ${String(fault)}`);
}

async function held(): Promise<string[]> {
  const places: string[] = [];
  for await (const events of ledger.readAll())
    for (const event of events) places.push(`${event.stream}@${event.revision}`);
  return places;
}

describe('an intake', () => {
  it('refuses a second seal of a stage, in the ledger or in the same input; repeating the same seal succeeds', async () => {
    await take(rollouts(0, 2));
    const attempt = await new AttemptTree(ledger, evidenceStream).seal();
    const sealed = (index: number, count: number) => ({ ...seal([{ ...attempt, count }], index), stream: runStream });
    await take([sealed(0, 2)]);
    expect((await take([sealed(0, 2)])).existed).toBe(1);
    expect((await stopped(take([sealed(1, 2)]))).message).toMatch(/stage 2 of run c0ntractc0nt is sealed already/);
    const refused: Refused[] = [];
    await take([rollout(2), sealed(2, 1)], { onRefused: (one) => refused.push(one) });
    expect(refused.map(({ fault }) => fault.name)).toEqual(['SecondSeal']);
    expect(await held()).toEqual([
      ...[0, 1].map((i) => `${evidenceStream}@${i}`),
      `${runStream}@0`,
      `${evidenceStream}@2`,
    ]);
  });

  it('appends its input once, even if it is repeated', async () => {
    const events = rollouts(0, 2500);
    expect(await take(events)).toMatchObject({ appended: 2500, existed: 0, rejected: 0, streams: 1 });
    expect(await take(events)).toMatchObject({ appended: 0, existed: 2500, rejected: 0, streams: 1 });
  });

  it('keeps the order within a stream, and never puts a decision before its evidence', async () => {
    const sent = [rollout(0), rollout(0, other), rollout(1), note(0), note(1), rollout(1, other), note(2), rollout(2)];
    await take(sent);
    expect(await held()).toEqual([
      `${evidenceStream}@0`,
      `${evidenceStream}@1`,
      `${other}@0`,
      `${notes}@0`,
      `${notes}@1`,
      `${other}@1`,
      `${notes}@2`,
      `${evidenceStream}@2`,
    ]);
  });

  it('reports its progress', async () => {
    const seen: number[] = [];
    await take(rollouts(0, 3000), { onProgress: async ({ appended }) => void seen.push(appended) });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('can check without writing', async () => {
    expect(await take(rollouts(0, 10), {}, onlyChecking())).toMatchObject({ appended: 10 });
    expect(await held()).toEqual([]);
    const fault = await stopped(take([rollout(0), { ...rollout(1), type: 'Nothing' }], {}, onlyChecking()));
    expect(fault.facts).toMatchObject({ line: 2, field: 'type' });
  });
});

describe('an id that two events of an input have', () => {
  it('is no fault if they are equal, and otherwise names the other line, since neither is stored', async () => {
    const twice = { ...rollout(0), data: { ...(rollout(0).data as object), outcome: 'other' } };
    const fault = await stopped(take([rollout(0), rollout(1), twice]));
    expect(fault).toMatchObject({ kind: 'conflict', facts: { line: 3, other: 1, differs: ['data.outcome'] } });
    expect(fault.message).toMatch(
      /^line 3: id \S+ is also that of line 1, which differs in data\.outcome; 0 events were/,
    );
    expect(await held()).toEqual([]);
  });
});

describe('the first bad line without a rejects file', () => {
  const bad = { ...rollout(7), data: { environment: 5 } };

  it('stops the intake, and nothing of its window is written', async () => {
    const whole = most.pieces;
    const fault = await stopped(take([...rollouts(0, whole + 5), bad, ...rollouts(whole + 5, 5)]));
    expect(fault.kind).toBe('bad-input');
    expect(fault.facts).toMatchObject({ line: whole + 6, field: 'data.environment', appended: whole, existed: 0 });
    expect(fault.message).toMatch(/^line \d+: data\.environment: found 5 .*; [\d,]+ events were appended before that$/);
    expect(fault.remedy).toContain('events are not appended twice');
    expect(await held()).toHaveLength(whole);
  });

  it('is the first by line number, for any issue and stream', async () => {
    const invalid = { ...rollout(0, other), stage: 9 };
    expect((await stopped(take([rollout(0), invalid, rollout(1)]))).facts['line']).toBe(2);
    expect(await held()).toEqual([]);
    expect((await stopped(take([rollout(0), invalid, '{"id":', bad]))).facts['line']).toBe(2);
    expect((await stopped(take([rollout(0), '{"id":', invalid, bad]))).facts['line']).toBe(2);
    expect((await stopped(take([rollout(0), rollout(0, other), bad]))).facts['line']).toBe(3);
    expect(await held()).toEqual([]);
  });

  it('may reuse the id of a recorded event', async () => {
    await take([rollout(0)]);
    const taken = { ...rollout(0), actor: 'human/eve' };
    const fault = await stopped(take([rollout(1), taken, rollout(2)]));
    expect(fault.kind).toBe('conflict');
    expect(fault.facts).toMatchObject({ line: 2, id: rollout(0).id, differs: ['actor'] });
  });

  it('may be the second of two lines with one id', async () => {
    const fault = await stopped(take([rollout(0), rollout(1), { ...rollout(0), actor: 'human/eve' }]));
    expect(fault.facts).toMatchObject({ line: 3, appended: 0 });
    expect(await held()).toEqual([]);
  });

  it('may be too large for a ledger', async () => {
    const large = {
      ...rollout(1),
      data: { ...(rollout(1).data as object), completion: { text: 'x'.repeat(1_100_000) } },
    };
    const fault = await stopped(take([rollout(0), large]));
    expect(fault.facts).toMatchObject({ line: 2 });
    expect(fault.message).toContain('at most 1000000 bytes');
  });
});

describe('a rejects file', () => {
  async function takeAll(events: readonly unknown[]): Promise<{ tally: Tally; refused: Refused[] }> {
    const refused: Refused[] = [];
    const tally = await take(events, { onRefused: (one) => void refused.push(one) });
    return { tally, refused };
  }

  it('lets every good line pass and lists every bad one, in the order of lines', async () => {
    await take([rollout(0)]);
    const { tally, refused } = await takeAll([
      { ...rollout(0), actor: 'human/eve' },
      rollout(1),
      'nonsense',
      { ...rollout(2), data: {} },
      rollout(3),
      { ...rollout(3), actor: 'human/eve' },
      { ...rollout(4, other), version: 9 },
      rollout(5, other),
    ]);
    expect(tally).toMatchObject({ appended: 3, existed: 0, rejected: 5 });
    expect(refused.map(({ piece, fault }) => [piece.line, fault.kind])).toEqual([
      [1, 'conflict'],
      [3, 'bad-input'],
      [4, 'bad-input'],
      [6, 'conflict'],
      [7, 'bad-input'],
    ]);
    expect(await held()).toHaveLength(4);
  });

  it('lets the rest pass if most lines are bad', async () => {
    const events = rollouts(0, 300).map((event, i) => (i % 3 === 0 ? event : { ...event, actor: 'nobody' }));
    expect((await takeAll(events)).tally).toMatchObject({ appended: 100, rejected: 200 });
    const changed = rollouts(0, 300).map((event) => ({ ...event, actor: 'human/eve' }));
    expect((await takeAll(changed)).tally).toMatchObject({ appended: 200, rejected: 100 });
  });

  it('can be used as an input after corrections', async () => {
    const path = join(folder, 'rejects.ndjson');
    const rejects = new RejectsFile(path);
    const bad = { ...rollout(1), data: { environment: 5 } };
    await take([rollout(0), bad], { onRefused: (refused) => rejects.add(refused) });
    rejects.close();
    const [line, ...others] = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(others).toEqual([]);
    const rejected = JSON.parse(line ?? '') as Record<string, unknown>;
    expect(rejected).toMatchObject({ line: 2, whole: true, error: { kind: 'bad-input', field: 'data.environment' } });
    expect(JSON.parse(rejected['text'] as string)).toEqual(bad);
  });

  it.skipIf(!existsSync('/dev/full'))('stops the intake if it cannot be written', async () => {
    const rejects = new RejectsFile('/dev/full');
    const fault = await stopped(take([rollout(0), 'nonsense'], { onRefused: (refused) => rejects.add(refused) }));
    rejects.close();
    expect(fault.kind).toBe('storage');
    expect(fault.message).toMatch(/^\/dev\/full: cannot write rejected lines \(.*\); 1 event was appended/);
  });

  it('does not prevent a stop if the ledger fails', async () => {
    const failing: Target = {
      ...target(),
      append: () => Promise.reject(new StorageFailed('x', 'the disk is full', 'Free some.')),
    };
    const fault = await stopped(take([rollout(0)], { onRefused: () => {} }, failing));
    expect(fault.kind).toBe('storage');
    expect(fault.facts).not.toHaveProperty('line');
    expect(fault.commandRemedy).toMatch(/^Free some\. Run the same command again/);
  });
});

describe('an expectation', () => {
  const defaults = { ...options.defaults, stream: evidenceStream, isOnlyStream: true };

  it('applies to the first append, and to later ones relative to the append before', async () => {
    expect(await take(rollouts(0, 2500), { defaults, expect: 'none' })).toMatchObject({ appended: 2500 });
    expect(await take(rollouts(2500, 1500), { defaults, expect: 2499 })).toMatchObject({ appended: 1500 });
    expect(await take(rollouts(4000, 10), { defaults, expect: 'exists' })).toMatchObject({ appended: 10 });
  });

  it('that does not hold stops the intake, with or without rejects', async () => {
    await take(rollouts(0, 3));
    for (const onRefused of [null, () => {}]) {
      const fault = await stopped(take(rollouts(3, 3), { defaults, expect: 'none', onRefused }));
      expect(fault.kind).toBe('conflict');
      expect(fault.facts).toMatchObject({ expected: 'none', actual: 2, appended: 0 });
    }
  });

  it('holds for a repetition of the same events', async () => {
    await take(rollouts(0, 1500), { defaults, expect: 'none' });
    expect(await take(rollouts(0, 1600), { defaults, expect: 'none' })).toMatchObject({ appended: 100, existed: 1500 });
  });
});

describe('an input that fails', () => {
  it('during an append ends the intake afterwards, and keeps all complete windows read before', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(
        rollouts(0, 2 * most.pieces + 1)
          .map((event) => `${JSON.stringify(event)}\n`)
          .join(''),
      );
      throw new Error('the disk was pulled out');
    }
    const quick = target();
    const slow: Target = {
      ...quick,
      append: async (...all) => {
        await new Promise(setImmediate);
        return await quick.append(...all);
      },
    };
    await expect(takeIn(failing(), slow, options)).rejects.toThrow('the disk was pulled out');
    expect(await held()).toHaveLength(2 * most.pieces);
  });
});

describe('an intake that is aborted', () => {
  it('stops between windows and reports what was appended', async () => {
    const controller = new AbortController();
    const onProgress = async ({ appended }: Tally): Promise<void> => {
      if (appended > 0) controller.abort('SIGINT');
    };
    const fault = await stopped(take(rollouts(0, 5000), { onProgress, signal: controller.signal }));
    expect(fault.kind).toBe('interrupted');
    const kept = (await held()).length;
    expect(kept).toBeGreaterThanOrEqual(Number(fault.facts['appended']));
    expect(kept).toBeLessThan(5000);
    expect(await take(rollouts(0, 5000))).toMatchObject({ appended: 5000 - kept, existed: kept });
  });
});
