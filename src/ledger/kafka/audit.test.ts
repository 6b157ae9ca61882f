// What is wrong with a ledger that nobody but the store can see, and what only looks so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidenceStream, note, noteIn, notesStream, rollout, rolloutIn } from '../contract/samples.ts';
import type { StoreFault } from '../ledger.ts';
import { auditLog } from './audit.ts';
import { StreamReading } from './stream-reading.ts';
import { ledgerTopics, onAndOn, PartsInMemory } from './testing/parts-in-memory.ts';
import { partitionsOf } from './topics.ts';
import type { OutgoingRecord } from './transport/transport.ts';

const any = { expect: 'any' } as const;
const otherStream = evidenceStream.replace(/-2-/, '-3-');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** All evidence lies in one partition. */
function opened(topics = ledgerTopics(partitionsOf(1))): PartsInMemory {
  return new PartsInMemory(topics, { partitions: partitionsOf(1) });
}

async function audited({ transport, log: own, cursors }: PartsInMemory): Promise<StoreFault[]> {
  const log = own.with(own.index, join(folder, 'index.db'));
  const reading = new StreamReading(log, cursors);
  const faults: StoreFault[] = [];
  for await (const fault of auditLog(transport, log, reading, { wholly: true, signal: onAndOn })) faults.push(fault);
  return faults;
}

function plain(id: string): string {
  return id.replaceAll('-', '');
}

/** What is sent, as it is changed on the way. */
function changing({ transport }: PartsInMemory, change: (record: OutgoingRecord) => OutgoingRecord): void {
  const produce = transport.produce.bind(transport);
  transport.produce = (topic, partition, records) => produce(topic, partition, records.map(change));
}

describe('the audit of a ledger in Kafka', () => {
  it('finds nothing where all is well, nor where an event was sent again', async () => {
    const topics = ledgerTopics(partitionsOf(1));
    const [parts, other] = [opened(topics), opened(topics)];
    await parts.writing.append(evidenceStream, [rollout(0)], any, onAndOn);
    await parts.writing.append(notesStream, [note(0)], any, onAndOn);
    parts.transport.during('produce', () => other.writing.append(notesStream, [note(1)], any, onAndOn));
    await parts.writing.append(notesStream, [note(2)], any, onAndOn);
    expect(parts.index.refused(parts.lanes.ofStream(notesStream)?.number ?? 0, -1)).toHaveLength(1);
    expect(await audited(parts)).toEqual([]);
  });

  it('tells of what was sent and is nowhere', async () => {
    const parts = opened();
    await parts.writing.append(notesStream, [note(0)], any, onAndOn);
    changing(parts, (record) => ({ ...record, headers: { ...record.headers, ce_revision: '5' } }));
    const stop = new AbortController();
    parts.transport.during('fetch', async () => stop.abort(new Error('enough')));
    await expect(parts.writing.append(notesStream, [note(7)], any, stop.signal)).rejects.toThrow('enough');
    const [fault, ...more] = await audited(parts);
    expect(more).toEqual([]);
    expect(fault?.where).toBe('lab.notes/0 at 1');
    expect(fault?.what).toContain(`event ${plain(note(7).id)}, sent as ${notesStream}@5, does not count`);
  });

  it('tells of an id that stands in two streams, or in one more than once', async () => {
    const parts = opened();
    const { id } = rollout(0);
    await parts.writing.append(evidenceStream, [rollout(0), rollout(1)], any, onAndOn);
    await parts.writing.append(otherStream, [{ ...rolloutIn(otherStream, 0), id }], any, onAndOn);
    changing(parts, (record) => ({ ...record, headers: { ...record.headers, ce_id: rollout(1).id } }));
    await parts.writing.append(evidenceStream, [rollout(2)], any, onAndOn);
    expect(await audited(parts)).toEqual(
      expect.arrayContaining([
        { where: `${evidenceStream} and ${otherStream}`, what: `both have an event with the id ${plain(id)}` },
        { where: evidenceStream, what: `has more than one event with the id ${plain(rollout(1).id)}` },
      ]),
    );
  });

  it('tells of what is no event, of what is packed so that nobody can read it, and whether that was copied', async () => {
    const topics = ledgerTopics(partitionsOf(1));
    const notes = topics.partition('lab.notes', 0);
    const parts = opened(topics);
    await parts.transport.produce('lab.notes', 0, [{ key: 'nobody', value: '', headers: {}, timestamp: 0 }]);
    notes.addUnreadable(7, 'its batch is compressed with snappy');
    const faults = [
      { where: 'lab.notes/0 at 0', what: 'a record that is no event: its key is no stream; COPY' },
      { where: 'lab.notes/0 at 1', what: '7 records that are no event: its batch is compressed with snappy; COPY' },
    ];
    const as = (copy: string): StoreFault[] => faults.map((one) => ({ ...one, what: one.what.replace('COPY', copy) }));
    expect(await audited(parts)).toEqual(as('not copied yet to the rejected: whoever may write to it does so'));
    await parts.rejecting?.copyAll();
    expect(await audited(parts)).toEqual(as('told of among the rejected'));
  });

  it('tells of settings that lose history', async () => {
    const topics = ledgerTopics(partitionsOf(1));
    topics.remove('lab.notes');
    topics.make({ name: 'lab.notes', partitions: 1, replicas: -1, settings: { 'retention.ms': '1000' } });
    const [fault] = await audited(opened(topics));
    expect(fault).toMatchObject({ where: 'lab.notes', what: expect.stringContaining('retention.ms is 1000') });
  });

  it('tells where the index knows another history, as of a topic that was removed and made again', async () => {
    const topics = ledgerTopics(partitionsOf(1));
    const parts = opened(topics);
    await parts.writing.append(notesStream, [note(0), note(1)], any, onAndOn);
    topics.remove('lab.notes');
    topics.make({ name: 'lab.notes', partitions: 1, replicas: -1, settings: {} });
    await opened(topics).writing.append(notesStream, [note(0), note(2)], any, onAndOn);
    const fault = {
      where: notesStream,
      what: expect.stringMatching(/another last event .* delete .*, it is made anew/),
    };
    expect(await audited(parts)).toEqual([fault]);
  });

  it('tells so also where as many events lie there, and not all of the streams that the index knows', async () => {
    const topics = ledgerTopics(partitionsOf(1));
    const parts = opened(topics);
    await parts.writing.append(notesStream, [note(0), note(1), note(2)], any, onAndOn);
    topics.remove('lab.notes');
    topics.make({ name: 'lab.notes', partitions: 1, replicas: -1, settings: {} });
    const { writing } = opened(topics);
    await writing.append(notesStream, [note(0), note(1)], any, onAndOn);
    await writing.append('notes-other', [noteIn('notes-other', 3)], any, onAndOn);
    const what = expect.stringMatching(/another last event .* delete .*, it is made anew/);
    expect(await audited(parts)).toEqual([notesStream, 'notes-other'].map((where) => ({ where, what })));
  });
});
