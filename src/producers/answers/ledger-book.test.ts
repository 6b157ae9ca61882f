import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answered } from '../../lab/models/conversation.ts';
import { answerReply, Endpoint } from '../../lab/models/testing/endpoint.ts';
import { modelAt, question } from '../../lab/models/testing/models.ts';
import { served, wellBehaved } from '../../lab/models/testing/well-behaved.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { openLedger } from '../../ledger/open.ts';
import { digestsIn, type Places, places } from '../testing/places.ts';
import { AnsweredBefore, askedOnce, LedgerBook } from './answers.ts';

async function endpointThat(mind: (prompt: string) => string): Promise<Endpoint> {
  const endpoint = await Endpoint.start();
  endpoint.script(wellBehaved(mind));
  onTestFinished(() => endpoint.stop());
  return endpoint;
}

function bookIn({ ledger, blobs }: Places): LedgerBook {
  return new LedgerBook(ledger, { url: blobs.url, toRead: async () => blobs, toWrite: async () => blobs });
}

describe('answers in a ledger', () => {
  it('are recorded completely in a stream named after their key, durable before they are used', async () => {
    const there = await places();
    const endpoint = await endpointThat(() => '<think>hm</think>four');
    const answered = await modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(
      question('2 + 2?', { purpose: 'plan' }),
    );
    const other = await openLedger(there.ledger.url, { readOnly: true });
    onTestFinished(() => other.close());
    const [event] = await collect(other.read(`answer-${answered.key}`));
    expect(event?.envelope).toMatchObject({
      type: 'ModelAnswered',
      actor: 'producer/answers',
      run: null,
      data: {
        key: answered.key,
        model: { name: served, endpoint: 'local', reported: served },
        purpose: 'plan',
        prompt: { text: '2 + 2?' },
        answer: { text: 'four' },
        reasoning: { text: 'hm' },
        finishReason: 'stop',
        usage: { input: 3, output: 1 },
      },
    });
    expect(await bookIn(there).find(answered.key)).toEqual(answered);
  });

  it('are null for an unanswered key', async () => {
    expect(await bookIn(await places()).find('0'.repeat(64))).toBe(null);
  });

  it('return refusals without a text unchanged', async () => {
    const there = await places();
    const endpoint = await endpointThat(() => 'four');
    endpoint.replies(answerReply('', { finish: 'content_filter' }));
    const answered = await modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(question());
    expect(answered.answer).toBe(null);
    expect(await bookIn(there).find(answered.key)).toEqual(answered);
  });

  it('keep long texts as blobs', async () => {
    const there = await places();
    const long = 'é'.repeat(40_000);
    const endpoint = await endpointThat(() => long);
    const answered = await modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(question());
    const [event] = await collect(there.ledger.read(`answer-${answered.key}`));
    const [blob] = await digestsIn(there.blobs);
    expect(event?.envelope.data).toMatchObject({ answer: { blob, bytes: 80_000 } });
    expect((await bookIn(there).find(answered.key))?.answer).toBe(long);
  });

  it('are an error after their text was erased, and are not requested again', async () => {
    const there = await places();
    const endpoint = await endpointThat(() => 'x'.repeat(40_000));
    const { key } = await modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(question());
    for (const digest of await digestsIn(there.blobs)) await there.blobs.erase(digest);
    const again = modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(question());
    await expect(again).rejects.toThrow(`the text of the answer recorded at answer-${key}@0 is not in`);
    expect(endpoint.seen).toHaveLength(1);
  });

  it('are found even if the text of their prompt was erased', async () => {
    const there = await places();
    const endpoint = await endpointThat(() => 'four');
    const long = question('why? '.repeat(10_000));
    const answered = await modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(long);
    for (const digest of await digestsIn(there.blobs)) await there.blobs.erase(digest);
    const again = await modelAt(endpoint.url, {}, { book: bookIn(there) }).ask(long);
    expect(again).toEqual({ ...answered, prompt: '' });
  });
});

describe('two concurrent identical questions', () => {
  /** Both are asked before either is answered, with different answers. */
  async function race(there: Places): Promise<{ endpoint: Endpoint; answers: readonly Answered[] }> {
    const endpoint = await Endpoint.start();
    onTestFinished(() => endpoint.stop());
    endpoint.script((index) => (response, seen) => {
      void endpoint.arrived(2).then(() => answerReply(`answer ${index}`)(response, seen));
    });
    const others = await openLedger(there.ledger.url);
    onTestFinished(() => others.close());
    const models = [there, { ...there, ledger: others }].map((place) =>
      askedOnce(modelAt(endpoint.url, {}, { book: bookIn(place) })),
    );
    return { endpoint, answers: await Promise.all(models.map((model) => model.ask(question()))) };
  }

  it('get the answer that was recorded first, and only that is recorded', async () => {
    const there = await places();
    const { endpoint, answers } = await race(there);
    const [one, two] = answers;
    expect(endpoint.seen).toHaveLength(2);
    expect(two?.answer).toBe(one?.answer);
    const recorded = await collect(there.ledger.read(`answer-${one?.key}`));
    expect(recorded.map(({ envelope }) => (envelope.data as { answer: unknown }).answer)).toEqual([
      { text: one?.answer },
    ]);
  });

  it('record equal answers once, and refuse a different one', async () => {
    const there = await places();
    const endpoint = await endpointThat((prompt) => `${prompt.length}`);
    const answered = await modelAt(endpoint.url).ask(question());
    const book = bookIn(there);
    await book.keep(answered);
    await book.keep({ ...answered, measured: { latencyMs: 1 } });
    await expect(book.keep({ ...answered, answer: 'another' })).rejects.toThrow(AnsweredBefore);
    expect(await collect(there.ledger.read(`answer-${answered.key}`))).toHaveLength(1);
  });
});
