import fc from 'fast-check';
import type { KafkaMessage, Message } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { sha256 } from '../identity/ids.ts';
import type { OutgoingEvent } from '../remote/log.ts';
import { eventIn, messageOf, streamOfKey } from './wire.ts';

const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
const envelope = fc.record({
  actor: fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.toWellFormed()),
  at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  causes: fc.array(
    fc.oneof(
      fc.record({ event: fc.uuid() }),
      fc.record({ stream: fc.constant('evidence-r-1-0-0'), from: fc.nat(), to: fc.nat(), root: digest }),
    ),
  ),
  data: fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('id', 'data', 'causes', ',"data":', ',"id":"', '"')),
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).toWellFormed())),
  ),
  id: fc.uuid(),
  previous: fc.option(digest),
  revision: fc.nat(),
  run: fc.option(fc.stringMatching(/^[a-z0-9]([a-z0-9._-]{0,20}[a-z0-9])?$/)),
  stage: fc.option(fc.nat({ max: 10_000 })),
  stream: fc.stringMatching(/^evidence-[a-z0-9]{1,12}-[1-9]-[1-9]-[1-9]$/),
  type: fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,20}$/),
  version: fc.integer({ min: 1, max: 1_000 }),
});

function outgoing(members: { readonly revision: number }): OutgoingEvent {
  const body = canonicalJson(members);
  return { revision: members.revision, body, digest: sha256(body), recordedMs: 1_700_000_000_000 };
}

/** As returned by a consumer of kafkajs. */
function asFound({ key, value, headers = {}, timestamp = '0' }: Message): KafkaMessage {
  return {
    key: Buffer.from(key ?? ''),
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(String(text))])),
    ...{ timestamp, attributes: 0, offset: '0' },
  };
}

const sample = outgoing({
  ...{ actor: 'producer/a', at: '2026-01-02T03:04:05.678Z', causes: [], data: { reward: 1 }, previous: null },
  ...{ id: '00000000-0000-8000-8000-000000000001', revision: 3, run: 'r', stage: 1, stream: 'evidence-r-1-0-0' },
  ...{ type: 'RolloutRecorded', version: 1 },
});

function changed(change: Partial<KafkaMessage>): KafkaMessage {
  return { ...asFound(messageOf('evidence-r-1-0-0', sample, 0)), ...change } as KafkaMessage;
}

function withHeader(name: string, value: string | null): KafkaMessage {
  const { headers, ...found } = changed({});
  const others = Object.fromEntries(Object.entries(headers ?? {}).filter(([other]) => other !== name));
  const more = value === null ? {} : { [name]: Buffer.from(value) };
  return { ...found, headers: { ...others, ...more } } as KafkaMessage;
}

describe('an event as a Kafka record', () => {
  it('is read as the same event, for any content', () => {
    fc.assert(
      fc.property(envelope, (members) => {
        const event = outgoing(members);
        const message = messageOf(members.stream, event, 2);
        expect(message).toMatchObject({ key: members.stream, partition: 2, value: canonicalJson(members.data) });
        expect(streamOfKey(Buffer.from(members.stream))).toBe(members.stream);
        const { stream, revision, type, id } = members;
        expect(eventIn(stream, asFound(message))).toEqual({
          ...{ stream, revision, type, id, recordedMs: event.recordedMs, digest: event.digest, body: event.body },
          position: '',
        });
      }),
    );
  });

  it('is a CloudEvent in binary mode', () => {
    expect(messageOf('evidence-r-1-0-0', sample, 0).headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: '00000000-0000-8000-8000-000000000001',
      ce_source: 'producer/a',
      ce_type: 'icecore.RolloutRecorded',
      ce_time: '2026-01-02T03:04:05.678Z',
      ce_subject: 'evidence-r-1-0-0',
      ce_schemaversion: '1',
      ce_revision: '3',
      ce_run: 'r',
      ce_stage: '1',
      ce_digest: sample.digest,
    });
  });

  it('is not written if it would be read as another event', () => {
    const body = sample.body.replace('"version":1', '"version":1,"wish":2');
    expect(() => messageOf('evidence-r-1-0-0', { ...sample, body }, 0)).toThrow(/is not that of an event/);
    expect(() => messageOf('evidence-r-1-0-1', sample, 0)).toThrow(/is not that of an event/);
  });

  it.each([
    ['no value', changed({ value: null })],
    ['a value that is not an object', changed({ value: Buffer.from('nonsense') })],
    ['other data', changed({ value: Buffer.from('{"reward":2}') })],
    ['bytes that are not text', changed({ value: Buffer.from('7bff7d', 'hex') })],
    ['a negative time', changed({ timestamp: '-1' })],
    ['no headers', changed({ headers: {} })],
    ['another id', withHeader('ce_id', '00000000-0000-8000-8000-000000000002')],
    ['no id', withHeader('ce_id', null)],
    ['another revision', withHeader('ce_revision', '4')],
    ['an invalid revision', withHeader('ce_revision', '-1')],
    ['another digest', withHeader('ce_digest', sha256('another'))],
    ['a type of another program', withHeader('ce_type', 'com.example.Thing')],
    ['a time with quotes in it', withHeader('ce_time', '","causes":[]')],
    ['a run with quotes in it', withHeader('ce_run', '","x":"')],
    ['an invalid stage', withHeader('ce_stage', '1.5')],
    ['a source that is not a URI', withHeader('ce_source', '%zz')],
    ['an invalid version', withHeader('ce_schemaversion', '0x1')],
    ['an invalid previous digest', withHeader('ce_previous', 'f')],
    ['other causes', withHeader('ce_causes', '[{}]')],
    ['a header twice', changed({ headers: { ce_id: [Buffer.from('a'), Buffer.from('b')] } })],
  ])('is not an event with %s', (_, record) => {
    expect(eventIn('evidence-r-1-0-0', record)).toEqual(expect.any(String));
  });

  it.each(['', 'run-r', 'nobody', 'evidence-r-1-0', '\u0000'])('is not an event under the key %j', (key) => {
    expect(streamOfKey(Buffer.from(key))).toBeNull();
    expect(streamOfKey(null)).toBeNull();
  });
});
