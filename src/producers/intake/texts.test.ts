import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textsIn } from '../../../schemas/texts.ts';
import { evidenceStream, rollout } from '../../ledger/contract/samples.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { Piece } from './pieces.ts';
import { longestInline, type Outgoing, takeOutTexts } from './texts.ts';

type Data = Record<string, unknown>;

function taken(data: Data, longest: number, json = JSON.stringify(data)): Outgoing & { readonly sent: Data } {
  const event = rollout(0);
  const sent = { ...event.data, ...(JSON.parse(json) as Data) };
  const bytes = Buffer.from(json);
  const piece: Piece = { line: 1, bytes, size: bytes.length, isTooLong: false, isEnded: true };
  const found = takeOutTexts({ stream: evidenceStream, event: { ...event, data: sent } }, piece, longest);
  return { ...found, sent };
}

function named(text: string): object {
  return { blob: sha256(text), bytes: Buffer.byteLength(text) };
}

describe('texts taken out of an event', () => {
  const { byDefault, nothing, everything } = longestInline;

  it('are all, one or none of them, depending on the limit', () => {
    const data = { prompt: { text: 'Go.' }, completion: { text: 'x'.repeat(byDefault + 1) }, reasoning: { text: '' } };
    const all = taken(data, nothing);
    expect(all.event.data).toMatchObject({
      prompt: named('Go.'),
      completion: named(data.completion.text),
      reasoning: named(''),
    });
    expect(all.texts.map(({ text }) => text)).toEqual(['Go.', data.completion.text, '']);
    const long = taken(data, byDefault);
    expect(long.event.data).toMatchObject({ prompt: data.prompt, completion: named(data.completion.text) });
    expect(long.texts).toEqual([{ digest: sha256(data.completion.text), text: data.completion.text }]);
    expect(taken(data, everything)).toMatchObject({ event: { data }, texts: [] });
  });

  it('are measured in bytes of UTF-8', () => {
    const text = '冰'.repeat(Math.floor(byDefault / 3));
    expect(taken({ prompt: { text } }, byDefault).texts).toEqual([]);
    expect(taken({ prompt: { text: `${text}冰` } }, byDefault).texts).toHaveLength(1);
  });

  it('are found for any escapes in their keys', () => {
    const escaped = '{"prompt":{"te\\u0078t":"Go."}}';
    expect(taken({}, nothing, escaped).event.data).toMatchObject({ prompt: named('Go.') });
  });

  it.each<[string, Data]>([
    ['has a text object with an extra key', { prompt: { text: 'Go.', extra: 1 } }],
    ['has a text where only a blob is allowed', { prompt: { text: 'Go.' }, task: { blob: { text: 'x' } } }],
    ['has a text object without a text', { prompt: { text: 'Go.' }, completion: { text: 5 } }],
    ['is invalid elsewhere', { prompt: { text: 'Go.' }, outcome: 7 }],
  ])('are none if the event %s: it is refused as written', (_, data) => {
    const { event, texts, sent } = taken(data, nothing);
    expect(texts).toEqual([]);
    expect(event.data).toEqual(sent);
  });

  it('exclude those with a lone surrogate, which have no UTF-8 form', () => {
    const json = '{"prompt":{"text":"a\\ud800b"},"completion":{"text":"fine"}}';
    const { event } = taken({}, nothing, json);
    expect(event.data).toMatchObject({ prompt: { text: 'a\ud800b' } });
  });

  it('are named by their digest, and the rest of the event stays unchanged', () => {
    const text = fc.record({ text: fc.string({ unit: 'binary', maxLength: 60 }) });
    const data = fc.record({ prompt: text, completion: text, transcript: text }, { requiredKeys: [] });
    fc.assert(
      fc.property(data, fc.integer({ min: -1, max: 40 }), (some, longest) => {
        const { event, texts, sent } = taken(some as Data, longest);
        const { data: found, ...envelope } = event;
        expect({ ...envelope, data: null }).toEqual({ ...rollout(0), data: null });
        for (const [key, value] of Object.entries(sent)) {
          const { text: own } = (value ?? {}) as { text?: string };
          const isLong = own !== undefined && Buffer.byteLength(own) > longest;
          expect((found as Data)[key]).toEqual(isLong ? named(own) : value);
        }
        for (const { digest, text: own } of texts) expect(digest).toBe(sha256(own));
        expect(textsIn('RolloutRecorded', 1, found).every(({ text: own }) => Buffer.byteLength(own) <= longest)).toBe(
          true,
        );
      }),
    );
  });
});
