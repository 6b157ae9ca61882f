// Events on the server: other programs can read their fields, and the hashed bytes are reconstructed exactly.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { sha256 } from '../identity/ids.ts';
import type { OutgoingEvent } from '../remote/log.ts';
import {
  arrivedOf,
  compare,
  idOnServer,
  positionText,
  proposalOf,
  type ServerRecord,
  StreamNames,
  serverPosition,
} from './wire.ts';

const names = new StreamNames('lab');
const id = '00000000-0000-4000-8000-000000000001';
const envelope = {
  actor: 'human/ada',
  at: '2026-01-02T03:04:05.678Z',
  causes: [{ event: id.replace('1', '2') }],
  id,
  previous: null,
  revision: 3,
  run: 'calm',
  stage: null,
  stream: 'notes-calm',
  type: 'RunAnnotated',
  version: 1,
};

function outgoing(fields: object, recordedMs: number | null = null): OutgoingEvent {
  const body = canonicalJson({ ...envelope, ...fields });
  return { revision: 3, body, digest: sha256(body), recordedMs };
}

/** The event as the client reads it after it was sent. */
function recordOf(sent: OutgoingEvent, changes: Partial<ServerRecord> = {}): ServerRecord {
  const { type, data, metadata } = proposalOf(sent);
  const [written, facts]: unknown[] = [data, metadata].map((value) => JSON.parse(JSON.stringify(value)));
  const position = { commit: 77n, prepare: 77n };
  const streamId = names.onServer('notes-calm');
  const record = { streamId, revision: 3n, type, created: new Date(5), data: written, metadata: facts, position };
  return { ...record, ...changes };
}

describe('an event on the server', () => {
  it('is reconstructed in the hashed bytes, for any data and envelope', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.stringMatching(/^x[a-z]*$/), fc.jsonValue()), (data, more) => {
        const sent = outgoing({ data, ...more });
        const event = { stream: 'notes-calm', revision: 3, id, body: sent.body, digest: sent.digest, recordedMs: 5 };
        expect(arrivedOf(recordOf(sent), names)).toMatchObject({ kind: 'event', position: '77', event });
      }),
      { numRuns: 200 },
    );
  });

  it('has its own fields as data, the rest of its envelope as metadata, and causation ids for the server', () => {
    const { data, metadata, type } = proposalOf(outgoing({ data: { note: 'a' } }));
    expect({ data, type }).toEqual({ data: { note: 'a' }, type: 'RunAnnotated' });
    const causation = { $correlationId: 'calm', $causationId: id.replace('1', '2') };
    expect(metadata).toMatchObject({ id, actor: 'human/ada', previous: null, run: 'calm', ...causation });
    expect(metadata).not.toHaveProperty('data');
  });

  it('has a server id that is derived from its digest', () => {
    const [one, other] = [outgoing({ data: 1 }), outgoing({ data: 2 })].map((sent) => proposalOf(sent).id);
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(one).toBe(idOnServer(outgoing({ data: 1 }).digest));
    expect(other).not.toBe(one);
  });

  it('keeps the time of its original when copied', () => {
    const arrived = arrivedOf(recordOf(outgoing({ data: {} }, 1_234_567)), names);
    expect(arrived).toMatchObject({ event: { recordedMs: 1_234_567 } });
  });
});

describe('a record that is not an event of the ledger', () => {
  const sent = outgoing({ data: { note: 'a' } });
  it.each<[string, Partial<ServerRecord>]>([
    ['other data', { data: { note: 'b' } }],
    ['data that is not JSON', { data: new Uint8Array([1]) }],
    ['another type', { type: 'Redacted' }],
    ['another revision', { revision: 4n }],
    ['another stream', { streamId: names.onServer('notes-other') }],
    ['no metadata', { metadata: undefined }],
    ['metadata that is not JSON', { metadata: new Uint8Array([1]) }],
    ['metadata of another program', { metadata: { digest: 'd'.repeat(64) } }],
  ])('is rejected: %s', (_, changes) => {
    expect(arrivedOf(recordOf(sent, changes), names)).toMatchObject({ kind: 'foreign' });
  });

  it('is ignored in a stream of others, and read as settings in a metadata stream', () => {
    expect(arrivedOf(recordOf(sent, { streamId: 'orders-1' }), names)).toBeNull();
    const settings = { streamId: `$$${names.onServer('notes-calm')}`, data: { $maxCount: 1 } };
    expect(arrivedOf(recordOf(sent, settings), names)).toMatchObject({ kind: 'settings', losing: '$maxCount is 1' });
  });
});

describe('a position', () => {
  const place = fc.record({
    commit: fc.bigInt({ min: 0n, max: 2n ** 62n }),
    prepare: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  });

  it('is converted to text and back, and ordered as on the server', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(serverPosition(positionText(a))).toEqual(a);
        const isBefore = a.commit < b.commit || (a.commit === b.commit && a.prepare < b.prepare);
        expect(compare(positionText(a), positionText(b)) < 0).toBe(isBefore);
      }),
    );
  });

  it.each(['', 'x', '-1', '1/', '1/2/3', '99999999999999999999'])('is not read from the text "%s"', (text) => {
    expect(() => serverPosition(text)).toThrow('another form');
  });
});
