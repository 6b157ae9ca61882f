// Every rollout of a run is an event: of training, of evaluations, and of the evidence for engineers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../ledger/verify/verify.ts';
import type { RunHistory } from '../history/run-history.ts';
import { again } from '../recompute/testing/again.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from './testing/tiny.ts';

const run = 'tiny00000000';
const suites = ['agents-2'];
let all: TinyPlace;
let sample: TinyPlace;
let history: RunHistory;
let sampled: RunHistory;

beforeAll(async () => {
  [all, sample] = [await tinyPlace(), await tinyPlace()];
  const lake = (await import('../../../testbed/lake/environment.ts')).openLake();
  suites.splice(0, 1, `${lake.suites[0]?.name}-of-8`);
  await lake.close();
  const historyOf = async (place: TinyPlace, record: 'all' | 'sample'): Promise<RunHistory> =>
    (await runTiny(place, { run, settings: tinySettings({ suites, record }) })).history;
  history = await historyOf(all, 'all');
  sampled = await historyOf(sample, 'sample');
}, 60_000);

afterAll(async () => {
  await Promise.all([all.close(), sample.close()]);
});

interface Rollout {
  readonly stream: string;
  readonly split: string;
  readonly sample?: number;
  readonly step?: number;
  readonly task: string;
  readonly reward: number;
  readonly family: string;
}

async function rolloutsOf({ ledger }: TinyPlace, stage: number): Promise<readonly Rollout[]> {
  const rollouts: Rollout[] = [];
  for await (const events of ledger.readAll({ types: ['RolloutRecorded'] })) {
    for (const { stream, envelope, reading } of events) {
      if (envelope.stage !== stage || !reading.known || reading.type !== 'RolloutRecorded') continue;
      const { split, sample, trainingStep: step, task, reward, family } = reading.data;
      rollouts.push({ stream, split, sample, step, task: task?.id, reward, family } as Rollout);
    }
  }
  return rollouts;
}

const partOf = ({ stream }: { readonly stream: string }): string => stream.split('-').at(-2) ?? '';

describe('a run that records all rollouts', () => {
  it('has the rollouts of each training, with their rewards and updates', async () => {
    for (const { stage, training } of history.stages) {
      const rollouts = (await rolloutsOf(all, stage)).filter((one) => partOf(one) === 'training');
      const groups = Object.values(Object.groupBy(rollouts, ({ task }) => task)) as (readonly Rollout[])[];
      const differing = groups.filter((group) => new Set(group.map(({ reward }) => reward)).size > 1);
      const overAll = training?.data.learningSignal?.find(({ family }) => family === null);
      expect(overAll).toMatchObject({ sampleGroups: groups.length, withVariance: differing.length });
      expect(training?.rollouts).toEqual([expect.objectContaining({ from: 0, to: rollouts.length - 1 })]);
      expect(Math.max(...rollouts.map(({ step = 0 }) => step))).toBe(training?.data.curve?.at(-1)?.step);
      expect([0, 1, 1.35]).toEqual(expect.arrayContaining([...new Set(rollouts.map(({ reward }) => reward))]));
    }
  });

  it('has the rollouts of each evaluation, in a separate stream', async () => {
    for (const { stage, evaluations } of history.stages) {
      const rollouts = await rolloutsOf(all, stage);
      expect(evaluations).toHaveLength(3);
      for (const { data, rollouts: [named] = [] } of evaluations) {
        const own = rollouts.filter(({ stream }) => stream === named?.stream);
        expect(own).toHaveLength(data.rollouts);
        expect(new Set(own.map(({ split }) => split))).toEqual(new Set([data.split]));
        expect(named).toMatchObject({ from: 0, to: data.rollouts - 1 });
      }
    }
  });

  it('has the same decisions and contexts as one that records a sample', () => {
    const shown = ({ stages }: RunHistory): unknown =>
      stages.map(({ training, evaluations, summaries, contexts, adopted }) => [
        training?.data.checkpoint?.digest,
        evaluations.map(({ data }) => data),
        summaries.map(({ data }) => data),
        contexts.map(({ data }) => data.digest),
        adopted?.data.configuration.digest,
      ]);
    expect(shown(history)).toEqual(shown(sampled));
  });

  it('is completely covered by its seals, and has no faults', async () => {
    const streams = new Set<string>();
    for await (const ends of all.ledger.streams('evidence-')) for (const { stream } of ends) streams.add(stream);
    const sealed = history.stages.flatMap(({ sealed }) => sealed?.data.attempts ?? []);
    expect(new Set(sealed.map(({ stream }) => stream))).toEqual(streams);
    const { faults, findings } = await verifyLedger(all.ledger.url, { blobs: null, run: null, head: null });
    expect(findings.filter(({ kind }) => kind !== 'blob-missing' && kind !== 'not-recomputed')).toEqual([]);
    expect(faults).toBe(findings.length);
  });

  it('is recomputed without faults', async () => {
    const found = await again(all.ledger);
    expect(found.findings.kept).toEqual([]);
    const rollouts = (await Promise.all([1, 2].map((stage) => rolloutsOf(all, stage)))).flat();
    expect(found.counts).toMatchObject({ rollouts: rollouts.length, evaluations: 6 });
  });
});
