// Consistent figures over the wrong rollouts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readHistory } from '../history/reading.ts';
import type { TinyPlace } from '../run/testing/tiny.ts';
import { EvaluationSums } from './evaluations.ts';
import { again, Copies, findingTexts, recordedRun, run } from './testing/again.ts';
import type { Data, Forge } from './testing/forging.ts';

const copies = new Copies();
let place: TinyPlace;
let descriptor: Descriptor;
/** The data of the validation rollouts, by stage. */
const validated: Record<number, Data[]> = {};

const validationOf = (stage: number): string => `evidence-${run}-${stage}-validation-0`;

beforeAll(async () => {
  place = await recordedRun();
  descriptor = (await readHistory(place.ledger, run)).started?.data.descriptor as Descriptor;
  for (const stage of [1, 2]) {
    validated[stage] = [];
    for await (const events of place.ledger.read(validationOf(stage))) {
      validated[stage].push(...events.map(({ envelope }) => envelope.data));
    }
  }
}, 60_000);

afterAll(async () => {
  await copies.close();
  await place.close();
});

/** An evaluation that cites other rollouts, with their figures. */
function restingOn(data: Data, rollouts: readonly Data[]): Data {
  const sums = new EvaluationSums(descriptor);
  for (const rollout of rollouts) sums.add(rollout);
  const { suite, ...added } = sums.result();
  return { ...data, ...added, suite: { ...data.suite, ...suite } };
}

function isValidation({ type, envelope }: Parameters<Forge>[0], data: Data, stage: number): boolean {
  return type === 'EvaluationRecorded' && envelope.stage === stage && data.suite.name === 'validation';
}

async function found(forged: Forge): Promise<string[]> {
  const ledger = await copies.forged(place, forged);
  return findingTexts(await again(ledger)).map((one) => one.replace(/^(\S+) \S+ /, '$1 '));
}

describe('a forged evaluation with consistent figures is found if it cites', () => {
  const cites = (stream: string, from: number, to: number) => ({ stream, from, to, root: '' });

  it.each<[string, () => { causes: object[]; rollouts: readonly Data[] }, RegExp]>([
    [
      'the rollouts of another stage',
      () => ({ causes: [cites(validationOf(1), 0, 15)], rollouts: validated[1] ?? [] }),
      /^recomputed-evaluation EvaluationRecorded cites evidence-tiny00000000-1-validation-0, which is not its own$/,
    ],
    [
      'only some of its rollouts',
      () => ({ causes: [cites(validationOf(2), 4, 15)], rollouts: validated[2]?.slice(4) ?? [] }),
      /^recomputed-evaluation EvaluationRecorded cites \S+ from 4 to 15; sealed is 0 to 15$/,
    ],
    [
      'its rollouts twice',
      () => ({
        causes: [cites(validationOf(2), 0, 15), cites(validationOf(2), 0, 15)],
        rollouts: [...(validated[2] ?? []), ...(validated[2] ?? [])],
      }),
      /^recomputed-evaluation EvaluationRecorded cites evidence-tiny00000000-2-validation-0 twice$/,
    ],
  ])('%s', async (_, forgery, says) => {
    const { causes, rollouts } = forgery();
    const findings = await found((event, data) =>
      isValidation(event, data, 2) ? { ...restingOn(data, rollouts), causes } : data,
    );
    expect(findings.filter((one) => says.test(one))).toHaveLength(1);
  });

  /** Forged validation rollouts of stage 2, with a matching evaluation and decision. */
  const withRollouts = (change: (data: Data, revision: number) => Data | null): Forge => {
    const rollouts = (validated[2] ?? []).flatMap((data, i) => change(structuredClone(data), i) ?? []);
    return (event, data) => {
      if (event.stream === validationOf(2)) return change(data, event.revision);
      return isValidation(event, data, 2) ? restingOn(data, rollouts) : data;
    };
  };

  it.each<[string, (data: Data, revision: number) => Data | null, RegExp]>([
    [
      'a task that was tried before',
      (data, i) => (i === 1 ? structuredClone(validated[2]?.[0]) : data),
      /^recomputed-rollout RolloutRecorded data\.sample: task \S+ has sample 0, sample 1 was expected$/,
    ],
    [
      'all rollouts but the last',
      (data, i) => (i === 15 ? null : data),
      /^recomputed-evaluation EvaluationRecorded data\.suite\.digest: recorded "\w+", at stage 1 "\w+"/,
    ],
    [
      'all rollouts but one in the middle',
      (data, i) => (i === 7 ? null : data),
      /^recomputed-rollout RolloutRecorded is rollout 8 of its part: rollouts 7 to 7 are missing$/,
    ],
    [
      'a rollout with a foreign id',
      (data, i) => (i === 3 ? { ...data, id: crypto.randomUUID() } : data),
      /^recomputed-rollout RolloutRecorded id: \S+ is not the id of a rollout of this attempt$/,
    ],
    [
      'a rollout of another policy',
      (data, i) => (i === 3 ? { ...data, checkpoint: 'another' } : data),
      /^recomputed-evaluation EvaluationRecorded cites a rollout with checkpoint another; expected \w+$/,
    ],
    [
      'a rollout of another split',
      (data, i) => (i === 3 ? { ...data, split: 'train' } : data),
      /^recomputed-evaluation EvaluationRecorded cites a rollout with split train; expected validation$/,
    ],
  ])('%s', async (_, change, says) => {
    const findings = await found(withRollouts(change));
    expect(findings.filter((one) => says.test(one))).toHaveLength(1);
  });

  it('rollouts without a seal', async () => {
    const findings = await found((event, data) =>
      event.type === 'EvidenceSealed' && event.envelope.stage === 2
        ? { ...data, attempts: data.attempts.filter(({ stream }: Data) => stream !== validationOf(2)) }
        : data,
    );
    expect(findings).toEqual([
      'recomputed-evaluation EvaluationRecorded cites evidence-tiny00000000-2-validation-0, which no seal covers',
    ]);
  });
});

it('a training that cites fewer than its sealed rollouts is found', async () => {
  const stream = `evidence-${run}-2-training-0`;
  const findings = await found((event, data) =>
    event.type === 'TrainingRecorded' && event.envelope.stage === 2
      ? { ...data, causes: [{ stream, from: 0, to: 9, root: '' }] }
      : data,
  );
  expect(findings).toContainEqual(
    expect.stringMatching(/^recomputed-training TrainingRecorded cites \S+ from 0 to 9; sealed is 0 to \d+$/),
  );
});

describe('figures over rollouts that were not judged', () => {
  it('are unsupported, whatever their values, and do not count as recomputed', async () => {
    const solved = (data: Data, i: number): Data =>
      i === 0 ? { ...data, success: true, outcome: 'valid', actor: 'import/verl' } : data;
    const rollouts = (validated[2] ?? []).map((data, i) => solved(data, i));
    const ledger = await copies.forged(place, (event, data) => {
      if (event.stream === validationOf(2)) return solved(data, event.revision);
      return isValidation(event, data, 2)
        ? restingOn(
            data,
            rollouts.map(({ actor: _, ...rest }) => rest),
          )
        : data;
    });
    const { counts, unsupported, findings } = await again(ledger);
    expect([counts.evaluations, unsupported]).toEqual([3, 1]);
    expect(findings.kept.map(({ says }) => says)).toContain(
      'EvaluationRecorded is based on a rollout that was not judged again: recorded by import/verl',
    );
  });

  it('are unsupported while their stage is not sealed', async () => {
    const ledger: Ledger = await copies.forged(place, (event, data) => (isAfterEvaluation(event) ? null : data));
    const { findings, counts } = await again(ledger);
    expect(findings.faults).toBe(0);
    expect(counts.evaluations).toBe(0);
    expect(findings.kept.map(({ says }) => says)).toContain(
      'EvaluationRecorded of validation: its rollouts are not sealed yet, and so not judged again',
    );
  });
});

/** As if the run was interrupted before the first seal. */
function isAfterEvaluation({ type, stream, envelope }: Parameters<Forge>[0]): boolean {
  if (stream.startsWith('evidence-')) return envelope.stage === 2;
  const before = ['RunStarted', 'TrainingRecorded', 'EvaluationRecorded', 'StageStarted'];
  if (type === 'ConfigAdopted') return envelope.stage !== 1;
  return stream.startsWith('run-') && (!before.includes(type) || envelope.stage === 2);
}
