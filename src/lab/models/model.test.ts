import { globalAgent } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answered } from './conversation.ts';
import { SpendingCapReached } from './faults.ts';
import { ModelClosed } from './model.ts';
import { Spending } from './spending.ts';
import { answerReply, completion, Endpoint, type Reply, silent, status } from './testing/endpoint.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { modelAt, Notebook, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());
// A kept-alive connection that breaks is reopened at once, without counting as an attempt.
beforeEach(() => globalAgent.destroy());

describe('retries', () => {
  it('come after growing pauses, half of each random', async () => {
    const cut: Reply = (response) => response.writeHead(200).write('{', () => response.destroy());
    endpoint.replies(status(500), cut, status(503), status(500), answerReply('four'));
    const clock = new FakeClock();
    const { measured } = await modelAt(endpoint.url, {}, { clock }).ask(question());
    expect(measured?.['attempts']).toBe(5);
    expect(clock.pauses).toHaveLength(4);
    for (const [i, pause] of clock.pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(500 * 2 ** i);
      expect(pause).toBeLessThanOrEqual(1000 * 2 ** i);
    }
  });

  it('wait as long as the endpoint requests, and hold back other questions', async () => {
    endpoint.replies(status(429, '', { 'retry-after': '30' }), answerReply('four'));
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

  it('stop if the requested delay is too long', async () => {
    endpoint.replies(status(429, '', { 'retry-after': '86400' }));
    const clock = new FakeClock();
    const asking = modelAt(endpoint.url, {}, { clock }).ask(question());
    await expect(asking).rejects.toMatchObject({
      message: expect.stringContaining('retry after 86400 s'),
      remedy: 'Wait that long, and run the same command again: recorded answers are reused.',
    });
    expect({ asked: endpoint.seen.length, pauses: clock.pauses }).toEqual({ asked: 1, pauses: [] });
  });

  it('delay the next question if a response says that no allowance is left', async () => {
    const spent = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' };
    endpoint.replies(status(200, completion('four'), spent), answerReply('four'));
    const clock = new FakeClock();
    const model = modelAt(endpoint.url, {}, { clock });
    await model.ask(question('first'));
    await model.ask(question('second'));
    expect(clock.pauses).toEqual([20_000]);
  });
});

describe('limits', () => {
  it('limits the number of concurrent questions', async () => {
    const [width, all] = [3, 20];
    const held: (() => void)[] = [];
    const together: number[] = [];
    endpoint.script((index) => async (response, seen) => {
      held.push(() => answerReply('four')(response, seen));
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
  const costs = (tokens: number): Reply =>
    answerReply('four', { usage: { prompt_tokens: 1, completion_tokens: tokens } });

  it('asks nothing that could exceed the shared spending cap', async () => {
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

  it('stop a retry that could exceed the cap, and count only the requests that were sent', async () => {
    const cut: Reply = (response) => response.writeHead(200).write('{', () => response.destroy());
    endpoint.replies(cut);
    const spending = new Spending({ currency: 'USD', most: 25 });
    const asking = modelAt(endpoint.url, priced, { spending, clock: new FakeClock() }).ask(question());
    await expect(asking).rejects.toThrow(/the next answer may cost 10 USD \(2 attempts\)$/);
    expect(endpoint.seen).toHaveLength(2);
  });

  it('counts an unknown cost as the maximum, and a refused question as free', async () => {
    endpoint.replies(status(400), answerReply('four', { usage: null }), (response) =>
      response.writeHead(200).end('<p>'),
    );
    const spending = new Spending({ currency: 'USD', most: 100 });
    const model = modelAt(endpoint.url, priced, { spending });
    const spent: number[] = [];
    for (let sample = 0; sample < 3; sample++) {
      await model.ask(question('?', { sample })).catch(() => {});
      spent.push(spending.spent);
    }
    expect(spent).toEqual([0, 10, 20]);
  });

  it('finds recorded answers even when the cap is reached', async () => {
    endpoint.replies(costs(10));
    const book = new Notebook();
    const spending = new Spending({ currency: 'USD', most: 10 });
    const model = modelAt(endpoint.url, priced, { spending, book });
    const first = await model.ask(question());
    expect(await model.ask(question())).toEqual(first);
    await expect(model.ask(question('another'))).rejects.toThrow(SpendingCapReached);
  });

  it('refuses a model with unknown cost under a cap', () => {
    const spending = new Spending({ currency: 'USD', most: 10 });
    expect(() => modelAt(endpoint.url, {}, { spending })).toThrow('no prices');
  });
});

describe('stopping', () => {
  const reason = new Error('stopped by a person');

  it('aborts a question at once in every state', async () => {
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

  it('aborts a pause and waiting for others', async () => {
    endpoint.replies(status(429, '', { 'retry-after': '200' }), silent);
    // With a real clock this would take minutes.
    const model = modelAt(endpoint.url, { concurrency: 1 });
    const stop = new AbortController();
    const asking = ['first', 'second'].map((content) => model.ask(question(content, { signal: stop.signal })));
    await endpoint.arrived();
    await new Promise(setImmediate);
    stop.abort(reason);
    for (const asked of asking) await expect(asked).rejects.toBe(reason);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('a closed model aborts questions in progress and refuses later ones', async () => {
    endpoint.replies(silent);
    const model = modelAt(endpoint.url);
    const asking = model.ask(question());
    await endpoint.arrived();
    await Promise.all([model.close(), model.close()]);
    await expect(asking).rejects.toThrow(ModelClosed);
    await expect(model.ask(question())).rejects.toThrow(ModelClosed);
  });
});

it('inspecting a model shows no key', () => {
  const model = modelAt(endpoint.url);
  expect(inspect(model, { depth: 9, showHidden: true }) + JSON.stringify(model)).not.toContain('very-secret');
});

describe('token counts beyond what the request allows', () => {
  const entry = { prices: { input: 1, output: 10 }, parameters: { max_tokens: 100 } };
  const counted = async (usage: object) => {
    endpoint.replies(answerReply('four', { usage }));
    return await modelAt(endpoint.url, entry).ask(question());
  };

  it.each([
    ['more output than its limit', { prompt_tokens: 12, completion_tokens: 101 }, { input: 12 }],
    [
      'reasoning within such an output',
      { prompt_tokens: 12, completion_tokens: 9000, completion_tokens_details: { reasoning_tokens: 50 } },
      { input: 12 },
    ],
    [
      'far more input than was sent',
      { prompt_tokens: 1e9, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 10 } },
      { output: 5 },
    ],
    ['both', { prompt_tokens: 1e9, completion_tokens: 1e9 }, undefined],
  ])('are unknown, and so is the cost: %s', async (_, reported, usage) => {
    const answered = await counted(reported);
    expect([answered.usage, answered.cost]).toEqual([usage, undefined]);
  });

  it('are those above the limit, not at it, and none without a limit', async () => {
    expect((await counted({ prompt_tokens: 12, completion_tokens: 100 })).usage).toEqual({ input: 12, output: 100 });
    endpoint.replies(answerReply('four', { usage: { prompt_tokens: 12, completion_tokens: 9000 } }));
    expect((await modelAt(endpoint.url).ask(question())).usage).toEqual({ input: 12, output: 9000 });
  });
});
