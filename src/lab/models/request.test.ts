import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Question } from './conversation.ts';
import { type AnswerIdentity, answerKey, contextDigest, NoCheckpoint } from './request.ts';
import { answerReply, Endpoint } from './testing/endpoint.ts';
import { modelAt, question } from './testing/models.ts';

const identity: AnswerIdentity = {
  context: contextDigest([{ role: 'user', content: 'hello' }]),
  model: { name: 'lora-2', endpoint: 'qwen', checkpoint: 'a'.repeat(64) },
  parameters: { temperature: 0.6, max_tokens: 100 },
  sample: 0,
};

describe('the key of an answer', () => {
  it('is a stable digest', () => {
    expect(answerKey(identity)).toBe('2fb815f445276681e2aaf1be24775898dd34a50410ca43b90b672aa74896e94b');
  });

  it('does not depend on the order of keys or on the response', () => {
    const { temperature, max_tokens } = identity.parameters;
    const later = {
      ...identity,
      model: { ...identity.model, reported: 'lora-2-awq' },
      parameters: { max_tokens, temperature },
    };
    expect(answerKey(later)).toBe(answerKey(identity));
  });

  it('differs if any part of the question differs', () => {
    const others: AnswerIdentity[] = [
      { ...identity, context: contextDigest([{ role: 'system', content: 'hello' }]) },
      { ...identity, model: { ...identity.model, name: 'lora-3' } },
      { ...identity, model: { ...identity.model, endpoint: 'other' } },
      { ...identity, model: { ...identity.model, checkpoint: 'b'.repeat(64) } },
      { ...identity, model: { name: 'lora-2', endpoint: 'qwen' } },
      { ...identity, parameters: { ...identity.parameters, seed: 1 } },
      { ...identity, parameters: {} },
      { ...identity, sample: 1 },
    ];
    expect(new Set([identity, ...others].map(answerKey)).size).toBe(others.length + 1);
  });

  it('distinguishes any two conversations', () => {
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

// The request for a question.

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

describe('identity parameters', () => {
  it('are the messages with the parameters of the entry and of the question', async () => {
    endpoint.replies(answerReply('four'));
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

  it('are sent with a key only if there is one', async () => {
    endpoint.replies(answerReply('four'));
    await modelAt(endpoint.url, {}, { secret: null }).ask(question());
    expect(endpoint.seen[0]?.headers.authorization).toBe(undefined);
  });

  it('may be separate for greedy answers', async () => {
    endpoint.replies(answerReply('four'));
    const parameters = { temperature: 0.6, top_p: 0.9 };
    const identity = async (more: object): Promise<unknown> => {
      await modelAt(endpoint.url, { parameters, ...more }).ask(question('?', { greedy: true }));
      return endpoint.seen.at(-1)?.body;
    };
    expect(await identity({})).toMatchObject({ temperature: 0, top_p: 0.9 });
    expect(await identity({ greedy: {} })).toMatchObject({ temperature: 0.6 });
  });

  it('include the seed for endpoints that support it, and it always distinguishes answers', async () => {
    endpoint.replies(answerReply('four'));
    for (const seeds of [true, false]) {
      const model = modelAt(endpoint.url, { seeds });
      const [one, other] = [await model.ask(question('?', { seed: 1 })), await model.ask(question('?', { seed: 2 }))];
      expect(endpoint.seen.at(-1)?.body['seed']).toBe(seeds ? 2 : undefined);
      expect([one.parameters, other.parameters]).toEqual([{ seed: 1 }, { seed: 2 }]);
      expect(one.key).not.toBe(other.key);
    }
  });

  it('name the served checkpoint, or the base if there is none', async () => {
    endpoint.replies(answerReply('four'));
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

  it('request token counts for streamed answers', async () => {
    endpoint.replies(answerReply('four'));
    const { key } = await modelAt(endpoint.url, { stream: true }).ask(question());
    expect(endpoint.seen[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(key).toBe((await modelAt(endpoint.url).ask(question())).key);
  });
});
