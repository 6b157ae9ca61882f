import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceStream, notesStream } from '../contract/samples.ts';
import { sha256 } from '../identity/ids.ts';
import { HeadersInMemory } from './testing/log-in-memory.ts';
import type { FoundRecord, OutgoingRecord } from './transport/transport.ts';
import { type Outgoing, Placing, recordOf } from './wire.ts';

function found({ key, value, headers, timestamp }: OutgoingRecord): FoundRecord {
  const named = Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
  return {
    offset: 0,
    timestamp,
    key: Buffer.from(key),
    value: Buffer.from(value),
    headers: new HeadersInMemory(named),
  };
}

/** Any text, halves of characters as well. */
const anyText = fc.string({ unit: 'binary', maxLength: 40 }).chain((text) => {
  return fc.constantFrom(text, `${text}\ud800`, `\udfff${text}`);
});

const event = fc.record({
  id: fc.uuid(),
  type: fc.stringMatching(/^[A-Z][A-Za-z]{0,20}$/),
  at: fc.constant('2026-01-02T03:04:05.678Z'),
  actor: anyText,
});
const place = fc.record({
  revision: fc.nat(),
  body: fc.string({ unit: 'binary' }),
  recordedMs: fc.nat({ max: Date.UTC(2100, 0) }),
  event,
});
const digest = fc.string().map(sha256);
const writer = fc.record({
  epoch: fc.integer({ min: 1, max: 9_999_999_999 }),
  session: fc.stringMatching(/^[0-9a-z]{1,32}$/),
  first: fc.nat(),
});

const evidence: fc.Arbitrary<Outgoing> = fc
  .tuple(place, digest, writer)
  .map(([own, digest, writer]) => ({ ...own, stream: evidenceStream, digest, writer, previous: null }));
const chained: fc.Arbitrary<Outgoing> = fc
  .tuple(place, digest, fc.option(digest))
  .map(([own, digest, previous]) => ({ ...own, stream: notesStream, digest, previous, writer: null }));
const outgoing = fc.oneof(evidence, chained);

describe('an event as a record', () => {
  it('is found where it belongs, whoever its actor is', () => {
    fc.assert(
      fc.property(outgoing, (sent) => {
        const { stream, revision, digest, previous, writer, event } = sent;
        const own = { stream, revision, digest, previous, writer };
        const id = event.id.replaceAll('-', '');
        expect(new Placing().placedIn(found(recordOf(sent)))).toEqual({ ...own, id, type: event.type });
      }),
    );
  });

  it('carries nothing in its headers but printable ASCII, from which the actor is read again', () => {
    fc.assert(
      fc.property(outgoing, (sent) => {
        const { headers } = recordOf(sent);
        for (const [name, value] of Object.entries(headers)) expect(`${name}${value}`).toMatch(/^[\x21-\x7e]*$/);
        expect(decodeURIComponent(headers['ce_source'] ?? '')).toBe(sent.event.actor.toWellFormed());
      }),
    );
  });
});

/** What looks like an event's record, but for one thing. */
const spoiled: fc.Arbitrary<FoundRecord> = fc
  .tuple(outgoing, fc.nat(), fc.oneof(anyText, fc.constantFrom('', '9'.repeat(16), '-1', '01', '1.x', '1e3')))
  .map(([sent, at, text]) => {
    const record = recordOf(sent);
    const names = Object.keys(record.headers);
    return found({ ...record, headers: { ...record.headers, [names[at % names.length] as string]: text } });
  });

const anything: fc.Arbitrary<FoundRecord> = fc.record({
  offset: fc.nat(),
  timestamp: fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  key: fc.option(
    fc.oneof(fc.uint8Array(), fc.constant(Buffer.from(evidenceStream))).map((bytes) => Buffer.from(bytes)),
  ),
  value: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  headers: fc
    .array(fc.tuple(fc.constantFrom('ce_id', 'ce_revision', 'ce_digest', 'ce_type', 'ce_writer'), fc.uint8Array()))
    .map((pairs) => new HeadersInMemory(pairs.map(([name, bytes]) => [name, Buffer.from(bytes)]))),
});

describe('a record of anybody', () => {
  it('is an event with a place that can be counted to, or is said to be none, and never fails', () => {
    const placing = new Placing();
    fc.assert(
      fc.property(fc.oneof(spoiled, anything), (record) => {
        const placed = placing.placedIn(record);
        if (typeof placed === 'string') {
          expect(placed).toMatch(/^its |^the header /);
        } else {
          expect(Number.isSafeInteger(placed.revision)).toBe(true);
          expect(() => new Date(record.timestamp).toISOString()).not.toThrow();
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, Partial<OutgoingRecord>]>([
    ['its key is no stream', { key: 'elsewhere' }],
    ['its timestamp is no time', { timestamp: -1 }],
    ['its timestamp is no time', { timestamp: 1_767_225_600_000_000_000 }],
  ])('is none: %s', (why, others) => {
    const sent = { body: '', recordedMs: 0, revision: 0, digest: sha256(''), stream: notesStream, previous: null };
    const said = { id: '00000000-0000-0000-0000-000000000000', type: 'RunAnnotated', at: '', actor: 'human/ada' };
    const record = recordOf({ ...sent, writer: null, event: said });
    expect(new Placing().placedIn(found({ ...record, ...others }))).toBe(why);
  });

  it('is told apart from the one before it, also under the same or another key', () => {
    const placing = new Placing();
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            outgoing.map((sent) => found(recordOf(sent))),
            spoiled,
            anything,
          ),
        ),
        (records) => {
          for (const record of records) expect(placing.placedIn(record)).toEqual(new Placing().placedIn(record));
        },
      ),
    );
  });
});
