// Events on the server: the bytes that were hashed come back as they were, whatever JSON does with them on the way.
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { Proposed } from './messages.ts';
import { StreamNames, settingsOf } from './streams.ts';
import { foundIn, proposedOf } from './wire.ts';

const id = '00000000-0000-4000-8000-000000000001';
const names = new StreamNames('lab');
const event = { id, type: 'RunAnnotated', run: 'calm', causes: [] };
const digest = 'd'.repeat(64);

/** What the server answers of an event that was sent to it. */
function answered(sent: Proposed): streams.ReadResp {
  const { RecordedEvent } = streams.ReadResp.ReadEvent;
  const recorded = new RecordedEvent();
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(names.onServer('notes-calm')));
  const uuid = new shared.UUID();
  uuid.setString(sent.id);
  recorded.setStreamIdentifier(identifier);
  recorded.setId(uuid);
  recorded.setStreamRevision('3');
  recorded.setCommitPosition('77');
  recorded.setPreparePosition('77');
  recorded.setData(sent.data);
  recorded.setCustomMetadata(sent.metadata);
  recorded.getMetadataMap().set('type', sent.type).set('content-type', 'application/json').set('created', '50000');
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  const answer = new streams.ReadResp();
  answer.setEvent(event);
  return streams.ReadResp.deserializeBinary(answer.serializeBinary());
}

function metadataOf(sent: Proposed): unknown {
  return JSON.parse(sent.metadata.toString());
}

describe('an event on the server', () => {
  it('comes back in the bytes that were hashed, whatever they are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
        const body = canonicalJson(value);
        const found = foundIn(answered(proposedOf({ body, digest, event, recordedMs: null })), names);
        expect(found).toMatchObject({ kind: 'event', body, digest, position: 77, revision: 3, recordedMs: 5 });
      }),
      { numRuns: 200 },
    );
  });

  it('has an id there that is made of all that was hashed, and its own in the ledger', () => {
    const one = proposedOf({ body: '{}', digest, event, recordedMs: null });
    const other = proposedOf({ body: '{}', digest: 'e'.repeat(64), event, recordedMs: null });
    expect(one.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(other.id).not.toBe(one.id);
    expect(foundIn(answered(one), names)).toMatchObject({ id: id.replaceAll('-', '') });
  });

  it('that comes from another ledger keeps the moment it was recorded', () => {
    const sent = proposedOf({ body: '{}', digest, event, recordedMs: 1_700_000_000_123 });
    expect(foundIn(answered(sent), names)).toMatchObject({ recordedMs: 1_700_000_000_123 });
  });

  it('says what belongs together and what came of what, as the server knows it', () => {
    const causes = [{ stream: 'evidence-calm-1-0-0', from: 0, to: 3, root: 'r' }, { event: 'cause' }];
    expect(metadataOf(proposedOf({ body: '{}', digest, event: { ...event, causes }, recordedMs: null }))).toEqual({
      id,
      digest,
      $correlationId: 'calm',
      $causationId: 'cause',
    });
  });
});

describe('the streams of a ledger on the server', () => {
  it('begin with its prefix, and up to the first dash with their category', () => {
    expect(names.onServer('run-calm-otter')).toBe('lab.run-calm-otter');
    expect(names.inLedger('lab.run-calm-otter')).toBe('run-calm-otter');
  });

  for (const other of ['lab2.run-calm', 'lab.two.run-calm', 'run-calm', 'lab.orders-1', '$$lab.run-calm', 'lab.run-']) {
    it(`are not those of others: ${other}`, () => expect(names.inLedger(other)).toBeNull());
  }

  it('have settings in streams beside them', () => {
    expect(settingsOf('$$lab.run-calm')).toBe('lab.run-calm');
    expect(settingsOf('lab.run-calm')).toBeNull();
  });
});
