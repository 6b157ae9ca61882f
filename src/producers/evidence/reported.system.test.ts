// Evidence of a ledger with reported attempts: for any size of attempts and any time of a kill, the sealed evidence
// equals that of one uninterrupted process, and nothing is stored twice.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CanonicalText, canonicalJson } from '../../../schemas/canonical.ts';
import type { TextPlace } from '../../../schemas/config.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { greedyPolicy } from '../../../testbed/scripted.ts';
import { judged } from '../../lab/evaluation/judged.ts';
import type { TrainingRollout } from '../../lab/trainers/trainer.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { AttemptBroken } from '../../ledger/errors.ts';
import { indexOfId } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import type { SealedAttempt } from '../../ledger/seal/attempt.ts';
import { treeOf } from '../../ledger/seal/span.ts';
import { keepingTexts } from '../intake/text-keeping.ts';
import { Claim, forgetHolder, RunHeld } from '../run/claim.ts';
import { reportsOf } from '../run/orchestrate.ts';
import { withAppend } from '../run/testing/held-up.ts';
import { type Recorder, recorded } from './attempt.ts';
import { idsOfAnAttempt } from './parts.ts';
import { type AttemptLimits, attemptsOfAClaim, usualLimits } from './reported.ts';
import { RolloutEvents } from './rollout-events.ts';
import { openTrainingEvidence, RolloutsMissing, type TrainingEvidence } from './training.ts';

const run = 'a-run';
const stage = 2;
const part = { run, stage, part: 0 };
const count = 40;

async function newLedger(url: (folder: string) => string = split): Promise<Ledger> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-reported-'));
  const ledger = await openLedger(url(folder), { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return ledger;
}

const split = (folder: string): string =>
  `split:sqlite:${join(folder, 'run.db')}+sqlite:${join(folder, 'evidence.db')}`;
const whole = (folder: string): string => `sqlite:${join(folder, 'ledger.db')}`;

async function claimed(ledger: Ledger): Promise<Claim> {
  return await Claim.take({ ledger, run, stream: streamOf.run(run), actor: 'producer/run', leaseSeconds: 60 });
}

function recording(ledger: Ledger, claim: Claim, limits: Partial<AttemptLimits> = {}) {
  const reports = reportsOf(claim, ledger, run, { ...usualLimits, ...limits });
  return { ledger, check: () => claim.check(), reports };
}

/** The rollouts of a pool, as a resumed run makes them again; some by another policy if a seed says so. */
async function played(recorder: Recorder, { upTo = Number.POSITIVE_INFINITY, seed = 'tasks' }): Promise<boolean> {
  const lake = openLake();
  const policy = greedyPolicy();
  const tasks = lake.generate({ configuration: lake.start, split: 'train', count, seed });
  const provenance = { run, stage, environment: 'lake', split: 'train', policy, actor: 'producer/rollouts' } as const;
  const events = new RolloutEvents({ ...provenance, now: () => new Date().toISOString() }, recorder.idsBegin);
  let made = 0;
  for await (const _ of recorder.record(judged(lake, policy.plan({ tasks, seed: 'plans' })), events)) {
    if (made++ >= upTo) return false;
  }
  return true;
}

/** The sealed evidence in order, except for its times and its recorder. */
async function contentOf(ledger: Ledger, sealed: readonly SealedAttempt[]): Promise<readonly object[]> {
  const content: object[] = [];
  for (const { stream, count: events, root } of sealed) {
    const tree = await treeOf(ledger, { stream, from: 0, to: events - 1 });
    expect({ count: tree.to, root: tree.root() }).toEqual({ count: events, root });
    for (const { envelope } of await collect(ledger.read(stream, { to: events - 1 }))) {
      const { at: _, stream: __, revision: ___, ...rest } = envelope;
      content.push(rest);
    }
  }
  return content;
}

async function inOnePiece(): Promise<readonly object[]> {
  const ledger = await newLedger(whole);
  const claim = await claimed(ledger);
  const sealed = await recorded(recording(ledger, claim), part, async (recorder) => {
    await played(recorder, {});
    return await recorder.seal();
  });
  await claim.release();
  expect(sealed.map(({ stream }) => stream)).toEqual(['evidence-a-run-2-0-0']);
  expect((await collect(ledger.read(streamOf.work(run)))).map(({ type }) => type)).not.toContain('AttemptFinished');
  return await contentOf(ledger, sealed);
}

/** A store that breaks attempts off, before or after storing what it received. */
function breaking(ledger: Ledger, breaks: readonly ('before' | 'after' | null)[], patienceSeconds = 60): Ledger {
  const left = [...breaks];
  return withAppend(ledger, async (stream, events, options) => {
    const breaks = stream.startsWith('evidence-') ? (left.shift() ?? null) : null;
    if (breaks === 'before') throw new AttemptBroken(stream, 'a send was rejected', patienceSeconds);
    const appended = await ledger.append(stream, events, options);
    if (breaks === 'after') throw new AttemptBroken(stream, 'a send was rejected', patienceSeconds);
    return appended;
  });
}

const breaks = fc.array(fc.constantFrom('before', 'after', null, null, null), { maxLength: 6 });
const killed = fc.array(fc.record({ upTo: fc.nat(count), breaks }), { maxLength: 4 });

describe('a part of a stage', () => {
  it('has the same content in any number of attempts, after any kills and broken appends', async () => {
    const expected = await inOnePiece();
    const limits = { rollouts: fc.integer({ min: 1, max: count + 1 }), seconds: fc.constantFrom(0, 60) };
    await fc.assert(
      fc.asyncProperty(killed, breaks, fc.record(limits), async (kills, last, limits) => {
        const ledger = await newLedger();
        for (const { upTo, breaks } of kills) {
          const claim = await claimed(ledger);
          const at = recording(breaking(ledger, breaks), claim, limits);
          await recorded(at, part, async (recorder) => await played(recorder, { upTo }));
          forgetHolder(claim.holder);
        }
        const claim = await claimed(ledger);
        const before = await reportsOf(claim, ledger, run).finishedAt(part);
        const sealed = await recorded(recording(breaking(ledger, last), claim, limits), part, async (recorder) => {
          await played(recorder, {});
          return await recorder.seal();
        });
        await claim.release();
        // Finished attempts are kept.
        expect(sealed.slice(0, before.length).map(({ root }) => root)).toEqual(before.map(({ root }) => root));
        const series = (content: readonly object[]): unknown => JSON.parse(JSON.stringify(content, withoutSeries));
        expect(series(await contentOf(ledger, sealed))).toEqual(series(expected));
        for (const { stream } of sealed) {
          const rollouts = (await collect(ledger.read(stream))).filter(({ type }) => type === 'RolloutRecorded');
          expect(rollouts.length).toBeLessThanOrEqual(limits.rollouts);
        }
        await ledger.close();
      }),
      { numRuns: tries(25) },
    );
  }, 120_000);

  it('has the ids of a single attempt if none was abandoned, and attempt numbers derived from the claim', async () => {
    const expected = await inOnePiece();
    const ledger = await newLedger();
    const first = await claimed(ledger);
    await recorded(
      recording(ledger, first, { rollouts: 8 }),
      part,
      async (recorder) => await played(recorder, { upTo: 24 }),
    );
    await first.release();
    const second = await claimed(ledger);
    const sealed = await recorded(recording(ledger, second, { rollouts: 8 }), part, async (recorder) => {
      await played(recorder, {});
      return await recorder.seal();
    });
    await second.release();
    expect(await contentOf(ledger, sealed)).toEqual(expected);
    const numbers = sealed.map(({ stream }) => Number(stream.split('-').at(-1)));
    expect(numbers.filter((number) => number < attemptsOfAClaim).length).toBeGreaterThan(0);
    expect(numbers.slice(-1)[0]).toBeGreaterThanOrEqual(attemptsOfAClaim);
  });

  it('has the newer rollouts from the first difference on if the policy plans differently after a resume', async () => {
    const ledger = await newLedger();
    const first = await claimed(ledger);
    await recorded(
      recording(ledger, first, { rollouts: 8 }),
      part,
      async (recorder) => await played(recorder, { upTo: 25 }),
    );
    await first.release();
    const second = await claimed(ledger);
    const sealed = await recorded(recording(ledger, second, { rollouts: 8 }), part, async (recorder) => {
      await played(recorder, { seed: 'others' });
      return await recorder.seal();
    });
    await second.release();
    const alone = await newLedger(whole);
    const claim = await claimed(alone);
    const expected = await recorded(recording(alone, claim), part, async (recorder) => {
      await played(recorder, { seed: 'others' });
      return await recorder.seal();
    });
    await claim.release();
    const series = (content: readonly object[]): unknown => JSON.parse(JSON.stringify(content, withoutSeries));
    expect(series(await contentOf(ledger, sealed))).toEqual(series(await contentOf(alone, expected)));
  });

  it('is not reported by a process that lost the run', async () => {
    const ledger = await newLedger();
    const lost = await claimed(ledger);
    const losing = recorded(recording(ledger, lost, { rollouts: 8 }), part, async (recorder) => {
      await played(recorder, { upTo: 21 });
      forgetHolder(lost.holder);
      await (await claimed(ledger)).release();
      await recorder.seal();
    });
    await expect(losing).rejects.toBeInstanceOf(RunHeld);
    const work = await collect(ledger.read(streamOf.work(run)));
    const claims = work.findLastIndex(({ type }) => type === 'RunClaimed');
    expect(work.slice(0, claims).filter(({ type }) => type === 'AttemptFinished').length).toBeLessThan(count / 8);
    expect(work.slice(claims).map(({ type }) => type)).toEqual(['RunClaimed']);
  });

  it('fails after a bounded number of retries if the store breaks every attempt off', async () => {
    const ledger = await newLedger();
    const claim = await claimed(ledger);
    const broken = breaking(
      ledger,
      Array.from({ length: 99 }, () => 'before' as const),
      0.2,
    );
    const recordingIt = recorded(recording(broken, claim), part, async (recorder) => {
      await played(recorder, {});
    });
    await expect(recordingIt).rejects.toBeInstanceOf(AttemptBroken);
    await claim.release();
  });
});

/** Ids without the series of abandoned attempts. */
function withoutSeries(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return value;
  return value.slice(0, -10) + (indexOfId(value) % idsOfAnAttempt).toString(16).padStart(10, '0');
}

describe('a training', () => {
  const provenance = { run, stage, part: 'training', actor: 'producer/rollouts', isReproducible: true } as const;
  const common = { environment: 'lake', split: 'train', policy: 'neural' } as const;
  const some = (word: string, from: number, to: number): TrainingRollout[] =>
    Array.from({ length: to - from }, (_, i) => ({ ...common, outcome: word, success: true, sample: from + i }));

  async function opened(ledger: Ledger, rollouts = 4): Promise<{ claim: Claim; evidence: TrainingEvidence }> {
    const claim = await claimed(ledger);
    return { claim, evidence: await openTrainingEvidence(recording(ledger, claim, { rollouts }), provenance) };
  }

  const samplesIn = async (ledger: Ledger, sealed: readonly SealedAttempt[]): Promise<unknown[]> =>
    (await contentOf(ledger, sealed)).map((one) => {
      const { data } = one as { data: { outcome: string; sample: number } };
      return `${data.outcome}${data.sample}`;
    });

  const names = (word: string, from: number, to: number): string[] =>
    some(word, from, to).map((_, i) => `${word}${from + i}`);

  it.each([
    ['as values', (rollouts: TrainingRollout[]) => rollouts],
    [
      'as canonical text',
      (rollouts: TrainingRollout[]) => rollouts.map((one) => new CanonicalText(canonicalJson(one))),
    ],
  ])(
    'resumes from its save, keeps repeated rollouts and replaces different ones; rollouts given %s',
    async (_, given) => {
      const ledger = await newLedger();
      const first = await opened(ledger);
      await first.evidence.record(0, given(some('a', 0, 7)));
      await first.evidence.settle();
      await first.evidence.record(7, given(some('a', 7, 9)));
      forgetHolder(first.claim.holder);
      const second = await opened(ledger);
      await second.evidence.record(3, given(some('a', 3, 5)));
      await second.evidence.record(5, given(some('b', 5, 12)));
      expect(await samplesIn(ledger, await second.evidence.sealed(12))).toEqual([
        ...names('a', 0, 5),
        ...names('b', 5, 12),
      ]);
      expect(await samplesIn(ledger, await second.evidence.sealed(6))).toEqual([...names('a', 0, 5), 'b5']);
      await second.claim.release();
      const third = await opened(ledger);
      expect(await samplesIn(ledger, await third.evidence.sealed(12))).toEqual([
        ...names('a', 0, 5),
        ...names('b', 5, 12),
      ]);
      await third.claim.release();
    },
  );

  it.each([
    ['inline', 'blobs'],
    ['blobs', 'blobs'],
    ['blobs', 'inline'],
  ] as const)('resumes wherever texts are stored: %s before, %s after', async (before, now) => {
    const ledger = await newLedger();
    const folder = mkdtempSync(join(tmpdir(), 'icecore-texts-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const blobs = await openBlobs(`folder:${folder}`, { create: true });
    const append = ledger.append.bind(ledger);
    const keeping = (place: TextPlace): Ledger => {
      ledger.append = append;
      return keepingTexts(ledger, place, async () => blobs);
    };
    const rollouts = some('a', 0, 4).map((one) => ({ ...one, prompt: { text: 'Go left.' } }) as TrainingRollout);
    const first = await opened(keeping(before));
    await first.evidence.record(0, rollouts);
    await first.evidence.settle();
    forgetHolder(first.claim.holder);
    const second = await opened(keeping(now));
    await second.evidence.record(0, rollouts);
    const sealed = await second.evidence.sealed(4);
    expect(sealed.map(({ stream, count: events }) => [stream, events])).toEqual([['evidence-a-run-2-training-0', 4]]);
    await second.claim.release();
  });

  it('fails if its saved state depends on rollouts that were never reported', async () => {
    const ledger = await newLedger();
    const first = await opened(ledger);
    await first.evidence.record(0, some('a', 0, 7));
    forgetHolder(first.claim.holder);
    const second = await opened(ledger);
    await expect(second.evidence.record(7, some('a', 7, 9))).rejects.toThrow(RolloutsMissing);
    await second.evidence.record(4, some('a', 4, 9));
    expect(await samplesIn(ledger, await second.evidence.sealed(9))).toEqual(names('a', 0, 9));
    await second.claim.release();
  });
});
