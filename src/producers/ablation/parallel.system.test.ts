// Concurrency: several arms of one ablation, and several processes with the same ablation.
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { readHistory } from '../history/reading.ts';
import { type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { erroredIn } from './errored.ts';
import { ablationFacts } from './testing/ablation-facts.ts';
import { ablationIn } from './testing/killed.ts';
import { ablateTiny, designTiny, keptRuns, type RecordedRuns } from './testing/tiny-ablation.ts';
import type { AblationProgress } from './working.ts';

const [run, other] = ['whole0000000', 'other0000000'];
const small = { budget: { 'agent-steps': 60 }, context: 'v1', validation: 2, trained: 2 };
const common = { runs: [run], forms: ['v1'] } as const;
let kept: RecordedRuns;

beforeAll(async () => {
  kept = await keptRuns(
    { run, settings: tinySettings(small) },
    { run: other, settings: tinySettings({ ...small, seed: 2, name: 'other' }) },
  );
}, 60_000);

async function place(): Promise<TinyPlace> {
  const made = await kept.copy();
  onTestFinished(() => made.close());
  return made;
}

describe('concurrent arms', () => {
  it('have the same results as sequential ones, even with seeds of several histories', async () => {
    const asked = { runs: [run, other], forms: ['v1'], seeds: [7], depth: 'train' } as const;
    const arms = ['rules/v1', 'actual'];
    const [one, four] = [await place(), await place()];
    const { design, record } = await ablateTiny(one, { ...asked, arms, jobs: 1 });
    await ablateTiny(four, { ...asked, arms, jobs: 4 });
    expect(record.trainings.size).toBe(2 + 2 * arms.length);
    expect(await ablationFacts(four.ledger, design.ablation)).toEqual(await ablationFacts(one.ledger, design.ablation));
  }, 60_000);

  it('have the same errors, whichever occurs first', async () => {
    const asked = { runs: [run, other], engineers: ['checkpoint', 'rules'], forms: ['v1', 'v5'] } as const;
    const [one, four] = [await place(), await place()];
    for (const at of [one, four]) await loseSnapshots(at);
    const { design, record } = await ablateTiny(one, { ...asked, jobs: 1 });
    // Results of an arm elsewhere stay.
    expect(record.proposals.has(JSON.stringify(['checkpoint/v1', 'other', 1]))).toBe(true);
    const unfinished = erroredIn(record);
    expect(unfinished.map(({ arm }) => arm)).toEqual(['checkpoint/v1', 'checkpoint/v5', 'rules/v5']);
    expect(unfinished.at(-1)?.reason).toContain(`stage 1 of ${run} has no summary`);

    // What comes first in sequence comes last here.
    const isOver = Promise.withResolvers<void>();
    const tell = async (progress: AblationProgress): Promise<void> => {
      if (progress.kind === 'errored' && progress.task.unit.history === 1) isOver.resolve();
      if (progress.kind === 'begun' && progress.task.unit.history === 0) await isOver.promise;
    };
    await ablateTiny(four, { ...asked, jobs: 64, tell });
    const found = JSON.stringify(await ablationFacts(four.ledger, design.ablation));
    expect(JSON.parse(found.replaceAll(four.folder, one.folder))).toEqual(
      await ablationFacts(one.ledger, design.ablation),
    );
  });
});

/** Those of the first history. */
async function loseSnapshots({ folder, ledger }: TinyPlace): Promise<void> {
  const { stages } = await readHistory(ledger, run);
  const lost = stages.map(({ training }) => training?.data.checkpoint?.digest ?? expect.fail('it has no checkpoint'));
  for (const file of readdirSync(join(folder, 'blobs'), { recursive: true, encoding: 'utf8' })) {
    if (lost.some((digest) => file.replace(sep, '').includes(digest))) rmSync(join(folder, 'blobs', file));
  }
}

describe('an ablation requested twice at once', () => {
  it('runs once within one process', async () => {
    const [at, alone] = [await place(), await place()];
    const both = await Promise.allSettled([ablateTiny(at, common), ablateTiny(at, common)]);
    const [done] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    for (const one of both) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ name: 'RunHeld', kind: 'conflict' });
    }
    const { design } = await ablateTiny(alone, common);
    expect(done?.design.ablation).toBe(design.ablation);
    expect(await ablationFacts(at.ledger, design.ablation)).toEqual(await ablationFacts(alone.ledger, design.ablation));
  });

  it('is refused in a second process while the first holds it, and read from the ledger afterwards', async () => {
    const [at, alone] = [await place(), await place()];
    const first = ablationIn(at.folder, common);
    const over = once(first, 'exit');
    await once(createInterface(first.stdout), 'line');
    first.kill('SIGSTOP');
    try {
      const refused = ablateTiny(at, { ...common, tell: async () => expect.fail('something is done') });
      await expect(refused).rejects.toMatchObject({ name: 'RunHeld' });
      await expect(refused).rejects.toThrow(`is held by process ${first.pid}`);
    } finally {
      first.kill('SIGCONT');
    }
    expect(await over).toEqual([0, null]);
    const { design } = await ablateTiny(at, { ...common, tell: async () => expect.fail('something is done') });
    await ablateTiny(alone, common);
    expect(await ablationFacts(at.ledger, design.ablation)).toEqual(await ablationFacts(alone.ledger, design.ablation));
  }, 60_000);

  it('stops if another process takes it over, writes nothing more, and can be resumed', async () => {
    const [at, alone] = [await place(), await place()];
    const { ablation } = await designTiny(at, common);
    const stream = streamOf.ablation(ablation);
    let [written, begun, done] = [0, 0, 0];
    const lost = ablateTiny(at, {
      ...{ ...common, jobs: 1 },
      tell: async ({ kind }) => {
        if (kind === 'begun') begun++;
        if (kind !== 'done' || ++done < 3) return;
        await takeOver(at, ablation);
        written = (await collect(at.ledger.read(stream))).length;
      },
    });
    await expect(lost).rejects.toMatchObject({ name: 'RunHeld', kind: 'conflict' });
    expect(begun).toBe(3);
    expect(await collect(at.ledger.read(stream))).toHaveLength(written);
    await ablateTiny(at, common);
    await ablateTiny(alone, common);
    expect(await ablationFacts(at.ledger, ablation)).toEqual(await ablationFacts(alone.ledger, ablation));
  });
});

/** Another process claims it, and releases it before the check. */
async function takeOver({ ledger }: TinyPlace, ablation: string): Promise<void> {
  const { event } = golden('RunClaimed.v1');
  const data = { fencingToken: 99, holder: 'elsewhere:1:00000000', leaseSeconds: 0 };
  await ledger.append(streamOf.work(ablation), [{ ...event, run: ablation, data }], { expect: 'any' });
}
