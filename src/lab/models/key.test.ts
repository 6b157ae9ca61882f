import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Asked, answerKey, contextDigest } from './key.ts';

const asked: Asked = {
  context: contextDigest([{ role: 'user', content: 'hello' }]),
  model: { name: 'lora-2', endpoint: 'qwen', checkpoint: 'a'.repeat(64) },
  parameters: { temperature: 0.6, max_tokens: 100 },
  sample: 0,
};

describe('the key of an answer', () => {
  it('is a digest that is the same for ever', () => {
    expect(answerKey(asked)).toBe('2fb815f445276681e2aaf1be24775898dd34a50410ca43b90b672aa74896e94b');
  });

  it('does not depend on the order of keys, nor on what the endpoint said afterwards', () => {
    const { temperature, max_tokens } = asked.parameters;
    const later = {
      ...asked,
      model: { ...asked.model, reported: 'lora-2-awq' },
      parameters: { max_tokens, temperature },
    };
    expect(answerKey(later)).toBe(answerKey(asked));
  });

  it('is another one for every other question', () => {
    const others: Asked[] = [
      { ...asked, context: contextDigest([{ role: 'system', content: 'hello' }]) },
      { ...asked, model: { ...asked.model, name: 'lora-3' } },
      { ...asked, model: { ...asked.model, endpoint: 'other' } },
      { ...asked, model: { ...asked.model, checkpoint: 'b'.repeat(64) } },
      { ...asked, model: { name: 'lora-2', endpoint: 'qwen' } },
      { ...asked, parameters: { ...asked.parameters, seed: 1 } },
      { ...asked, parameters: {} },
      { ...asked, sample: 1 },
    ];
    expect(new Set([asked, ...others].map(answerKey)).size).toBe(others.length + 1);
  });

  it('tells any two conversations apart', () => {
    const messages = fc.array(fc.record({ role: fc.constantFrom('user', 'system'), content: fc.string() }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(messages, messages, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        return (contextDigest(one as never) === contextDigest(other as never)) === same;
      }),
    );
  });
});
