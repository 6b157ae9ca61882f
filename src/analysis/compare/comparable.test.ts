import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventData } from '../../../schemas/catalogue.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { inLedger } from '../../projections/testing/folded.ts';
import { randomHistory } from '../../projections/testing/random-history.ts';
import { listRuns } from '../history/runs.ts';
import { evaluation, Recording } from '../history/testing/recording.ts';
import { compared } from './compare.ts';
import { ledgerWith, made, notesIn, only, reference, usual } from './testing/comparing.ts';
import { evenlyValid, type RunMade, startedIn } from './testing/sweep.ts';

describe('runs that are not comparable', () => {
  const cases: readonly (readonly [string, Partial<EventData['RunStarted']>, string, string])[] = [
    [
      'budget',
      { budget: { 'agent-steps': 1000 } },
      'the budget per stage is 1,000 agent-steps, not 400,000 agent-steps',
      'budget',
    ],
    ['policy', { policy: { name: 'qwen' } }, 'the policy is qwen, not neural (version 1)', 'policy'],
    ['trainer', { trainer: { name: 'verl' } }, 'the trainer is verl, not grpo', 'trainer'],
    ['environment', { environment: { name: 'odd' } }, 'the environment is odd, not lake (version 1)', 'environment'],
  ];

  it.each(cases)('are listed with a reason and a remedy: %s', async (kind, started, says, despite) => {
    const compare = await ledgerWith(made('one'), made('two', { started }));
    const output = await compare(['one', 'two']);
    expect(output.sets).toEqual([]);
    expect(output.apart).toMatchObject([
      {
        runs: ['two'],
        from: 'one',
        reasons: [{ kind, says }],
        remedy: `--despite ${despite} compares them anyway`,
      },
    ]);
    expect(only(await compare(['one', 'two'], { despite: [despite as 'budget'] })).pairs).toBe('families');
  });

  it('include a run whose engineer errored, unless compared with --despite errored', async () => {
    const lost = made('lost');
    lost.sent.forEach(({ event, ...others }, i) => {
      if (event.type !== 'ConfigAdopted') return;
      lost.sent[i] = { ...others, event: { ...event, data: { ...(event.data as object), by: 'errored' } } };
    });
    const compare = await ledgerWith(made('one'), made('two'), lost);
    const all = await compare(['lost', 'one', 'two']);
    expect(only(all)).toMatchObject({ of: 'two', against: 'one' });
    expect(all.runs.map(({ errored }) => errored)).toEqual([[2], [], []]);
    expect(all.apart).toEqual([
      {
        ...{ runs: ['lost'], from: null, remedy: '--despite errored compares it anyway' },
        reasons: [
          expect.objectContaining({
            kind: 'errored',
            says: 'its engineer errored for stage 2, so its results are not those of its engineer',
          }),
        ],
      },
    ]);
    const despite = await compare(['lost', 'one'], { despite: ['errored'] });
    expect(only(despite)).toMatchObject({ of: 'one', against: 'lost' });
    expect(despite.notes.join()).toContain('In lost the decision for stage 2 is errored');
    // By stage 1 no decision had errored.
    expect(only(await compare(['lost@1', 'one@1']))).toMatchObject({ of: 'one@1', against: 'lost@1' });
  });

  it('include runs with different environment descriptors', async () => {
    const described = (step: number): Partial<RunMade> => {
      const { descriptor } = startedIn(made('any'));
      const knobs = descriptor?.knobs.map((knob) => (knob.family === null ? knob : { ...knob, step })) ?? [];
      return descriptor === undefined ? {} : { started: { descriptor: { ...descriptor, knobs } } };
    };
    const compare = await ledgerWith(made('one', described(0.05)), made('two', described(0.1)));
    const [apart] = (await compare(['one', 'two'])).apart;
    expect(apart?.reasons.map(({ says }) => says)).toEqual(['the environment has another description: knobs']);
  });

  it('include runs with different validation tasks, unless compared on a common suite', async () => {
    const compare = await ledgerWith(onSuite('one', sha256('a')), onSuite('two', sha256('b')));
    const output = await compare(['one', 'two']);
    expect(output.apart).toMatchObject([
      {
        reasons: [{ kind: 'suite', says: expect.stringContaining('the tasks are validation') }],
        remedy: '--suite common compares them on tasks that both have tried',
      },
    ]);
    expect(only(await compare(['one', 'two'], { suite: 'common' })).verdict).toBe('inconclusive');
    await expect(compare(['one', 'two'], { suite: 'comon' })).rejects.toMatchObject({ remedy: 'Did you mean common?' });
  });

  it('are compared in several sets, each of comparable runs', async () => {
    const other = { budget: { 'agent-steps': 1000 } };
    const compare = await ledgerWith(
      made('one'),
      made('a', { started: other }),
      made('two'),
      made('b', { started: other }),
    );
    const output = await compare(['one', 'a', 'two', 'b']);
    expect(output.sets.map(({ runs, baseline }) => [runs, baseline])).toEqual([
      [['one', 'two'], 'one'],
      [['a', 'b'], 'a'],
    ]);
    expect(output.apart).toMatchObject([{ runs: ['a', 'b'], from: 'one', reasons: [{ kind: 'budget' }] }]);
    const against = await compare(['one', 'a', 'two', 'b'], { against: reference('b') });
    expect(against.sets.map(({ baseline }) => baseline)).toEqual(['b', 'one']);
  });
});

describe('runs of other producers', () => {
  it('are compared without descriptors, completed stages or counts, but without an interval', async () => {
    const output = (name: string, value: number): Recording => {
      const recording = new Recording(name);
      recording.add('RunStarted', null, { name, environment: { name: 'gsm8k' } });
      const results = [{ family: null, measure: 'accuracy', value }];
      recording.add('EvaluationRecorded', 3, { suite: { name: 'val' }, split: 'validation', rollouts: 100, results });
      return recording;
    };
    const compare = await ledgerWith(output('one', 0.5), output('two', 0.75));
    const result = await compare(['one', 'two']);
    expect(result).toMatchObject({ measure: 'accuracy', sets: [{ stage: 3, suite: { suite: 'val' } }] });
    expect(only(result)).toMatchObject({
      difference: 0.25,
      low: null,
      verdict: 'unknown',
      says: 'no counts are recorded, so there is no interval',
    });
    expect(notesIn(result)).toContain('The budget of one, two is not recorded.');
  });

  it('are compared by evaluations outside any stage', async () => {
    const output = (name: string, valid: number): Recording => {
      const recording = new Recording(name);
      recording.add('RunStarted', null, { name, environment: { name: 'lake' } });
      recording.add('EvaluationRecorded', null, evaluation('wait-50', 'test', evenlyValid(valid)));
      return recording;
    };
    const compare = await ledgerWith(output('one', 20), output('two', 60));
    expect(only(await compare(['one', 'two']))).toMatchObject({ verdict: 'better', says: 'better by 40 points' });
  });

  it('are not compared before their first complete stage', async () => {
    const empty = new Recording('empty');
    empty.add('RunStarted', null, { name: 'empty', environment: { name: 'lake' } });
    const compare = await ledgerWith(made('one'), empty);
    expect((await compare(['one', 'empty'])).apart).toMatchObject([
      {
        runs: ['empty'],
        reasons: [{ kind: 'unfinished', says: 'it has no complete stage yet (recorded)' }],
        remedy: null,
      },
    ]);
  });

  it('with random histories are each compared or listed as not comparable', async () => {
    const property = fc.asyncProperty(randomHistory(), async (world) => {
      await inLedger(world, async (ledger: Ledger) => {
        const listed = await listRuns(ledger, { limit: 100 });
        // A run whose id is the name of another run cannot be named. Arms have names too, and are not listed.
        const begun = (await collect(ledger.readAll({ types: ['RunStarted'] }))).map(({ envelope }) => envelope);
        const rows = listed.rows.filter(({ run }) =>
          begun.every((one) => one.run === run || (one.data as { name?: string }).name !== run),
        );
        if (rows.length < 2) return;
        const output = await compared(ledger, {
          ...usual,
          runs: rows.map(({ run }) => ({ run, stage: null })),
          all: true,
        });
        const placed = [...output.sets.flatMap(({ runs }) => runs), ...output.apart.flatMap(({ runs }) => runs)];
        expect(output.runs.map(({ label }) => label).filter((label) => !placed.includes(label))).toEqual(
          output.sets.length === 0 ? expect.any(Array) : [],
        );
      });
    });
    await fc.assert(property, { numRuns: 4, endOnFailure: true });
  });
});

/** A run evaluated on a validation suite with this digest, and on a suite that all runs share. */
function onSuite(name: string, digest: string): Recording {
  const recording = new Recording(name);
  recording.add('RunStarted', null, { ...startedIn(made(name)) });
  recording.add('StageStarted', 1, {});
  for (const [suite, split, of] of [
    ['validation', 'validation', digest],
    ['common', 'test', sha256('common')],
  ] as const) {
    const data = evaluation(suite, split, evenlyValid(50));
    recording.add('EvaluationRecorded', 1, { ...data, suite: { name: suite, digest: of } });
  }
  recording.add('StageCompleted', 1, {});
  return recording;
}
