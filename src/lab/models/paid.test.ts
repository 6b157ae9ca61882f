import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerReply, Endpoint, silent, status } from './testing/endpoint.ts';
import { modelAt, Notebook, question } from './testing/models.ts';

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await Endpoint.start();
});
afterAll(() => endpoint.stop());

describe('a paid answer', () => {
  it('is recorded before it is used, and never requested again', async () => {
    endpoint.replies(answerReply('four'), answerReply('five'));
    const book = new Notebook();
    const first = await modelAt(endpoint.url, {}, { book }).ask(question());
    expect([...book.kept]).toEqual([[first.key, first]]);
    expect(await modelAt(endpoint.url, {}, { book }).ask(question())).toEqual(first);
    expect(endpoint.seen).toHaveLength(1);
    expect((await modelAt(endpoint.url, {}, { book }).ask(question('?', { sample: 1 }))).answer).toBe('five');
  });

  it('is not used if it cannot be recorded', async () => {
    endpoint.replies(answerReply('four'));
    const full = new Error('the disk is full');
    const book = { find: async () => null, keep: () => Promise.reject(full) };
    await expect(modelAt(endpoint.url, {}, { book }).ask(question())).rejects.toBe(full);
  });

  it('is requested once for two concurrent callers', async () => {
    endpoint.replies(answerReply('four'), answerReply('five'));
    const model = modelAt(endpoint.url);
    const both = await Promise.all([model.ask(question()), model.ask(question())]);
    expect(both.map(({ answer }) => answer)).toEqual(['four', 'four']);
    expect(endpoint.seen).toHaveLength(1);
    endpoint.replies(status(400));
    const ends = await Promise.allSettled([model.ask(question()), model.ask(question())]);
    expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected']);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('survives the abort of one of its callers', async () => {
    endpoint.replies(silent, answerReply('four'));
    const model = modelAt(endpoint.url);
    const stop = new AbortController();
    const first = model.ask(question('?', { signal: stop.signal }));
    await endpoint.arrived();
    const second = model.ask(question());
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    expect((await second).answer).toBe('four');
  });

  it('is not a fault: faults are not recorded', async () => {
    endpoint.replies(status(400), answerReply('four'));
    const book = new Notebook();
    const model = modelAt(endpoint.url, {}, { book });
    await expect(model.ask(question())).rejects.toThrow('cannot do this');
    expect(book.kept.size).toBe(0);
    expect((await model.ask(question())).answer).toBe('four');
  });
});
