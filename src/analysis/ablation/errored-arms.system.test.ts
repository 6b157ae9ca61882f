// Errored arms: they enter no result, the others continue, and running the same ablation again tries only these
// arms.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { FakeClock } from '../../lab/models/testing/fake-clock.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { erroredIn } from '../../producers/ablation/errored.ts';
import type { AblationRecord } from '../../producers/ablation/record.ts';
import {
  type Ablated,
  ablateTiny,
  keptRuns,
  type TinyAblation,
} from '../../producers/ablation/testing/tiny-ablation.ts';
import type { AblationProgress } from '../../producers/ablation/working.ts';
import { type TinyPlace, tinySettings } from '../../producers/run/testing/tiny.ts';
import { ablatedOf } from './ablated.ts';
import { completion } from './conclude.ts';

const [run, other] = ['whole0000000', 'other0000000'];
const arm = 'flaky.mjs/v1';
const small = { stages: 3, budget: { 'agent-steps': 60 }, validation: 2, trained: 2 };
let kept: Awaited<ReturnType<typeof keptRuns>>;
let tools: string;

beforeAll(async () => {
  tools = mkdtempSync(join(tmpdir(), 'icecore-engineers-'));
  const crashing = join(tools, 'crashing.mjs');
  writeFileSync(crashing, 'process.exit(3);');
  const lost = { engineer: [process.execPath, crashing], context: 'v1', onError: 'keep', name: 'other' } as const;
  const settings = tinySettings({ ...small, ...lost, engineer: [...lost.engineer] });
  kept = await keptRuns({ run, settings: tinySettings(small) }, { run: other, settings });
}, 60_000);
afterAll(() => rmSync(tools, { recursive: true, force: true }));

/** With a program that crashes until it is repaired. */
async function place(): Promise<{ at: TinyPlace; asked: TinyAblation; mend: () => void }> {
  const at = await kept.copy();
  onTestFinished(() => at.close());
  const [script, broken] = [join(at.folder, 'flaky.mjs'), join(at.folder, 'broken')];
  writeFileSync(broken, '');
  writeFileSync(
    script,
    `import { existsSync, readFileSync } from 'node:fs';
     const { current, stage } = JSON.parse(readFileSync(0, 'utf8'));
     if (stage === 2 && existsSync(${JSON.stringify(broken)})) process.exit(3);
     console.log(JSON.stringify({ configuration: current, reasons: [] }));`,
  );
  const asked: TinyAblation = {
    ...{ runs: [run], engineers: [[process.execPath, script], 'rules'], forms: ['v1'], conclude: completion },
    arms: [arm, 'rules/v1', 'actual', 'fixed'],
    contrasts: [`${arm}:rules/v1`],
  };
  return { at, asked, mend: () => rmSync(broken) };
}

async function typesIn(at: TinyPlace, { design }: Ablated): Promise<Readonly<Record<string, number>>> {
  const events = await collect(at.ledger.read(streamOf.ablation(design.ablation)));
  return Object.fromEntries(
    Array.from(
      Map.groupBy(events, ({ type }) => type),
      ([type, all]) => [type, all.length],
    ),
  );
}

function begun(): { readonly arms: string[]; readonly tell: (progress: AblationProgress) => Promise<void> } {
  const arms: string[] = [];
  const tell = async (progress: AblationProgress): Promise<void> => {
    if (progress.kind === 'begun') arms.push(`${progress.doing} ${progress.task.arm.arm} ${progress.task.stage}`);
  };
  return { arms, tell };
}

const why = [{ arm, reason: expect.stringContaining('ended with exit code 3') }];

function resultOf(record: AblationRecord) {
  return ablatedOf(record, 'sqlite:ledger.db', []);
}

describe('an errored arm', () => {
  it('is excluded from means and contrasts while the others finish, and alone is tried again', async () => {
    const { at, asked, mend } = await place();
    const first = await ablateTiny(at, asked);
    const { record } = first;
    expect(record.completed).toBeNull();
    expect(erroredIn(record)).toEqual(why);
    expect(await typesIn(at, first)).toMatchObject({ ArmErrored: 1, ArmProposed: 7 });
    const { results, comparisons, values, conclusions, errored, decisions } = resultOf(record);
    expect(errored).toEqual(why.map((one) => ({ ...one, resumable: true })));
    expect(results.filter((one) => one.arm === arm)).toEqual([]);
    expect(results.filter((one) => one.arm === 'rules/v1')).not.toEqual([]);
    expect(comparisons.filter((one) => one.arm === arm || one.reference === arm)).toEqual([]);
    expect(values.filter((one) => one.arm === arm && one.value !== null)).toEqual([]);
    expect(conclusions[0]).not.toMatch(/better|worse/);
    expect(decisions.filter(({ came }) => came === 'errored')).toMatchObject([{ arm, stage: 3 }]);

    // Only what is missing is done.
    mend();
    const { arms, tell } = begun();
    const again = await ablateTiny(at, { ...asked, tell });
    expect(arms).toEqual([`propose ${arm} 2`]);
    expect(again.design.ablation).toBe(first.design.ablation);
    expect(again.record.completed?.data.unfinished).toEqual([]);
    expect(erroredIn(again.record)).toEqual([]);
    expect(resultOf(again.record).comparisons).not.toEqual([]);
  }, 30_000);

  it('cannot be the reference of a contrast', async () => {
    const { at, asked } = await place();
    const { record } = await ablateTiny(at, { ...asked, contrasts: [`rules/v1:${arm}`] });
    const { comparisons, conclusions } = resultOf(record);
    expect(comparisons).toEqual([]);
    expect(conclusions[0]).toBe(`rules/v1 and ${arm} are not compared: ${arm} errored.`);
    expect(conclusions).toContain(`Nothing else is compared either: all others would have been against ${arm}.`);
    expect(conclusions.join(' ')).not.toMatch(/no seed has|no value on/);
  }, 30_000);

  it('is recorded as errored each time it fails again', async () => {
    const { at, asked } = await place();
    for (const times of [1, 2, 3]) {
      const again = await ablateTiny(at, asked);
      expect(erroredIn(again.record)).toEqual(why);
      expect(await typesIn(at, again)).toMatchObject({ ArmErrored: times, ArmProposed: 7 });
    }
  }, 30_000);

  it('is not trained until it has decided', async () => {
    const { at, asked, mend } = await place();
    const trained = { ...asked, depth: 'train', stages: [2] } as const;
    const first = await ablateTiny(at, trained);
    expect(erroredIn(first.record)).toEqual(why);
    expect([...first.record.trainings.values()].map(({ place: of }) => of.arm).toSorted()).toEqual([
      'actual',
      'fixed',
      'rules/v1',
    ]);
    mend();
    const { arms, tell } = begun();
    const { record } = await ablateTiny(at, { ...trained, tell });
    expect(arms).toEqual([`propose ${arm} 2`, `train ${arm} 2`, `evaluate ${arm} 2`]);
    expect(record.completed?.data.unfinished).toEqual([]);
  }, 60_000);

  it('at depth run, stops at the failed decision and resumes there', async () => {
    const { at, asked, mend } = await place();
    const goingOn = { ...asked, depth: 'run', arms: [arm, 'fixed'] } as const;
    const first = await ablateTiny(at, goingOn);
    expect(erroredIn(first.record)).toEqual(why);
    expect([...first.record.evaluations.values()].flat().map(({ data }) => data.arm)).not.toContain(arm);
    mend();
    const { record } = await ablateTiny(at, goingOn);
    expect(record.completed?.data.unfinished).toEqual([]);
    expect([...record.proposals.values()].filter(({ data }) => data.arm === arm)).toHaveLength(2);
  }, 60_000);

  it.each(['propose', 'run'] as const)(
    'is left out of a completed ablation with keep, at depth %s',
    async (depth) => {
      const { at, asked } = await place();
      const { record } = await ablateTiny(at, { ...asked, depth, arms: [arm, 'rules/v1'], onError: 'keep' });
      expect(record.completed?.data.unfinished).toEqual(why);
      expect(resultOf(record).comparisons).toEqual([]);
      expect(resultOf(record).state).toBe('completed');
    },
    60_000,
  );

  it('with keep, continues its run without a decision and stays errored', async () => {
    const { at, asked } = await place();
    const goingOn = { ...asked, depth: 'run', arms: [arm, 'fixed'] } as const;
    expect((await ablateTiny(at, goingOn)).record.completed).toBeNull();
    const { record } = await ablateTiny(at, { ...goingOn, onError: 'keep' });
    expect([...record.evaluations.values()].flat().map(({ data }) => data.arm)).toContain(arm);
    expect(record.completed?.data.unfinished).toEqual(why);
    expect(record.completed?.data.results.map((one) => one.arm)).not.toContain(arm);
    const before = record.revision;
    expect((await ablateTiny(at, goingOn)).record.revision).toBe(before);
  }, 60_000);

  it('stops the ablation with stop, and is retried with retry', async () => {
    const { at, asked, mend } = await place();
    await expect(ablateTiny(at, { ...asked, onError: 'stop', jobs: 1 })).rejects.toMatchObject({
      name: 'EngineerErrored',
    });
    const clock = new FakeClock();
    const tell = async ({ kind }: AblationProgress): Promise<void> => {
      if (kind === 'retrying') mend();
    };
    const { record } = await ablateTiny(at, { ...asked, onError: 'retry', clock, tell });
    expect(record.completed?.data.unfinished).toEqual([]);
    expect(clock.pauses).toEqual([5000]);
  }, 30_000);
});

it('the actual arm is errored if its run kept on after an engineer error', async () => {
  const { at } = await place();
  const asked = { runs: [other], forms: ['v1'], arms: ['rules/v1', 'actual'], conclude: completion };
  const { record } = await ablateTiny(at, asked);
  expect(erroredIn(record).map((one) => one.arm)).toEqual(['actual']);
  expect(record.completed?.data.unfinished).toMatchObject([{ arm: 'actual' }]);
  expect(resultOf(record).results.map((one) => one.arm)).not.toContain('actual');
  const before = record.revision;
  expect((await ablateTiny(at, asked)).record.revision).toBe(before);
}, 60_000);
