import { describe, expect, it } from 'vitest';
import { checkEvent, eventTypes } from './catalogue.ts';
import { golden, type Json, verdict } from './testing/golden.ts';

const rollout = golden('RolloutRecorded.v1');

describe('a good event', () => {
  it('has no issues', () => {
    expect(verdict(rollout, {})).toEqual([]);
  });

  it('may leave an optional field undefined', () => {
    expect(verdict(rollout, {}, { seed: undefined })).toEqual([]);
  });
});

describe('one wrong field: the message names it, what was found and what is allowed', () => {
  it.each<[Json, string]>([
    [{ id: 'A' }, 'id: found "A" (a string), allowed: a UUID in lower case'],
    [{ at: '2026-02-30T00:00:00Z' }, 'at: found "2026-02-30T00:00:00Z" (a string), allowed: a moment in RFC 3339'],
    [{ actor: 'ada' }, 'actor: found "ada" (a string), allowed: the actor, as kind/identity: engineer/gpt, human/ada'],
    [{ causes: [{ event: 'x' }] }, 'causes[0].event: found "x" (a string), allowed: a UUID in lower case'],
    [{ causes: [{}] }, 'causes[0].event: found nothing, allowed: a UUID in lower case'],
    [{ causes: undefined }, 'causes: found nothing, allowed: a list'],
    [
      { recordedAt: 'now' },
      'recordedAt: found an unknown key, allowed: id, type, version, at, actor, run, stage, causes, data',
    ],
    [
      { outcome: 'valid' },
      'outcome: found an unknown key, allowed: id, type, version, at, actor, run, stage, causes, data',
    ],
  ])('%j', (change, said) => {
    expect(verdict(rollout, change)).toEqual([said]);
  });

  it.each<[Json, string]>([
    [
      { outcome: '' },
      'data.outcome: found "" (a string), allowed: a name: at least one character, no control characters',
    ],
    [
      { outcome: undefined },
      'data.outcome: found nothing, allowed: a name: at least one character, no control characters',
    ],
    [{ trainingStep: -1 }, 'data.trainingStep: found -1 (a number), allowed: a whole number from 0'],
    [{ trainingStep: 1.5 }, 'data.trainingStep: found 1.5 (a number), allowed: a whole number from 0'],
    [{ success: 'True' }, 'data.success: found "True" (a string), allowed: true or false'],
    [{ reward: Number.NaN }, 'data.reward: found NaN, allowed: a number or {value, reason}'],
    [
      { reward: { value: null } },
      'data.reward.reason: found nothing, allowed: a name: at least one character, no control characters',
    ],
    [
      { rewards: { '': 1 } },
      'data.rewards[""]: found the key "", allowed: a name: at least one character, no control characters',
    ],
    [{ rewards: { valid: '0.5' } }, 'data.rewards.valid: found "0.5" (a string), allowed: a number or {value, reason}'],
    [
      { rewards: [1] },
      'data.rewards: found a list of 1, allowed: an object with a number or {value, reason} under each name',
    ],
    [{ tokens: { input: null } }, 'data.tokens.input: found null, allowed: a whole number from 0'],
    [{ prompt: 'text' }, 'data.prompt: found "text" (a string), allowed: {text} or {blob, bytes, preview?}'],
    [{ prompt: { text: 5 } }, 'data.prompt.text: found 5 (a number), allowed: a string'],
    [
      { seed: 2 ** 60 },
      'data.seed: found 1152921504606847000 (a number), allowed: a whole number or a string of digits',
    ],
    [
      { split: 'eval' },
      'data.split: found "eval" (a string), allowed: one of "train", "probe", "probe-holdout", "validation", "test"',
    ],
    [
      { surplus: 1 },
      'data.surplus: found an unknown key, allowed: environment, task, split, family, sample, trainingStep, policy, checkpoint, prompt, completion, reasoning, transcript and 21 more',
    ],
    [{ rewrd: 1 }, 'data.rewrd: found an unknown key, allowed: a known one, perhaps "reward"'],
    [
      { details: { content: {} } },
      'data.details.kind: found nothing, allowed: a name: at least one character, no control characters',
    ],
    [
      { error: new Date(0) },
      'data.error.kind: found nothing, allowed: a name: at least one character, no control characters',
    ],
    [
      { policy: 'x'.repeat(9_000), family: 7 },
      'data.family: found 7 (a number), allowed: a name: at least one character, no control characters',
    ],
  ])('data %j', (change, said) => {
    expect(verdict(rollout, {}, change)).toContain(said);
  });

  it('truncates long values', () => {
    const [said] = verdict(rollout, {}, { split: 'x'.repeat(9_000) });
    expect(said?.length).toBeLessThan(200);
  });

  it('reports an unknown key before the missing key it probably stood for', () => {
    const note = golden('RunAnnotated.v1');
    expect(verdict(note, {}, { note: undefined, nota: 'hi' })).toEqual([
      'data.nota: found an unknown key, allowed: a known one, perhaps "note"',
      'data.note: found nothing, allowed: a string',
    ]);
    expect(verdict(rollout, {}, { tokens: { inputs: 1 } })[0]).toBe(
      'data.tokens.inputs: found an unknown key, allowed: a known one, perhaps "input"',
    );
    const erased = { ...golden('Redacted.v1').event.data, erased: [{ evnt: 'x' }] };
    expect(verdict(golden('Redacted.v1'), {}, erased)[0]).toContain('data.erased[0].evnt: found an unknown key');
  });

  it('reports all faults at once', () => {
    expect(verdict(rollout, { id: 1, at: 2 }, { split: 3, surplus: 4 })).toHaveLength(4);
  });
});

describe('not an event of the catalogue', () => {
  it.each([null, 5, 'text', [rollout.event], undefined])('%j', (event) => {
    expect(checkEvent(rollout.stream, event)).toMatchObject([{ field: '' }]);
  });

  it('suggests similar names for an unknown type', () => {
    expect(verdict(rollout, { type: 'RoloutRecorded' })).toEqual([
      'type: found "RoloutRecorded" (a string), allowed: a type of the catalogue, perhaps "RolloutRecorded"',
    ]);
    expect(verdict(rollout, { type: 'ProposalRecord' })[0]).toContain('perhaps "ProposalRecorded" or "Proposal');
  });

  it('says that types of your own come from plugins where there are none', () => {
    const own = { ...rollout, type: 'acme.Gpu', stream: 'x-gpu', run: null, stage: null };
    expect(checkEvent('x-gpu', own)[0]).toEqual({
      field: 'type',
      found: '"acme.Gpu" (a string)',
      allowed:
        "a type that a plugin defines: none of those here belongs in a stream of kind x; see docs/plugins.md in icecore's repository",
    });
  });

  it('lists a few types of the stream, and where to find the others, for a missing type or one without similar names', () => {
    expect(verdict(rollout, { type: 'constructor' })[0]).toBe(
      'type: found "constructor" (a string), allowed: RolloutRecorded, FailureRecorded in a stream of kind evidence; ' +
        `docs/events.md in icecore's repository has all ${eventTypes.size}`,
    );
    expect(verdict(golden('RunStarted.v1'), { type: undefined })[0]).toMatch(
      /^type: found nothing, allowed: (\w+, ){3}\w+ and \d+ more in a stream of kind run; docs/,
    );
    const listed = checkEvent('lake', { type: undefined })[1]?.allowed;
    expect(listed).toMatch(/^RunStarted, (\w+, ){2}\w+ and \d+ more; docs/);
    expect(listed).toContain(` and ${eventTypes.size - 4} more; `);
  });

  it.each([0, 2, -1, 1.5, '1', null, 1n])('version %s', (version) => {
    const [issue] = checkEvent(rollout.stream, { ...rollout.event, version });
    expect(issue).toMatchObject({ field: 'version', allowed: '1' });
  });
});

describe('the stream an event is written to', () => {
  it.each(['', 'run-', 'run-UPPER', 'evidence-a-1-2', 'answer-abc', 'lake-a', '__proto__', 'run-a\n'])(
    '%j is no name of a stream',
    (stream) => {
      expect(checkEvent(stream, rollout.event)).toMatchObject([{ field: 'stream' }]);
    },
  );

  it('must be of a kind that the type allows', () => {
    const [issue] = checkEvent('run-k3v9q2m8x1tz', rollout.event);
    expect(issue).toEqual({
      field: 'stream',
      found: 'a stream of kind run',
      allowed: 'evidence-<run>-<stage>-<part>-<attempt> for RolloutRecorded',
    });
  });

  it.each(['run', 'evidence', 'work', 'notes'])('must be of the same run: %s', (category) => {
    const files = {
      run: 'RunStarted.v1',
      evidence: 'RolloutRecorded.v1',
      work: 'RunClaimed.v1',
      notes: 'RunAnnotated.v1',
    };
    const written = golden(files[category as keyof typeof files]);
    expect(verdict(written, { run: 'another' })).toContain(
      'run: found "another" (a string), allowed: "k3v9q2m8x1tz", the run of the stream',
    );
    expect(verdict(written, { run: null })[0]).toMatch(/^run: found null/);
  });

  it('must be of the same stage if it is an evidence stream', () => {
    expect(verdict(rollout, { stage: 3 })).toEqual(['stage: found 3 (a number), allowed: 2, the stage of the stream']);
  });

  it('requires a stage for types that belong to one, and forbids it for the others', () => {
    expect(verdict(golden('RunStarted.v1'), { stage: 1 })).toEqual(['stage: found 1 (a number), allowed: null']);
    expect(verdict(golden('StageStarted.v1'), { stage: null })).toEqual([
      'stage: found null, allowed: a whole number from 1 to 16383',
    ]);
    expect(verdict(golden('EvaluationRecorded.v1'), { stage: null })).toEqual([]);
  });
});

describe('a key named __proto__', () => {
  const hidden = (text: string): Json => JSON.parse(text) as Json;

  it.each([
    ['measured', { measured: hidden('{"__proto__": 1}') }, 'data.measured.__proto__'],
    ['deep inside', { answer: [{ a: [hidden('{"__proto__": {}}')] }] }, 'data.answer[0].a[0].__proto__'],
    ['a map', { rewards: hidden('{"__proto__": "not even a number"}') }, 'data.rewards.__proto__'],
    ['a strict object', { tokens: hidden('{"__proto__": 1}') }, 'data.tokens.__proto__'],
  ])('is refused in %s', (_, change, field) => {
    expect(checkEvent(rollout.stream, { ...rollout.event, data: { ...rollout.event.data, ...change } })).toMatchObject([
      { field },
    ]);
  });

  it('is refused in the envelope', () => {
    const event = JSON.parse(JSON.stringify(rollout.event).replace('{', '{"__proto__": {"id": 1}, ')) as unknown;
    expect(checkEvent(rollout.stream, event)).toMatchObject([{ field: '__proto__' }]);
  });

  it('is not confused with other inherited names', () => {
    expect(verdict(rollout, {}, { measured: { constructor: 1, toString: 2, hasOwnProperty: 3 } })).toEqual([]);
    expect(verdict(rollout, {}, { constructor: 1 })).toHaveLength(1);
  });

  it('is searched for only to a limited depth', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(verdict(rollout, {}, { answer: deep })).toEqual([]);
    expect(verdict(rollout, {}, { answer: deep, outcome: 1 })).toHaveLength(1);
  });
});
