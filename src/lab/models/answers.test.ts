// Parsing answers in all the forms that endpoints use.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkEvent, versionOf } from '../../../schemas/catalogue.ts';
import { usageIn, withoutThoughts } from './answers.ts';
import type { Answered } from './conversation.ts';
import { CalledTools, Filtered, Refused } from './faults.ts';
import { answerReply, Endpoint, type Spoken, status } from './testing/endpoint.ts';
import { modelAt, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

/** The parsed answer of an endpoint's response. */
async function understood(text: string | null, spoken: Spoken = {}): Promise<Answered> {
  endpoint.replies(
    answerReply(text ?? '', text === null ? { ...spoken, message: { content: null, ...spoken.message } } : spoken),
  );
  return await modelAt(endpoint.url).ask(question());
}

describe('an answer', () => {
  it('has all fields of a ModelAnswered event', async () => {
    endpoint.replies(answerReply('<think>hm</think>four', { usage: { prompt_tokens: 1000, completion_tokens: 500 } }));
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
      'with reasoning in a separate field',
      'four',
      { message: { reasoning_content: 'hm' } },
      { answer: 'four', reasoning: 'hm' },
    ],
    [
      'with reasoning under its newer field name',
      'four',
      { message: { reasoning: 'hm' } },
      { answer: 'four', reasoning: 'hm' },
    ],
    [
      'with reasoning under both names',
      'four',
      { message: { reasoning: 'hm', reasoning_content: 'hm' } },
      { answer: 'four', reasoning: 'hm' },
    ],
    [
      'unfinished reasoning',
      '<think>hm, hm, hm',
      { finish: 'length' },
      { answer: '', reasoning: 'hm, hm, hm', finishReason: 'length' },
    ],
    [
      'reasoning alone',
      null,
      { finish: 'length', message: { reasoning: 'hm' } },
      { answer: '', finishReason: 'length' },
    ],
    ['truncated, as Google reports it', 'fo', { finish: 'MAX_TOKENS' }, { answer: 'fo', finishReason: 'length' }],
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
    ['without a finish reason', 'four', { finish: null }, { answer: 'four', finishReason: 'unknown' }],
    ['nothing', '', {}, { answer: '', finishReason: 'stop' }],
    ['with a lone surrogate', 'f\ud83dur', {}, { answer: 'f\ufffdur' }],
    ['a refusal', null, { message: { refusal: 'I will not.' } }, { answer: 'I will not.', finishReason: 'refusal' }],
    [
      'a tool call',
      null,
      { finish: 'tool_calls', message: { tool_calls: [{}] } },
      { answer: null, finishReason: 'tool_calls' },
    ],
    [
      'a tool call that reports stop',
      null,
      { message: { tool_calls: [{}] } },
      { answer: null, finishReason: 'tool_calls' },
    ],
    ['a text with a tool call', 'four', { message: { tool_calls: [{}] } }, { answer: 'four', finishReason: 'stop' }],
    ['filtered', null, { finish: 'content_filter' }, { answer: null, finishReason: 'content_filter' }],
  ])('is understood: %s', async (_, text, spoken, expected) => {
    expect(await understood(text, spoken)).toMatchObject(expected);
  });

  it('may have no message if it was truncated before its first word or filtered', async () => {
    const becomes = async (choice: object): Promise<Partial<Answered>> => {
      endpoint.replies(status(200, { choices: [{ index: 0, ...choice }] }));
      const { answer, finishReason } = await modelAt(endpoint.url).ask(question());
      return { answer, finishReason };
    };
    expect(await becomes({ finish_reason: 'length' })).toEqual({ answer: '', finishReason: 'length' });
    expect(await becomes({ finish_reason: 'content_filter', message: null })).toEqual({
      answer: null,
      finishReason: 'content_filter',
    });
    await expect(becomes({ finish_reason: 'stop', message: null })).rejects.toThrow('a choice without a message');
  });

  it('without valid token counts has no usage and no cost', async () => {
    const answered = await understood('four', { usage: { prompt_tokens: -1, completion_tokens: 'many' } });
    expect(answered).toMatchObject({ answer: 'four' });
    expect('usage' in answered || 'cost' in answered).toBe(false);
  });

  it('is an error where a text is required, if it was refused, filtered or a tool call', async () => {
    const model = modelAt(endpoint.url);
    const textOf = async (text: string | null, spoken: Spoken): Promise<string> =>
      model.textOf(await understood(text, spoken));
    expect(await textOf('four', {})).toBe('four');
    await expect(textOf(null, { message: { refusal: 'I will not.' } })).rejects.toThrow(Refused);
    await expect(textOf('half of it', { finish: 'content_filter' })).rejects.toThrow(Filtered);
    await expect(textOf(null, { message: { tool_calls: [{}] } })).rejects.toThrow(CalledTools);
  });
});

describe('reasoning within an answer', () => {
  it.each([
    ['', '', ''],
    [' as it is ', ' as it is ', ''],
    ['<think>\nhm\n</think>\n\nRRD', 'RRD', 'hm'],
    ['<think></think>RRD', 'RRD', ''],
    ['hm, so</think> RRD', 'RRD', 'hm, so'],
    ['<think>hm, and then it was cut', '', 'hm, and then it was cut'],
    ['RRD <think>wait', 'RRD', 'wait'],
    ['Well. <think>hm</think> RRD', 'Well.  RRD', 'hm'],
    ['<think>a</think>b<think>c</think>d', 'bd', 'a\n\nc'],
    ['<think>the tag <think> opens</think>RRD', 'RRD', 'the tag <think> opens'],
    ['a</think>b</think>RRD', 'RRD', 'a\n\nb'],
    ['<thought>hm</thought>RRD', 'RRD', 'hm'],
    ['<thinking>hm</thinking>RRD', 'RRD', 'hm'],
    ['a < b and <b>c</b>', 'a < b and <b>c</b>', ''],
  ])('%j is %j, with the reasoning %j', (whole, text, reasoning) => {
    expect(withoutThoughts(whole)).toEqual({ text, reasoning });
  });

  it('is separated from the text, which keeps no tags and loses no characters', () => {
    const part = fc.constantFrom('<think>', '</think>', 'a', 'b', '1', '2');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const { text, reasoning } = withoutThoughts(parts.join(''));
        const letters = (of: string): string => of.replace(/<\/?think>|\s/g, '');
        expect(text).not.toMatch(/<\/?think>/);
        expect([...letters(text + reasoning)].sort()).toEqual([...letters(parts.join(''))].sort());
        expect(withoutThoughts(text)).toEqual({ text, reasoning: '' });
      }),
    );
  });
});

describe('token counts of endpoints', () => {
  it.each<[string, object, object]>([
    [
      'are read as OpenAI reports them',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 40 },
      },
      { input: 100, output: 50, reasoning: 40, cached: 64 },
    ],
    [
      'are read as vLLM reports them',
      { prompt_tokens: 100, total_tokens: 150, completion_tokens: 50, prompt_tokens_details: null },
      { input: 100, output: 50 },
    ],
    [
      'are read as Gemini reports them, with reasoning in the total alone',
      { prompt_tokens: 21, completion_tokens: 7, total_tokens: 88 },
      { input: 21, output: 67, reasoning: 60 },
    ],
    [
      'are read if only reasoning was generated',
      { prompt_tokens: 21, total_tokens: 81 },
      { input: 21, output: 60, reasoning: 60 },
    ],
    [
      'are read as xAI reports them, with reasoning in addition to the output',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 45,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { input: 10, output: 35, reasoning: 30 },
    ],
    [
      'are read as DeepSeek reports them',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_cache_hit_tokens: 8,
        prompt_cache_miss_tokens: 2,
      },
      { input: 10, output: 5, cached: 8 },
    ],
    [
      'are read as the Responses API reports them',
      {
        input_tokens: 10,
        output_tokens: 5,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens_details: { reasoning_tokens: 2 },
      },
      { input: 10, output: 5, reasoning: 2, cached: 3 },
    ],
  ])('%s', (_, reported, usage) => {
    expect(usageIn(reported)).toEqual(usage);
  });

  it('are ignored if invalid, one by one', () => {
    for (const bad of [-1, 1.5, '12', null, Number.NaN, 1e300, {}, []]) {
      expect(usageIn({ prompt_tokens: bad, completion_tokens: 5, total_tokens: bad })).toEqual({ output: 5 });
    }
    expect(
      usageIn({ prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 9 } }),
    ).toEqual({ input: 10, output: 5 });
    for (const none of [undefined, null, 7, 'many', [], {}]) expect(usageIn(none)).toBe(undefined);
  });

  it('never have a part larger than the whole, whatever is reported', () => {
    const number = fc.option(fc.oneof(fc.nat(100), fc.integer(), fc.double(), fc.string()), { nil: undefined });
    const details = fc.option(fc.record({ cached_tokens: number, reasoning_tokens: number }), { nil: undefined });
    const reported = fc.record({
      prompt_tokens: number,
      completion_tokens: number,
      total_tokens: number,
      prompt_tokens_details: details,
      completion_tokens_details: details,
    });
    fc.assert(
      fc.property(reported, (counts) => {
        const { input = 0, output = 0, reasoning = 0, cached = 0 } = usageIn(counts) ?? {};
        expect(cached).toBeLessThanOrEqual(input);
        expect(reasoning).toBeLessThanOrEqual(output);
        for (const tokens of [input, output, reasoning, cached]) expect(Number.isSafeInteger(tokens)).toBe(true);
      }),
    );
  });
});
