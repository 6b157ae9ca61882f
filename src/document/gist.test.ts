import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes, readEvent } from '../../schemas/catalogue.ts';
import { gist } from './gist.ts';

const golden = new URL('../../schemas/golden/', import.meta.url);

function gistOf(name: string): string {
  const { event } = JSON.parse(readFileSync(new URL(name, golden), 'utf8')) as {
    event: { type: string; version: number; stage: number | null; data: unknown };
  };
  return gist(readEvent(event.type, event.version, event.data), event.stage);
}

describe('the gist of an event', () => {
  it.each(readdirSync(golden))('%s is a short line', (name) => {
    const text = gistOf(name);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text).not.toMatch(/undefined|null|\[object|[0-9a-f]{32}/);
  });

  it('of a rollout is its outcome', () => {
    const data = {
      environment: 'lake',
      split: 'probe',
      policy: 'p',
      outcome: 'failed',
      failureClass: 'hole',
      reward: 0.1234567,
      family: '8',
    };
    expect(gist(readEvent('RolloutRecorded', 1, data), 1)).toBe('failed, hole, reward 0.1235, family 8, probe');
    const noReward = { ...data, reward: { value: null, reason: 'timeout' } };
    expect(gist(readEvent('RolloutRecorded', 1, noReward), 1)).toContain('no reward: timeout');
  });

  it('of a decision lists its changes', () => {
    expect(gistOf('ConfigAdopted.v1.json')).toMatch(/^for stage 3, 5\.hole 0\.3 → 0\.2, 5\.data /);
  });

  it('of an unknown type or version says so', () => {
    expect(gist(readEvent('Unheard', 1, { a: 1, b: 'two' }), null)).toBe(
      'version 1 of a type not known here: a 1, b two',
    );
    expect(gist(readEvent('RunAnnotated', 99, { note: 'x' }), null)).toBe('version 99, not known here: note x');
  });

  it('of data that violate their type shows the data in one short line', () => {
    expect(gist(readEvent('FailureRecorded', 1, { outcome: 'hole', failures: 'many' }), 1)).toBe(
      'not as its type declares: outcome hole, failures many',
    );
    fc.assert(
      fc.property(fc.constantFrom(...eventTypes.keys()), fc.dictionary(fc.string(), fc.jsonValue()), (type, data) => {
        const text = gist(readEvent(type, 1, data), null);
        expect(text.length).toBeLessThanOrEqual(200);
      }),
    );
    // Any field of a valid event may be missing or have another value.
    for (const name of readdirSync(golden)) {
      const { event } = JSON.parse(readFileSync(new URL(name, golden), 'utf8'));
      for (const key of Object.keys(event.data)) {
        for (const other of [undefined, null, 'x', 7, [], {}, [{}], [null]]) {
          const data = JSON.parse(JSON.stringify({ ...event.data, [key]: other }));
          expect(gist(readEvent(event.type, event.version, data), event.stage).length).toBeLessThanOrEqual(200);
        }
      }
    }
  });
});
