import { beforeAll, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { type Ask, History, tablesOf } from '../testing/history.ts';

let ask: Ask;
const ids = { rollout: '' };

const key = 'a'.repeat(64);

beforeAll(async () => {
  const run = new History('run000000000');
  run.add('RunStarted', null, { name: 'first', environment: { name: 'maze' } });
  const evidence = { stream: 'evidence-run000000000-1-0-0' };
  const tried = { environment: 'maze', split: 'probe', policy: 'p' } as const;
  ids.rollout = run.add('RolloutRecorded', 1, { ...tried, outcome: 'hole' }, evidence);
  run.add('FailureRecorded', 1, { ...tried, rollout: ids.rollout, failures: [{ class: 'hole' }] }, evidence);
  run.add(
    'ModelAnswered',
    2,
    {
      key,
      model: { name: 'gpt', endpoint: 'gpt', reported: 'gpt-5.4-0301' },
      parameters: { temperature: 0.5 },
      context: 'c'.repeat(64),
      sample: 0,
      purpose: 'proposal',
      prompt: { text: 'What next?' },
      answer: { text: 'More holes.' },
      reasoning: { blob: 'b'.repeat(64), bytes: 5 },
      finishReason: 'stop',
      usage: { input: 10, output: 5, reasoning: 3 },
      cost: { currency: 'USD', total: 0.25 },
      measured: { latencyMs: 1500 },
    },
    { stream: streamOf.answer(key) },
  );
  const notes = { stream: streamOf.notes(run.run), actor: 'human/ada' };
  run.add('RunAnnotated', 1, { note: 'odd', event: ids.rollout, knob: '8.hole', tags: ['look'] }, notes);
  const erased = { event: ids.rollout, stream: evidence.stream, field: 'data.completion', blob: 'b'.repeat(64) };
  run.add('Redacted', 1, { reason: 'a name', erased: [erased] }, notes);
  ask = await tablesOf([run]);
});

describe('events', () => {
  it('have every event once; events with their own table have their data there', async () => {
    expect(await ask('SELECT type, run, stage, data IS NULL AS elsewhere FROM events ORDER BY happened_at')).toEqual([
      { type: 'RunStarted', run: 'first', stage: null, elsewhere: false },
      { type: 'RolloutRecorded', run: 'first', stage: 1, elsewhere: true },
      { type: 'FailureRecorded', run: 'first', stage: 1, elsewhere: true },
      { type: 'ModelAnswered', run: null, stage: 2, elsewhere: true },
      { type: 'RunAnnotated', run: 'first', stage: 1, elsewhere: false },
      { type: 'Redacted', run: 'first', stage: 1, elsewhere: false },
    ]);
  });
});

describe('model_calls', () => {
  it('have prompts, answers, durations and costs', async () => {
    expect(
      await ask(
        `SELECT purpose, model, reported, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost, currency,
           seconds, prompt, answer, reasoning, finish_reason, parameters ->> '$.temperature' AS heat FROM model_calls`,
      ),
    ).toEqual([
      {
        purpose: 'proposal',
        model: 'gpt',
        reported: 'gpt-5.4-0301',
        input_tokens: 10,
        output_tokens: 5,
        reasoning_tokens: 3,
        cached_tokens: null,
        cost: 0.25,
        currency: 'USD',
        seconds: 1.5,
        prompt: 'What next?',
        answer: 'More holes.',
        reasoning: null,
        finish_reason: 'stop',
        heat: '0.5',
      },
    ]);
  });
});

describe('notes and erasures', () => {
  it('name the author and the subject of a note, and the erased texts', async () => {
    const [note] = await ask(
      'SELECT run, stage, knob, note, tags[1] AS tag, actor, event::VARCHAR AS event FROM notes',
    );
    expect(note).toEqual({
      run: 'first',
      stage: 1,
      knob: '8.hole',
      note: 'odd',
      tag: 'look',
      actor: 'human/ada',
      event: ids.rollout,
    });
    const [gone] = await ask('SELECT run, event::VARCHAR AS event, field, reason, actor FROM erasures');
    expect(gone).toEqual({
      run: 'first',
      event: ids.rollout,
      field: 'data.completion',
      reason: 'a name',
      actor: 'human/ada',
    });
  });
});
