import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../schemas/catalogue.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { BadFieldMap, type ImportRecord, RecordIssues, RecordReader } from './records.ts';
import { partOf, RunEvents } from './run-events.ts';
import { RunSurvey } from './survey.ts';

function issuesOf(record: unknown, map?: unknown): readonly { readonly field: string; readonly allowed: string }[] {
  try {
    new RecordReader(map).read(record);
  } catch (fault) {
    if (fault instanceof RecordIssues) return fault.issues;
    throw fault;
  }
  return [];
}

const place = { run: 'mine', stage: 1 };

describe('a record', () => {
  it.each([
    [{ measure: 'valid', value: 45 }, 'value', 'a share from 0 to 1 for valid: 50 % is 0.5'],
    [{ measure: 'optimal', value: -0.1 }, 'value', 'a share from 0 to 1 for optimal: 50 % is 0.5'],
    [{ measure: 'valid', value: 0.5, count: 3, of: 10 }, 'value', '0.3, which is 3 of 10'],
    [{ measure: 'loss', value: 45, low: 50, high: 40 }, 'low', 'at most the value, 45'],
    [{ measure: 'valid', value: 0.5, low: 0.4, high: 6 }, 'high', 'a share from 0 to 1 for valid: 50 % is 0.5'],
  ])('of a measurement cannot contradict itself: %j', (members, field, allowed) => {
    expect(issuesOf({ ...place, ...members })).toMatchObject([{ field, allowed }]);
  });

  it.each([
    { measure: 'valid', value: 0.33, count: 1, of: 3, low: 0.06, high: 0.79 },
    { measure: 'valid', value: 0, count: 0, of: 0 },
    { measure: 'loss', value: 45, count: 3, of: 10, low: 40, high: 50 },
  ])('of a measurement may be rounded, and other measures have any scale: %j', (members) => {
    expect(issuesOf({ ...place, ...members })).toEqual([]);
  });

  it.each([
    ['rollout', { ...place, success: true }],
    ['rollout', { ...place, outcome: 'draw', reward: null }],
    ['configuration', { ...place, config: { lr: 1, easy: { share: 0.5 } } }],
    ['measurement', { ...place, measure: 'valid', value: 0.5 }],
  ])('is recognised as a %s by its fields', (kind, record) => {
    expect(new RecordReader().read(record).kind).toBe(kind);
  });

  it.each<[string, unknown, string, string]>([
    ['is not an object', [1], '', 'a JSON object'],
    ['has no run', { stage: 1, success: true }, 'run', 'a name'],
    ['has stage 0', { run: 'a', stage: 0, success: true }, 'stage', 'a whole number from 1'],
    ['has a text for a boolean', { ...place, success: 'yes' }, 'success', 'true or false'],
    ['has a misspelt key of its kind', { ...place, sucess: true }, 'sucess', 'perhaps "success"'],
    ['has a misspelt field', { ...place, success: true, rewrd: 1 }, 'rewrd', 'perhaps "reward"'],
    ['has no field of any kind', { ...place, reward: 1 }, '', 'outcome or success of a rollout'],
    ['has fields of two kinds', { ...place, success: true, config: {} }, '', 'a record of one kind'],
    ['has a text for a knob', { ...place, config: { easy: { share: '1' } } }, 'config.easy.share', 'a number'],
    ['has a knob twice', { ...place, config: { 'a.b': 1, a: { b: 1 } } }, 'config["a.b"]', 'config.a.b'],
    ['has a knob that is a family', { ...place, config: { 'a.b': 1, a: 2 } }, 'config["a.b"]', 'config.a'],
    ['has a time without an offset', { ...place, success: true, at: '2026-01-01T00:00:00' }, 'at', 'RFC 3339'],
    ['succeeded and failed', { ...place, success: true, failure: 'wrong' }, 'failure', 'success is true'],
    ['has a share above 1', { ...place, measure: 'valid', value: 50 }, 'value', 'a share from 0 to 1'],
    [
      'has a share that differs from its counts',
      { ...place, measure: 'valid', value: 0.9, count: 1, of: 5 },
      'value',
      '0.2',
    ],
    ['has an interval above its value', { ...place, measure: 'm', value: 3, low: 4, high: 5 }, 'low', 'at most'],
    ['has an interval below its value', { ...place, measure: 'm', value: 3, low: 1, high: 2 }, 'high', 'at least'],
    ['has a count above its total', { ...place, measure: 'm', value: 1, count: 3, of: 2 }, 'count', 'at most 2'],
    ['has no success', { ...place, outcome: 'x', split: 'validation' }, 'success', 'true or false'],
    ['has an invalid run name', { ...place, run: 'mine@2', success: true }, 'run', 'a name'],
  ])('that %s is refused, naming the field', (_, record, field, allowed) => {
    const [issue] = issuesOf(record);
    expect(issue).toMatchObject({ field, allowed: expect.stringContaining(allowed) });
  });

  it('names a knob as family.knob or inside its family', () => {
    const read = (config: object) => new RecordReader().read({ ...place, config });
    const nested = read({ lr: 1, easy: { data: 0.5, hole: 0.1 }, '2.5': { data: 0.5 } });
    expect(read({ lr: 1, 'easy.data': 0.5, easy: { hole: 0.1 }, '2.5.data': 0.5 })).toEqual(nested);
  });

  it('of another shape is read with a field map', () => {
    const map = { run: 'experiment.name', success: 'eval/ok.all', split: { value: 'test' }, value: null };
    const record = { experiment: { name: 'mine' }, stage: 2, 'eval/ok.all': false, value: 3, lr: 1 };
    const reader = new RecordReader(map);
    expect(reader.read(record)).toEqual({
      kind: 'rollout',
      data: { run: 'mine', stage: 2, success: false, split: 'test' },
    });
    expect(reader.unused).toEqual([]);
    expect(new RecordReader({ reward: 'a.b' }).unused).toEqual([{ member: 'reward', path: 'a.b' }]);
  });

  it.each([{ rewrd: 'a' }, { reward: 5 }, { reward: '' }, { reward: { values: 1 } }, [], 'reward'])(
    'is refused with the invalid field map %j',
    (map) => {
      expect(() => new RecordReader(map)).toThrow(BadFieldMap);
    },
  );
});

describe('the survey of a run', () => {
  const survey = (...records: object[]) => {
    const reader = new RecordReader();
    const made = new RunSurvey('mine');
    const issues = records.flatMap((record, i) => made.add(reader.read({ run: 'mine', ...record }), i + 1));
    const fault = made.fault();
    return { made, issues: [...issues, ...(fault === null ? [] : [fault.issue])] };
  };

  it.each<[string, object[], string, string]>([
    ['a stage is configured twice', [{ config: { a: 1 } }, { config: { a: 2 } }], 'config', 'line 1 has one'],
    [
      'something is measured twice',
      [
        { measure: 'm', value: 1 },
        { measure: 'm', value: 2 },
      ],
      'measure',
      'line 1 has one',
    ],
    ['a knob becomes a family', [{ config: { a: 1 } }, { stage: 2, config: { a: { b: 1 } } }], 'config.a.b', 'line 1'],
    ['a family becomes a knob', [{ config: { a: { b: 1 } } }, { stage: 2, config: { a: 1 } }], 'config.a', 'line 1'],
    [
      'two knobs have one name',
      [{ config: { 'a.b': { c: 1 }, a: { 'b.c': 1 } } }],
      'config.a["b.c"]',
      'a separate place',
    ],
    ['a reason names no knob', [{ config: { share: 1 }, reasons: { shar: 'x' } }], 'reasons.shar', 'perhaps "share"'],
  ])('reports that %s', (_, records, field, allowed) => {
    const { issues } = survey(...records.map((record) => ({ stage: 1, ...record })));
    expect(issues).toEqual([expect.objectContaining({ field, allowed: expect.stringContaining(allowed) })]);
  });

  it('names the first missing stage', () => {
    const { made } = survey({ stage: 1, success: true }, { stage: 4, success: true });
    expect(made.fault()).toMatchObject({ line: 2, issue: { field: 'stage', found: '4, after stage 1' } });
  });

  it('describes knobs by their values', () => {
    const { made } = survey(
      { stage: 1, config: { lr: 1e-5, easy: { share: 0.25 } } },
      { stage: 2, config: { lr: 5e-6, easy: { share: 1 } } },
    );
    expect(made.descriptor('env').knobs).toMatchObject([
      { name: 'lr', path: ['lr'], family: null, range: { min: 5e-6, max: 1e-5 }, step: 1e-6 },
      { name: 'easy.share', path: ['easy', 'share'], family: 'easy', range: { min: 0.25, max: 1 }, step: 0.01 },
    ]);
  });
});

const word = fc.constantFrom('easy', 'hard', 'größer', 'a b');
const knobs = fc.dictionary(fc.constantFrom('share', 'length'), fc.double({ noNaN: true, noDefaultInfinity: true }), {
  minKeys: 1,
});
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const rollout = fc.record({
  success: fc.boolean(),
  family: maybe(word),
  split: fc.constantFrom('train', 'probe', 'validation', 'probe-holdout', 'test'),
  task: maybe(fc.oneof(word, fc.constant({ n: 1 }))),
  reward: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
  metrics: maybe(fc.dictionary(word, fc.option(fc.integer()))),
  answer: maybe(fc.integer()),
  prompt: maybe(fc.string()),
});
const decision = fc.record({
  config: fc.dictionary(fc.constantFrom('x', 'y'), knobs, { minKeys: 1 }),
  engineer: maybe(word),
  rationale: maybe(fc.string()),
});
const stages = fc.array(fc.record({ decision: maybe(decision), rollouts: fc.array(rollout, { maxLength: 5 }) }), {
  minLength: 1,
  maxLength: 4,
});

/** All events of a run with their streams. */
function eventsOf(records: readonly ImportRecord[]) {
  const survey = new RunSurvey('mine');
  for (const [i, record] of records.entries()) expect(survey.add(record, i + 1)).toEqual([]);
  const events = new RunEvents(survey, {
    environment: 'env',
    file: 'f.ndjson',
    tool: 'ndjson',
    at: '2026-01-01T00:00:00Z',
  });
  const stream = streamOf.run(survey.run);
  const places = new Map<string, number>();
  const ofRollouts = records.flatMap((record, i) => {
    if (record.kind !== 'rollout') return [];
    const { stage, split } = record.data;
    const own = streamOf.evidence(survey.run, stage, partOf(split), 0);
    const at = places.get(own) ?? 0;
    places.set(own, at + 1);
    return [{ stream: own, event: events.rollout(record.data, at, i + 1) }];
  });
  let force: ReturnType<RunEvents['opening']>['force'] = null;
  const decided = survey.stages.flatMap((stage) => {
    const opening = events.opening(stage, force);
    force = opening.force;
    return [...opening.events, ...events.closing(stage, [])];
  });
  return [...ofRollouts, ...[events.started(), ...decided].map((event) => ({ stream, event }))];
}

describe('the events of an import', () => {
  it('are valid, and equal records give equal ids and contents', () => {
    fc.assert(
      fc.property(stages, (all) => {
        const reader = new RecordReader();
        const records = all.flatMap(({ decision: decided, rollouts }, i) => {
          const at = { run: 'mine', stage: i + 1 };
          const measured = { ...at, measure: 'loss', value: i };
          const own = decided === undefined ? [] : [{ ...at, ...decided }];
          return [...own, measured, ...rollouts.map((one) => ({ ...at, ...one }))].map((one) => reader.read(one));
        });
        const events = eventsOf(records);
        for (const { stream, event } of events) expect(checkEvent(stream, event)).toEqual([]);
        expect(new Set(events.map(({ event }) => event.id)).size).toBe(events.length);
        expect(eventsOf(records)).toEqual(events);
      }),
    );
  });
});
