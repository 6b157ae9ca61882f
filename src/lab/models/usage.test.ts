import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usageIn } from './usage.ts';

describe('what endpoints count', () => {
  it.each<[string, object, object]>([
    [
      'as OpenAI does',
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
      'as vLLM does',
      { prompt_tokens: 100, total_tokens: 150, completion_tokens: 50, prompt_tokens_details: null },
      { input: 100, output: 50 },
    ],
    [
      'as Gemini does: thoughts in the total alone',
      { prompt_tokens: 21, completion_tokens: 7, total_tokens: 88 },
      { input: 21, output: 67, reasoning: 60 },
    ],
    [
      'without a word of the visible answer',
      { prompt_tokens: 21, total_tokens: 81 },
      { input: 21, output: 60, reasoning: 60 },
    ],
    [
      'as xAI does: thoughts beside the output',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 45,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { input: 10, output: 35, reasoning: 30 },
    ],
    [
      'as DeepSeek does',
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
      'in the words of responses',
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

  it('is left out where it cannot be meant, one number at a time', () => {
    for (const bad of [-1, 1.5, '12', null, Number.NaN, 1e300, {}, []]) {
      expect(usageIn({ prompt_tokens: bad, completion_tokens: 5, total_tokens: bad })).toEqual({ output: 5 });
    }
    expect(
      usageIn({ prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 9 } }),
    ).toEqual({ input: 10, output: 5 });
    for (const none of [undefined, null, 7, 'many', [], {}]) expect(usageIn(none)).toBe(undefined);
  });

  it('never has a part that is larger than its whole, whatever is reported', () => {
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
