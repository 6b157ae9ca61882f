import { globalAgent } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkEvent, versionOf } from '../../../schemas/catalogue.ts';
import type { Answered, Question } from './conversation.ts';
import { CalledTools, Filtered, Refused } from './faults/answers.ts';
import { SpendingCapReached } from './faults/spending.ts';
import { ModelClosed } from './model.ts';
import { NoCheckpoint } from './request.ts';
import { Spending } from './spending.ts';
import { completion, Endpoint, type Reply, type Spoken, says, silent, status } from './testing/endpoint.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { modelAt, Notebook, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
// A connection that was kept and breaks now is made anew at once, which is no attempt.
beforeEach(() => globalAgent.destroy());

/** What an endpoint that says this is understood to say. */
async function understood(text: string | null, spoken: Spoken = {}): Promise<Answered> {
  endpoint.replies(
    says(text ?? '', text === null ? { ...spoken, message: { content: null, ...spoken.message } } : spoken),
  );
  return await modelAt(endpoint.url).ask(question());
}

describe('what is asked', () => {
  it('are the messages of the question with the parameters of the entry and of the question', async () => {
    endpoint.replies(says('four'));
    const model = modelAt(endpoint.url, { parameters: { temperature: 0.6, max_tokens: 100 } });
    await model.ask(
      question('two and two?', { parameters: { max_tokens: 50, response_format: { type: 'json_object' } } }),
    );
    const [{ path, headers, body }] = endpoint.seen as [Endpoint['seen'][number]];
    expect({ path, body }).toEqual({
      path: '/v1/chat/completions',
      body: {
        model: 'served-model',
        messages: [{ role: 'user', content: 'two and two?' }],
        temperature: 0.6,
        max_tokens: 50,
        response_format: { type: 'json_object' },
      },
    });
    expect(headers).toMatchObject({ authorization: 'Bearer sk-very-secret', 'content-type': 'application/json' });
  });

  it('a key is sent only where there is one', async () => {
    endpoint.replies(says('four'));
    await modelAt(endpoint.url, {}, { secret: null }).ask(question());
    expect(endpoint.seen[0]?.headers.authorization).toBe(undefined);
  });

  it('the best answer has parameters of its own', async () => {
    endpoint.replies(says('four'));
    const parameters = { temperature: 0.6, top_p: 0.9 };
    const asked = async (more: object): Promise<unknown> => {
      await modelAt(endpoint.url, { parameters, ...more }).ask(question('?', { greedy: true }));
      return endpoint.seen.at(-1)?.body;
    };
    expect(await asked({})).toMatchObject({ temperature: 0, top_p: 0.9 });
    expect(await asked({ greedy: {} })).toMatchObject({ temperature: 0.6 });
  });

  it('a seed is sent to endpoints that take it, and tells answers apart in any case', async () => {
    endpoint.replies(says('four'));
    for (const seeds of [true, false]) {
      const model = modelAt(endpoint.url, { seeds });
      const [one, other] = [await model.ask(question('?', { seed: 1 })), await model.ask(question('?', { seed: 2 }))];
      expect(endpoint.seen.at(-1)?.body['seed']).toBe(seeds ? 2 : undefined);
      expect([one.parameters, other.parameters]).toEqual([{ seed: 1 }, { seed: 2 }]);
      expect(one.key).not.toBe(other.key);
    }
  });

  it('a checkpoint is asked by the name it is served under, and by that of its base before there is one', async () => {
    endpoint.replies(says('four'));
    const digest = 'd'.repeat(64);
    const entry = { model: 'lora-{checkpoint}', base: 'Qwen/Qwen3-4B' };
    const model = modelAt(endpoint.url, entry);
    const names = async (checkpoint: Question['checkpoint']): Promise<unknown> =>
      (await model.ask(question('?', checkpoint === undefined ? {} : { checkpoint }))).model;
    const whole = { endpoint: 'local', reported: 'served-model' };
    expect(await names(null)).toEqual({ ...whole, name: 'Qwen/Qwen3-4B' });
    expect(await names({ reference: 'step-$&-7', digest })).toEqual({
      ...whole,
      name: 'lora-step-$&-7',
      checkpoint: digest,
    });
    expect(await names({ reference: 'step-8' })).toEqual({ ...whole, name: 'lora-step-8', checkpoint: 'step-8' });
    expect(endpoint.seen.map(({ body }) => body['model'])).toEqual(['Qwen/Qwen3-4B', 'lora-step-$&-7', 'lora-step-8']);
    const without = modelAt(endpoint.url, { model: 'lora-{checkpoint}' });
    await expect(without.ask(question())).rejects.toThrow(NoCheckpoint);
  });

  it('where answers come piece by piece, the count of tokens is asked for', async () => {
    endpoint.replies(says('four'));
    const { key } = await modelAt(endpoint.url, { stream: true }).ask(question());
    expect(endpoint.seen[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(key).toBe((await modelAt(endpoint.url).ask(question())).key);
  });
});

describe('what is answered', () => {
  it('is all that a ModelAnswered holds', async () => {
    endpoint.replies(says('<think>hm</think>four', { usage: { prompt_tokens: 1000, completion_tokens: 500 } }));
    const model = modelAt(endpoint.url, { prices: { input: 1, output: 4 }, parameters: { temperature: 0.6 } });
    const { measured, ...answered } = await model.ask(question('two and two?', { purpose: 'plan', sample: 3 }));
    expect(answered).toEqual({
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      model: { name: 'served-model', endpoint: 'local', reported: 'served-model' },
      parameters: { temperature: 0.6 },
      context: expect.stringMatching(/^[0-9a-f]{64}$/),
      sample: 3,
      purpose: 'plan',
      prompt: 'two and two?',
      answer: 'four',
      reasoning: 'hm',
      finishReason: 'stop',
      usage: { input: 1000, output: 500 },
      cost: {
        currency: 'USD',
        total: 0.003,
        parts: { input: 0.001, output: 0.002, cached: 0 },
        prices: { input: 1, output: 4, cached: 1 },
      },
    });
    expect(measured).toEqual({ latencyMs: expect.any(Number), firstByteMs: expect.any(Number), attempts: 1 });
    const { prompt, answer, reasoning, ...rest } = answered;
    const data = {
      ...rest,
      measured,
      prompt: { text: prompt },
      answer: { text: answer },
      reasoning: { text: reasoning },
    };
    const event = {
      id: '98f69b8a-88e8-875f-8002-140000001003',
      type: 'ModelAnswered',
      version: versionOf('ModelAnswered'),
      at: '2030-01-01T00:00:00Z',
      actor: 'producer/test',
      run: 'any',
      stage: 1,
      causes: [],
      data,
    };
    expect(checkEvent(`answer-${answered.key}`, event)).toEqual([]);
  });

  it.each<[string, string | null, Spoken, Partial<Answered>]>([
    [
      'thoughts in a field of their own',
      'four',
      { message: { reasoning_content: 'hm' } },
      { answer: 'four', reasoning: 'hm' },
    ],
    ['under their newer name', 'four', { message: { reasoning: 'hm' } }, { answer: 'four', reasoning: 'hm' }],
    [
      'under both names',
      'four',
      { message: { reasoning: 'hm', reasoning_content: 'hm' } },
      { answer: 'four', reasoning: 'hm' },
    ],
    [
      'thoughts without an end',
      '<think>hm, hm, hm',
      { finish: 'length' },
      { answer: '', reasoning: 'hm, hm, hm', finishReason: 'length' },
    ],
    [
      'all of it spent on thoughts',
      null,
      { finish: 'length', message: { reasoning: 'hm' } },
      { answer: '', finishReason: 'length' },
    ],
    ['cut, in the words of Google', 'fo', { finish: 'MAX_TOKENS' }, { answer: 'fo', finishReason: 'length' }],
    [
      'parts',
      null,
      {
        message: {
          content: [
            { type: 'text', text: 'fo' },
            { type: 'text', text: 'ur' },
          ],
        },
      },
      { answer: 'four' },
    ],
    ['no reason to stop', 'four', { finish: null }, { answer: 'four', finishReason: 'unknown' }],
    ['nothing', '', {}, { answer: '', finishReason: 'stop' }],
    ['half a character', 'f\ud83dur', {}, { answer: 'f\ufffdur' }],
    ['a refusal', null, { message: { refusal: 'I will not.' } }, { answer: 'I will not.', finishReason: 'refusal' }],
    [
      'tools',
      null,
      { finish: 'tool_calls', message: { tool_calls: [{}] } },
      { answer: null, finishReason: 'tool_calls' },
    ],
    ['tools, and stops', null, { message: { tool_calls: [{}] } }, { answer: null, finishReason: 'tool_calls' }],
    ['tools beside a text', 'four', { message: { tool_calls: [{}] } }, { answer: 'four', finishReason: 'stop' }],
    ['held back', null, { finish: 'content_filter' }, { answer: null, finishReason: 'content_filter' }],
  ])('may be %s', async (_, text, spoken, expected) => {
    expect(await understood(text, spoken)).toMatchObject(expected);
  });

  it('without numbers that can be meant it has no cost, and is an answer all the same', async () => {
    const answered = await understood('four', { usage: { prompt_tokens: -1, completion_tokens: 'many' } });
    expect(answered).toMatchObject({ answer: 'four' });
    expect('usage' in answered || 'cost' in answered).toBe(false);
  });

  it('is no text where the model would not, could not, or did something else', async () => {
    const model = modelAt(endpoint.url);
    const textOf = async (text: string | null, spoken: Spoken): Promise<string> =>
      model.textOf(await understood(text, spoken));
    expect(await textOf('four', {})).toBe('four');
    await expect(textOf(null, { message: { refusal: 'I will not.' } })).rejects.toThrow(Refused);
    await expect(textOf('half of it', { finish: 'content_filter' })).rejects.toThrow(Filtered);
    await expect(textOf(null, { message: { tool_calls: [{}] } })).rejects.toThrow(CalledTools);
  });
});

describe('asking again', () => {
  it('comes after a pause that grows, half of it left to chance', async () => {
    const cut: Reply = (response) => response.writeHead(200).write('{', () => response.destroy());
    endpoint.replies(status(500), cut, status(503), status(500), says('four'));
    const clock = new FakeClock();
    const { measured } = await modelAt(endpoint.url, {}, { clock }).ask(question());
    expect(measured?.['attempts']).toBe(5);
    expect(clock.pauses).toHaveLength(4);
    for (const [i, pause] of clock.pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(500 * 2 ** i);
      expect(pause).toBeLessThanOrEqual(1000 * 2 ** i);
    }
  });

  it('waits as long as the endpoint wants to be left alone, and lets nobody else ask meanwhile', async () => {
    endpoint.replies(status(429, '', { 'retry-after': '30' }), says('four'));
    const clock = new FakeClock();
    const model = modelAt(endpoint.url, { concurrency: 2 }, { clock });
    const first = model.ask(question('first'));
    await endpoint.arrived();
    await new Promise(setImmediate);
    await Promise.all([first, model.ask(question('second'))]);
    for (const pause of clock.pauses.slice(0, 1)) {
      expect(pause).toBeGreaterThanOrEqual(30_000);
      expect(pause).toBeLessThanOrEqual(31_000);
    }
  });

  it('is given up where it would have to wait too long', async () => {
    endpoint.replies(status(429, '', { 'retry-after': '86400' }));
    const clock = new FakeClock();
    const asking = modelAt(endpoint.url, {}, { clock }).ask(question());
    await expect(asking).rejects.toThrow('not before 86400 s have passed');
    expect({ asked: endpoint.seen.length, pauses: clock.pauses }).toEqual({ asked: 1, pauses: [] });
  });

  it('the next question waits where an answer says that nothing is left', async () => {
    const spent = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' };
    endpoint.replies(status(200, completion('four'), spent), says('four'));
    const clock = new FakeClock();
    const model = modelAt(endpoint.url, {}, { clock });
    await model.ask(question('first'));
    await model.ask(question('second'));
    expect(clock.pauses).toEqual([20_000]);
  });
});

describe('what was paid for', () => {
  it('is recorded before anybody sees it, and never asked again', async () => {
    endpoint.replies(says('four'), says('five'));
    const book = new Notebook();
    const first = await modelAt(endpoint.url, {}, { book }).ask(question());
    expect([...book.kept]).toEqual([[first.key, first]]);
    expect(await modelAt(endpoint.url, {}, { book }).ask(question())).toEqual(first);
    expect(endpoint.seen).toHaveLength(1);
    expect((await modelAt(endpoint.url, {}, { book }).ask(question('?', { sample: 1 }))).answer).toBe('five');
  });

  it('is not seen where it could not be recorded', async () => {
    endpoint.replies(says('four'));
    const full = new Error('the disk is full');
    const book = { find: async () => null, keep: () => Promise.reject(full) };
    await expect(modelAt(endpoint.url, {}, { book }).ask(question())).rejects.toBe(full);
  });

  it('is asked once where two ask for it at a time', async () => {
    endpoint.replies(says('four'), says('five'));
    const model = modelAt(endpoint.url);
    const both = await Promise.all([model.ask(question()), model.ask(question())]);
    expect(both.map(({ answer }) => answer)).toEqual(['four', 'four']);
    expect(endpoint.seen).toHaveLength(1);
    endpoint.replies(status(400));
    const ends = await Promise.allSettled([model.ask(question()), model.ask(question())]);
    expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected']);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('one who stops does not stop another who asks the same', async () => {
    endpoint.replies(silent, says('four'));
    const model = modelAt(endpoint.url);
    const stop = new AbortController();
    const first = model.ask(question('?', { signal: stop.signal }));
    await endpoint.arrived();
    const second = model.ask(question());
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    expect((await second).answer).toBe('four');
  });

  it('faults are not recorded', async () => {
    endpoint.replies(status(400), says('four'));
    const book = new Notebook();
    const model = modelAt(endpoint.url, {}, { book });
    await expect(model.ask(question())).rejects.toThrow('cannot do this');
    expect(book.kept.size).toBe(0);
    expect((await model.ask(question())).answer).toBe('four');
  });
});

describe('limits', () => {
  it('so many questions are under way at a time, and no more', async () => {
    const [width, all] = [3, 20];
    const held: (() => void)[] = [];
    const together: number[] = [];
    endpoint.script((index) => async (response, seen) => {
      held.push(() => says('four')(response, seen));
      if (held.length < width && index < all - 1) return;
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      together.push(held.length);
      for (const answer of held.splice(0)) answer();
    });
    const model = modelAt(endpoint.url, { concurrency: width });
    await Promise.all(Array.from({ length: all }, (_, sample) => model.ask(question('?', { sample }))));
    expect(endpoint.seen).toHaveLength(all);
    expect(Math.max(...together)).toBe(width);
  });

  const priced = { prices: { input: 0, output: 1_000_000 }, parameters: { max_tokens: 10 } };
  const costs = (tokens: number): Reply => says('four', { usage: { prompt_tokens: 1, completion_tokens: tokens } });

  it('nothing is asked that could cost more than there is, and models share what there is', async () => {
    endpoint.replies(costs(7));
    const spending = new Spending({ currency: 'USD', most: 25 });
    const models = [modelAt(endpoint.url, priced, { spending }), modelAt(endpoint.url, priced, { spending })] as const;
    const ask = (i: 0 | 1, sample: number): Promise<Answered> => models[i].ask(question('?', { sample }));
    for (const [i, sample] of [
      [0, 0],
      [1, 1],
      [0, 2],
    ] as const)
      await ask(i, sample);
    expect(spending.spent).toBe(21);
    await expect(ask(1, 3)).rejects.toThrow(SpendingCapReached);
    expect(endpoint.seen).toHaveLength(3);
  });

  it('what nobody knows the cost of counts as dear as it can be, and what was refused as nothing', async () => {
    endpoint.replies(status(400), says('four', { usage: null }), (response) => response.writeHead(200).end('<p>'));
    const spending = new Spending({ currency: 'USD', most: 100 });
    const model = modelAt(endpoint.url, priced, { spending });
    const spent: number[] = [];
    for (let sample = 0; sample < 3; sample++) {
      await model.ask(question('?', { sample })).catch(() => {});
      spent.push(spending.spent);
    }
    expect(spent).toEqual([0, 10, 20]);
  });

  it('a recorded answer is there also when all is spent', async () => {
    endpoint.replies(costs(10));
    const book = new Notebook();
    const spending = new Spending({ currency: 'USD', most: 10 });
    const model = modelAt(endpoint.url, priced, { spending, book });
    const first = await model.ask(question());
    expect(await model.ask(question())).toEqual(first);
    await expect(model.ask(question('another'))).rejects.toThrow(SpendingCapReached);
  });

  it('under a cap no model is opened of which nobody knows the cost', () => {
    const spending = new Spending({ currency: 'USD', most: 10 });
    expect(() => modelAt(endpoint.url, {}, { spending })).toThrow('no prices');
  });
});

describe('stopping', () => {
  const reason = new Error('stopped by a person');

  it('ends a question at once, wherever it is', async () => {
    const wherever: [string, () => Promise<void>, Reply][] = [
      ['asked', () => endpoint.arrived(), silent],
      ['answered in part', () => endpoint.arrived(), (response) => response.writeHead(200).write('{')],
    ];
    for (const [, until, reply] of wherever) {
      endpoint.replies(reply);
      const stop = new AbortController();
      const asking = modelAt(endpoint.url).ask(question('?', { signal: stop.signal }));
      await until();
      stop.abort(reason);
      await expect(asking).rejects.toBe(reason);
      while (endpoint.underWay > 0) await new Promise(setImmediate);
    }
    await expect(modelAt(endpoint.url).ask(question('?', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });

  it('ends a pause, and waiting for others', async () => {
    endpoint.replies(status(429, '', { 'retry-after': '200' }), silent);
    // On a real clock: it would take minutes.
    const model = modelAt(endpoint.url, { concurrency: 1 });
    const stop = new AbortController();
    const asking = ['first', 'second'].map((content) => model.ask(question(content, { signal: stop.signal })));
    await endpoint.arrived();
    await new Promise(setImmediate);
    stop.abort(reason);
    for (const asked of asking) await expect(asked).rejects.toBe(reason);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('a model that is closed ends what is under way and answers nothing more', async () => {
    endpoint.replies(silent);
    const model = modelAt(endpoint.url);
    const asking = model.ask(question());
    await endpoint.arrived();
    await Promise.all([model.close(), model.close()]);
    await expect(asking).rejects.toThrow(ModelClosed);
    await expect(model.ask(question())).rejects.toThrow(ModelClosed);
  });
});

it('who looks at a model sees no key', () => {
  const model = modelAt(endpoint.url);
  expect(inspect(model, { depth: 9, showHidden: true }) + JSON.stringify(model)).not.toContain('very-secret');
});
