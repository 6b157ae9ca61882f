// Conversations with an endpoint of this suite and, if the environment variables name one, with a real endpoint
// (testing/real-model.ts), which costs a few cents.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTruncated, type Question } from './conversation.ts';
import type { ModelEntry } from './entries.ts';
import { BadRequest, Unauthorised } from './faults.ts';
import { Model } from './model.ts';
import { Secret } from './secret.ts';
import { Endpoint } from './testing/endpoint.ts';
import { entryOf, Notebook, secret } from './testing/models.ts';
import { realModel, realUrl } from './testing/real-model.ts';
import { wellBehaved } from './testing/well-behaved.ts';

interface Partner {
  readonly entry: ModelEntry;
  readonly secret: Secret | null;
}

const messages: Question['messages'] = [{ role: 'user', content: 'Write the numbers from one to twenty, as words.' }];
const question: Question = { messages, sample: 0, seed: 1 };

function conversing(partner: () => Partner): void {
  const model = (more: Partial<ModelEntry> = {}, settings: object = {}): Model => {
    const { entry, secret } = partner();
    return new Model({ entry: { ...entry, ...more }, secret, ...settings });
  };

  it('a question is answered, and its usage is counted', async () => {
    const answered = await model().ask(question);
    expect(answered.answer).toMatch(/one.*two.*three/is);
    expect(answered.finishReason).toBe('stop');
    expect(answered.usage?.input).toBeGreaterThan(0);
    expect(answered.usage?.output).toBeGreaterThan(0);
    expect(answered.model.reported).toMatch(/./);
  });

  it('a streamed answer is equivalent', async () => {
    const answered = await model({ stream: true }).ask(question);
    expect(answered.answer).toMatch(/one.*two.*three/is);
    expect(answered.finishReason).toBe('stop');
    expect(answered.usage?.output).toBeGreaterThan(0);
  });

  it.each([true, false])('a truncated answer is marked (streamed: %s)', async (stream) => {
    const { parameters } = partner().entry;
    const limit = 'max_completion_tokens' in parameters ? 'max_completion_tokens' : 'max_tokens';
    const answered = await model({ stream }).ask({ ...question, parameters: { [limit]: 5 } });
    expect(isTruncated(answered)).toBe(true);
  });

  it('an answered question is not asked again', async () => {
    const book = new Notebook();
    const first = await model({}, { book }).ask(question);
    expect(await model({}, { book }).ask(question)).toEqual(first);
  });

  it('an unknown model is an error', async () => {
    await expect(model({ model: 'no-such-model' }).ask(question)).rejects.toThrow(BadRequest);
  });

  it('a wrong key is an error', async (context) => {
    const { entry, secret } = partner();
    if (secret === null) return context.skip();
    const asking = new Model({ entry, secret: new Secret(secret.name, 'sk-wrong') }).ask(question);
    await expect(asking).rejects.toThrow(Unauthorised);
  });

  it('a question can be aborted', async () => {
    const reason = new Error('stopped by a person');
    const stop = new AbortController();
    const asking = model().ask({ ...question, signal: stop.signal });
    stop.abort(reason);
    await expect(asking).rejects.toBe(reason);
  });
}

describe('a conversation with a well-behaved endpoint', () => {
  const words = 'one two three four five six seven eight nine ten';
  let endpoint: Endpoint;
  beforeAll(async () => {
    endpoint = await Endpoint.start();
    endpoint.script(wellBehaved(() => words));
  });
  afterAll(() => endpoint.stop());

  conversing(() => ({ entry: entryOf(endpoint.url, { seeds: true }), secret }));
});

describe.skipIf(realUrl === undefined)(`a conversation with a real endpoint ${realUrl ?? ''}`, () => {
  conversing(realModel);
});
