// Trained arms, compared with the history's own results.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { findRun, unstartedRuns } from '../../ledger/runs.ts';
import { proveEvent } from '../../ledger/verify/prove.ts';
import { verifyLedger } from '../../ledger/verify/verify.ts';
import { readHistory } from '../history/reading.ts';
import type { RunHistory } from '../history/run-history.ts';
import { type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import type { AblationRecord } from './record.ts';
import { ablateTiny, keptRuns, type RecordedRuns, tinyLake } from './testing/tiny-ablation.ts';

const run = 'whole0000000';
const settings = tinySettings({ budget: { 'agent-steps': 60 }, context: 'v1', validation: 4, trained: 4 });
const asked = { runs: [run], forms: ['v1', 'behaviour'], depth: 'train' } as const;
let kept: RecordedRuns;

beforeAll(async () => {
  kept = await keptRuns({ run, settings });
}, 60_000);

async function place(): Promise<TinyPlace> {
  const made = await kept.copy();
  onTestFinished(() => made.close());
  return made;
}

function trainedBy({ trainings }: AblationRecord, arm: string): EventData['ArmTrained'] {
  return [...trainings.values()].find(({ data }) => data.arm === arm)?.data ?? expect.fail(`${arm} was not trained`);
}

/** The history with a different recording of its second training. */
function withTraining(change: (data: EventData['TrainingRecorded']) => Partial<EventData['TrainingRecorded']>) {
  return (history: RunHistory): RunHistory => ({
    ...history,
    stages: history.stages.map(({ training, ...one }) => {
      if (one.stage !== 2 || training === null) return { ...one, training };
      return { ...one, training: { ...training, data: { ...training.data, ...change(training.data) } } };
    }),
  });
}

describe('trained arms', () => {
  it('with equal configurations share one training, which reproduces the recorded checkpoint', async () => {
    const at = await place();
    const arms = ['rules/v1', 'rules/behaviour', 'actual', 'fixed', 'uniform'];
    let judged = 0;
    const judge: typeof tinyLake.judge = async function* (...tries) {
      for await (const verdict of tinyLake.judge(...tries)) {
        judged++;
        yield verdict;
      }
    };
    const { record, design } = await ablateTiny(at, { ...asked, arms, lake: { ...tinyLake, judge } });
    const { stages } = await readHistory(at.ledger, run);
    const recorded = stages[1]?.training?.data.checkpoint?.digest;
    const again = trainedBy(record, 'actual');
    expect(again.checkpoint?.digest).toBe(recorded);
    expect(again.reproduces).toEqual({ checkpoint: recorded, equal: true });

    const alike = Map.groupBy(record.trainings.values(), ({ data }) => data.configuration);
    expect(alike.size).toBeGreaterThan(2);
    expect(alike.size).toBeLessThan(design.arms.length);
    for (const same of alike.values()) {
      expect(new Set(same.map(({ data }) => data.checkpoint?.digest)).size).toBe(1);
      expect(same.filter(({ data }) => data.measured?.['sharedWith'] === undefined)).toHaveLength(1);
    }
    expect(trainedBy(record, 'rules/v1').measured).toEqual({ sharedWith: 'actual' });
    expect(new Set([...alike.values()].map(([one]) => one?.data.checkpoint?.digest)).size).toBe(alike.size);
    // On validation, which is evaluated once for all arms with the same training.
    expect(judged).toBe(alike.size * settings.validation);

    for (const { data, place: of } of record.evaluations.get(JSON.stringify(['actual', 'seed 1', 2])) ?? []) {
      const then = stages[1]?.evaluations.find((one) => one.data.suite.name === data.suite.name)?.data;
      expect([of.arm, data.suite.name, data.results]).toEqual(['actual', then?.suite.name, then?.results]);
    }
    const suites = [...record.evaluations.values()].map((all) => all.map(({ data }) => data.suite.name));
    expect(suites).toEqual(design.arms.map(() => ['validation']));
  }, 60_000);

  it('may use other seeds and another budget, from the same checkpoint', async () => {
    const at = await place();
    const { record } = await ablateTiny(at, {
      ...{ ...asked, forms: ['v1'], arms: ['rules/v1', 'actual', 'fixed'] },
      ...{ seeds: [7], budget: { 'agent-steps': 30 }, jobs: 3 },
    });
    const { stages } = await readHistory(at.ledger, run);
    const own = [...record.trainings.values()].filter(({ place: { unit } }) => unit?.startsWith('seed'));
    expect(new Set(own.map(({ data }) => data.from?.digest))).toEqual(
      new Set([stages[0]?.training?.data.checkpoint?.digest]),
    );
    expect(new Set(own.map(({ data }) => JSON.stringify(data.budget)))).toEqual(new Set(['{"agent-steps":30}']));
    expect(new Set(own.map(({ place: { unit } }) => unit))).toEqual(new Set(['seed 7']));
    // Even if nothing was trained before them, and all of them start at once.
    expect(own.map(({ place: { arm }, data }) => [arm, data.measured?.['sharedWith']])).toEqual(
      expect.arrayContaining([['actual', 'rules/v1']]),
    );
    const repeated = [...record.trainings.values()].filter(({ data }) => data.reproduces !== undefined);
    expect(repeated.map(({ data }) => [data.unit, data.reproduces?.equal])).toEqual([[`${run} again`, true]]);
  }, 60_000);
});

describe('a history whose training is not reproduced', () => {
  it.each([
    [
      'another checkpoint is recorded',
      (data: EventData['TrainingRecorded']) => ({
        checkpoint: { reference: 'other', ...data.checkpoint, digest: 'f'.repeat(64) },
      }),
    ],
    ['none is recorded', () => ({ checkpoint: null })],
  ])(
    'is refused before any arm: %s',
    async (_, change) => {
      const at = await place();
      let seen: AblationRecord | null = null;
      const refused = ablateTiny(at, {
        ...asked,
        histories: withTraining(change),
        conclude: (record) => {
          seen = record;
          return { results: [], contrasts: [], unfinished: [], conclusions: [] };
        },
      });
      await expect(refused).rejects.toMatchObject({ name: 'NotReproduced', kind: 'conflict' });
      await expect(refused).rejects.toThrow(/stage 2 of tiny, trained again, gives [0-9a-f]{12}… instead of/);
      expect(seen).toBe(null);
      expect(await armEvents(at)).toEqual([]);
    },
    60_000,
  );

  it('is refused before any arm if its checkpoint is missing', async () => {
    const at = await place();
    rmSync(join(at.folder, 'blobs'), { recursive: true });
    rmSync(join(at.folder, 'runs'), { recursive: true });
    await expect(ablateTiny(at, asked)).rejects.toMatchObject({ name: 'BlobMissing' });
    expect(await armEvents(at)).toEqual([]);
  });
});

describe('arms of a history that records every rollout', () => {
  it('record their own evidence, sealed in the stream of the ablation', async () => {
    const all = await keptRuns({ run, settings: { ...settings, record: 'all' } });
    const at = await all.copy();
    onTestFinished(() => at.close());
    const before = await evidenceOf(at);
    const { record, design } = await ablateTiny(at, {
      ...asked,
      arms: ['rules/v1', 'rules/behaviour', 'actual', 'fixed'],
    });
    const after = await evidenceOf(at);
    const own = [...after.keys()].filter((stream) => !before.has(stream));
    expect([...before].filter(([stream, events]) => after.get(stream) !== events)).toEqual([]);
    expect(own.length).toBeGreaterThan(2);
    for (const stream of own) expect(stream).toMatch(new RegExp(`^evidence-${design.ablation}-2-arm[0-9]+\\.`));

    const cited = [...record.trainings.values(), ...[...record.evaluations.values()].flat()];
    for (const { rollouts, data } of cited) {
      const events = (rollouts ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(events).toBeGreaterThan(0);
      if ('rollouts' in data) expect(events).toBe(data.rollouts);
    }
    expect(new Set(cited.flatMap(({ rollouts = [] }) => rollouts.map(({ stream }) => stream)))).toEqual(new Set(own));

    const blobs = `folder:${join(at.folder, 'blobs')}`;
    const { faults, findings, attempts } = await verifyLedger(at.ledger.url, { blobs, run: null, head: null });
    expect([faults, findings]).toEqual([0, []]);
    expect(attempts).toBe(after.size);
    expect(await unstartedRuns(at.ledger, new Set([run]))).toEqual([]);
    await expect(findRun(at.ledger, design.ablation)).rejects.toMatchObject({ name: 'RunNotFound' });
    const [one] = [
      ...(
        await at.ledger
          .read(own[0] as string, { limit: 1 })
          [Symbol.asyncIterator]()
          .next()
      ).value,
    ];
    expect((await proveEvent(at.ledger, one, null)).seal).toMatchObject({ inclusion: { index: 0 } });
  }, 60_000);
});

/** The number of events in each stream of evidence. */
async function evidenceOf({ ledger }: TinyPlace): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const ends of ledger.streams('evidence-')) {
    for (const { stream, revision } of ends) found.set(stream, revision + 1);
  }
  return found;
}

async function armEvents({ ledger }: TinyPlace): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const events of ledger.readAll({ types: ['ArmProposed', 'ArmRejected', 'ArmTrained', 'ArmEvaluated'] })) {
    types.push(...events.map(({ envelope }) => envelope.type));
  }
  return types;
}
