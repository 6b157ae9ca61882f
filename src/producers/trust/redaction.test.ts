import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { StorageFailed } from '../../base/folders.ts';
import { evidenceStream, notesStream, rollout } from '../../ledger/contract/samples.ts';
import { eventIds, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { verifyOpened } from '../../ledger/verify/verify.ts';
import { altered, digestsIn, type Places, places } from '../testing/places.ts';
import { type Redacted, redact, redactable } from './redaction.ts';

type Data = Record<string, unknown>;

interface Sent {
  readonly stream: string;
  readonly event: NewEvent;
}

function withData(index: number, data: Data): Sent {
  const event = rollout(index);
  return { stream: evidenceStream, event: { ...event, data: { ...event.data, ...data } } };
}

function rolloutData(text: string, more: Data = {}): Data {
  return { blob: sha256(text), bytes: Buffer.byteLength(text), ...more };
}

const key = sha256('a question');

const answer: Sent = {
  stream: streamOf.answer(key),
  event: {
    ...rollout(0),
    id: eventIds({ run: 'x', stage: 0, kind: 140 })(0),
    type: 'ModelAnswered',
    run: null,
    stage: null,
    data: {
      key,
      model: { name: 'gpt' },
      parameters: {},
      context: key,
      sample: 0,
      prompt: rolloutData('the question'),
      answer: rolloutData('the answer'),
      finishReason: 'stop',
    },
  },
};

async function record({ ledger, blobs }: Places, sent: readonly Sent[], texts: readonly string[]): Promise<void> {
  await blobs.putAll(texts);
  for (const { stream, event } of sent) await ledger.append(stream, [event], { expect: 'any' });
}

async function erase(
  { ledger, blobs }: Places,
  sent: readonly Sent[],
  more: { reason?: string; actor?: string; isPartMeant?: boolean } = {},
): Promise<readonly Redacted[]> {
  const { reason = 'a name', actor = 'human/ada', isPartMeant = false } = more;
  const found = (await Promise.all(sent.map(({ event }) => ledger.find(event.id)))).flat();
  return await redact(ledger, blobs, { events: redactable(found, isPartMeant), reason, actor });
}

async function redactedIn(ledger: Ledger): Promise<Data[]> {
  const found: Data[] = [];
  for await (const events of ledger.readAll({ types: ['Redacted'] })) {
    for (const { envelope, stream, body } of events)
      found.push({ ...(envelope.data as Data), stream, size: body.length });
  }
  return found;
}

async function findings({ ledger, blobs }: Places): Promise<string[]> {
  const { findings: all } = await verifyOpened(ledger, { blobs: blobs.url, run: null, head: null });
  return all.map(({ kind }) => kind).filter((kind) => kind !== 'unsealed');
}

describe('a redaction', () => {
  it('destroys the texts and records, separately from the run, which, why and by whom', async () => {
    const here = await places();
    const sent = withData(0, { prompt: rolloutData('Go.'), completion: rolloutData('secret') });
    await record(here, [sent], ['Go.', 'secret', 'another']);
    const erased = await erase(here, [sent]);
    const common = {
      event: sent.event.id,
      place: `${evidenceStream}@0`,
      by: `${notesStream}@0`,
      isNew: true,
      wasThere: true,
    };
    expect(erased).toEqual([
      { ...common, field: 'data.prompt', blob: sha256('Go.') },
      { ...common, field: 'data.completion', blob: sha256('secret') },
    ]);
    expect(await digestsIn(here.blobs)).toEqual([sha256('another')]);
    expect(await redactedIn(here.ledger)).toMatchObject([
      {
        stream: notesStream,
        reason: 'a name',
        erased: [
          { event: sent.event.id, stream: evidenceStream, field: 'data.prompt', blob: sha256('Go.') },
          { field: 'data.completion' },
        ],
      },
    ]);
    expect(await findings(here)).toEqual(['redacted', 'redacted']);
  });

  it('of a recorded answer is recorded in the stream of the answer', async () => {
    const here = await places();
    await record(here, [answer], ['the question', 'the answer']);
    expect(await erase(here, [answer])).toMatchObject([{ by: `${answer.stream}@1` }, { by: `${answer.stream}@1` }]);
    expect(await digestsIn(here.blobs)).toEqual([]);
    expect(await findings(here)).toEqual(['redacted', 'redacted']);
  });

  it('changes nothing if repeated', async () => {
    const here = await places();
    const sent = withData(0, { completion: rolloutData('secret') });
    await record(here, [sent], ['secret']);
    await erase(here, [sent]);
    expect(await erase(here, [sent], { reason: 'another', actor: 'human/eve' })).toMatchObject([
      { by: `${notesStream}@0`, isNew: false, wasThere: false },
    ]);
    expect(await redactedIn(here.ledger)).toHaveLength(1);
  });

  it('erases a shared text for all its events, and is recorded for the named ones', async () => {
    const here = await places();
    const both = [0, 1].map((index) => withData(index, { completion: rolloutData('shared') }));
    await record(here, both, ['shared']);
    await erase(here, both.slice(0, 1));
    expect(await findings(here)).toEqual(['redacted', 'redacted']);
    expect(await erase(here, both)).toMatchObject([{ isNew: false }, { isNew: false, place: `${evidenceStream}@1` }]);
  });

  it('handles an event once, however often it is named', async () => {
    const here = await places();
    const sent = withData(0, { completion: rolloutData('secret') });
    await record(here, [sent], ['secret']);
    expect(await erase(here, [sent, sent])).toHaveLength(1);
    expect(await redactedIn(here.ledger)).toMatchObject([{ erased: [{}] }]);
  });

  it('keeps blobs that are not texts, such as a shared task', async () => {
    const here = await places();
    const sent = withData(0, { completion: rolloutData('secret'), task: { blob: rolloutData('the task') } });
    await record(here, [sent], ['secret', 'the task']);
    expect(await erase(here, [sent])).toMatchObject([{ field: 'data.completion' }]);
    expect(await digestsIn(here.blobs)).toEqual([sha256('the task')]);
    const alone = withData(1, { task: { blob: rolloutData('the task') } });
    await record(here, [alone], []);
    await expect(erase(here, [alone])).rejects.toThrow('it has no text');
  });

  it('of many events is recorded in several events of limited size', async () => {
    const here = await places();
    const many = Array.from({ length: 1000 }, (_, i) =>
      withData(i, {
        prompt: rolloutData('Go.'),
        completion: rolloutData(`${i}`),
        reasoning: rolloutData(`because of ${i}`),
      }),
    );
    const texts = many.flatMap((_, i) => [`${i}`, `because of ${i}`]);
    await here.blobs.putAll(['Go.', ...texts]);
    await here.ledger.append(
      evidenceStream,
      many.map(({ event }) => event),
      { expect: 'any' },
    );
    expect(await erase(here, many, { reason: '冰'.repeat(1300) })).toHaveLength(3000);
    const records = await redactedIn(here.ledger);
    expect(records).toHaveLength(3);
    for (const { size } of records) expect(size).toBeLessThan(1_000_000);
    expect(await digestsIn(here.blobs)).toEqual([]);
    expect(new Set(await findings(here))).toEqual(new Set(['redacted']));
  });

  it('leaves every event unchanged and the ledger valid, for any texts in any order', async () => {
    const texts = ['a', 'b', 'c', 'd'];
    const index = fc.integer({ min: 0, max: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(index, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), async (rounds) => {
        const here = await places();
        const sent = texts.map((text, i) => withData(i, { prompt: rolloutData('Go.'), completion: rolloutData(text) }));
        await record(here, sent, ['Go.', ...texts]);
        const before = (await here.ledger.find(rollout(0).id))[0]?.digest;
        for (const round of rounds)
          await erase(
            here,
            round.map((i) => sent[i] as Sent),
          );
        const gone = new Set(rounds.flat());
        const left = gone.size === 0 ? ['Go.', ...texts] : texts.filter((_, i) => !gone.has(i));
        expect(await digestsIn(here.blobs)).toEqual(left.map(sha256).sort());
        expect((await findings(here)).filter((kind) => kind !== 'redacted')).toEqual([]);
        expect((await here.ledger.find(rollout(0).id))[0]?.digest).toBe(before);
      }),
      { numRuns: tries(20) },
    );
  });
});

describe('a redaction that is interrupted', () => {
  const broken = new StorageFailed('ledger.blobs', 'the disk does not answer', 'Check the disk.');

  it('between the record and the erasure is reported by verification, and finished by repeating it', async () => {
    const here = await places();
    const both = [0, 1].map((index) => withData(index, { completion: rolloutData(`secret ${index}`) }));
    await record(here, both, ['secret 0', 'secret 1']);
    const failing = altered(here.blobs, { erase: () => Promise.reject(broken) });
    const fault = erase({ ...here, blobs: failing }, both);
    await expect(fault).rejects.toMatchObject({
      kind: 'storage',
      message: '2 of 2 blobs were not erased: ledger.blobs: the disk does not answer',
      facts: { failed: 2, recorded: [`${notesStream}@0`] },
      remedy: expect.stringContaining('redact the same events again'),
    });
    expect((await findings(here)).filter((kind) => kind === 'blob-not-erased')).toHaveLength(2);
    expect(await erase(here, both)).toMatchObject([
      { by: `${notesStream}@0`, isNew: false, wasThere: true },
      { isNew: false, wasThere: true },
    ]);
    expect(await findings(here)).toEqual(['redacted', 'redacted']);
  });

  it('erases what it can before it fails', async () => {
    const here = await places();
    const both = [0, 1].map((index) => withData(index, { completion: rolloutData(`secret ${index}`) }));
    await record(here, both, ['secret 0', 'secret 1']);
    const failing = altered(here.blobs, {
      erase: (digest) => (digest === sha256('secret 0') ? Promise.reject(broken) : here.blobs.erase(digest)),
    });
    await expect(erase({ ...here, blobs: failing }, both)).rejects.toThrow('1 of 2 blobs were not erased');
    expect(await digestsIn(here.blobs)).toEqual([sha256('secret 0')]);
  });

  it('before the record erases nothing', async () => {
    const here = await places();
    const sent = withData(0, { completion: rolloutData('secret') });
    await record(here, [sent], ['secret']);
    await expect(erase(here, [sent], { actor: 'nobody' })).rejects.toThrow('actor');
    expect(await digestsIn(here.blobs)).toEqual([sha256('secret')]);
  });
});

describe('a refused redaction', () => {
  it.each<[string, Data, string]>([
    ['holds its text inline', { completion: { text: 'secret' } }, 'its text is inline in the event (data.completion)'],
    ['holds no text', {}, 'it has no text'],
    [
      'holds a preview',
      { completion: rolloutData('secret', { preview: 'sec' }) },
      'would stay (data.completion.preview)',
    ],
    [
      'holds an inline text in addition to a blob',
      { prompt: { text: 'Go.' }, completion: rolloutData('secret') },
      'would stay (data.prompt)',
    ],
  ])('erases nothing if an event %s', async (_, data, why) => {
    const here = await places();
    const sent = withData(0, data);
    await record(here, [sent, withData(1, { completion: rolloutData('secret') })], ['secret']);
    await expect(erase(here, [withData(1, {}), sent])).rejects.toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining(why),
      remedy: expect.stringMatching(/^Nothing was erased\. /),
    });
    expect(await digestsIn(here.blobs)).toEqual([sha256('secret')]);
    expect(await redactedIn(here.ledger)).toEqual([]);
  });

  it('erases what it can if a partial erasure is requested', async () => {
    const here = await places();
    const sent = withData(0, { prompt: { text: 'Go.' }, completion: rolloutData('secret', { preview: 'sec' }) });
    await record(here, [sent], ['secret']);
    expect(await erase(here, [sent], { isPartMeant: true })).toMatchObject([{ field: 'data.completion', isNew: true }]);
    expect(await digestsIn(here.blobs)).toEqual([]);
  });

  it.each(['', ' \n', 'x'.repeat(4097)])('erases nothing if the reason is empty or too long', async (reason) => {
    const here = await places();
    const sent = withData(0, { completion: rolloutData('secret') });
    await record(here, [sent], ['secret']);
    await expect(erase(here, [sent], { reason })).rejects.toMatchObject({ kind: 'usage', name: 'BadReason' });
    expect(await digestsIn(here.blobs)).toEqual([sha256('secret')]);
  });
});
