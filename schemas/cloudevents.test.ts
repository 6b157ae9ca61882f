import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeOf, BadCloudEvent, fromCloudEvent, isAttribute, isCloudEvent, toCloudEvent } from './cloudevents.ts';
import type { RecordedEvent } from './envelope.ts';
import { runIdPattern } from './streams.ts';

const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
const run = fc.stringMatching(runIdPattern);
const revision = fc.oneof(fc.nat(), fc.maxSafeNat());
const text = fc.string({ unit: 'grapheme' });

const recorded: fc.Arbitrary<RecordedEvent> = fc.record({
  id: fc.uuid(),
  stream: run.map((id) => `run-${id}`),
  revision,
  type: fc.constantFrom('RolloutRecorded', 'RunStarted', 'icecore.Odd', 'Unheard'),
  version: fc.integer({ min: 1, max: 9 }),
  at: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  actor: fc
    .tuple(fc.stringMatching(/^[a-z][a-z0-9-]*$/), text)
    .map(([kind, who]) => `${kind}/x${who.replace(/\s/g, '')}`),
  run: fc.option(run),
  stage: fc.option(fc.integer({ min: 1, max: 16383 })),
  causes: fc.array(
    fc.oneof(
      fc.record({ event: fc.uuid() }),
      fc.record({ stream: fc.constant('evidence-x-1-0-0'), from: fc.nat(), to: fc.nat(), root: digest }),
    ),
    { maxLength: 3 },
  ),
  data: fc.jsonValue(),
  previous: fc.option(digest),
  recordedAt: fc.constant('2026-01-02T03:04:05.678Z'),
  digest,
});

const event = fc.sample(recorded, { numRuns: 1, seed: 1 })[0] as RecordedEvent;
const cloud = toCloudEvent(event);

/** The event before its conversion to a CloudEvent, with omitted fields restored. */
function back(value: object): Record<string, unknown> {
  const fields = fromCloudEvent(JSON.parse(JSON.stringify(value)));
  return { run: null, stage: null, causes: [], ...fields };
}

describe('an event as a CloudEvent', () => {
  it('converts back to the same event', () => {
    fc.assert(
      fc.property(recorded, (one) => {
        expect(back(toCloudEvent(one))).toEqual(JSON.parse(JSON.stringify(one)));
      }),
    );
  });

  it('follows the specification', () => {
    fc.assert(
      fc.property(recorded, (one) => {
        for (const [name, value] of Object.entries(toCloudEvent(one))) {
          expect(name).toMatch(/^[a-z0-9]{1,20}$/);
          if (name === 'data') continue;
          expect(['string', 'number', 'boolean']).toContain(typeof value);
          if (typeof value === 'number') expect(Math.abs(value)).toBeLessThan(2 ** 31);
          if (typeof value === 'string') expect(value).not.toMatch(/^$|[\p{Cc}\p{Cs}]/u);
        }
      }),
    );
  });

  it('has a source that is a relative URI reference', () => {
    fc.assert(
      fc.property(recorded, (one) => {
        const { source } = toCloudEvent(one);
        expect(source).toMatch(/^[A-Za-z0-9\-._~!$&'()*+,;=@/%]+(?::|[A-Za-z0-9\-._~!$&'()*+,;=@/%])*$/);
        expect(source).not.toMatch(/%(?![0-9A-F]{2})/);
        expect(new URL(source, 'https://example.org/').origin).toBe('https://example.org');
      }),
    );
  });

  it('has an attribute for every field', () => {
    for (const field of Object.keys(event)) expect(isAttribute(attributeOf(field)), field).toBe(true);
  });

  it('is recognised by its specversion', () => {
    expect(isCloudEvent(cloud)).toBe(true);
    expect(isCloudEvent(event)).toBe(false);
  });
});

describe('a CloudEvent of another producer', () => {
  it('may omit the attributes that only icecore defines', () => {
    const { specversion, id, source, type, subject, data } = cloud;
    const fields = fromCloudEvent({ specversion, id, source, type, subject, data });
    expect(Object.keys(fields).sort()).toEqual(['actor', 'data', 'id', 'stream', 'type']);
  });

  it('may omit the prefix of its type, write integers as text, and have attributes without a value', () => {
    const fields = fromCloudEvent({ ...cloud, type: 'RunStarted', stage: '7', revision: '12', run: null });
    expect(fields).toMatchObject({ type: 'RunStarted', stage: 7, revision: 12 });
    expect(fields).not.toHaveProperty('run');
  });

  it.each([
    [{ specversion: '0.3' }, 'specversion', '"1.0"'],
    [{ datacontenttype: 'text/xml' }, 'datacontenttype', '"application/json"'],
    [{ data_base64: 'AAAA' }, 'data_base64', 'data as JSON, in `data`'],
    [{ subjekt: 'x' }, 'subjekt', '"subject", perhaps'],
    [{ constructor: 'x' }, 'constructor', 'the attributes'],
    [{ type: 5 }, 'type', 'a text'],
    [{ source: 'human/%E0%A4%A' }, 'source', 'a URI reference with %XX in UTF-8'],
    [{ causes: '[' }, 'causes', 'a list as JSON text'],
    [{ causes: [] }, 'causes', 'a text'],
  ])('is refused with %j', (spoilt, field, allowed) => {
    const taking = (): unknown => fromCloudEvent({ ...cloud, ...spoilt });
    expect(taking).toThrow(BadCloudEvent);
    expect(taking).toThrow(`CloudEvent, ${field}: found `);
    expect(taking).toThrow(allowed);
  });

  it('may have a content type with parameters', () => {
    for (const datacontenttype of [
      'application/json; charset=utf-8',
      'application/vnd.lake+json',
      'Application/JSON',
    ]) {
      expect(fromCloudEvent({ ...cloud, datacontenttype })).toHaveProperty('data');
    }
  });
});
