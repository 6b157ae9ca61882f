import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { differences } from './sameness.ts';

const event = {
  actor: 'producer/rollouts',
  at: '2026-11-21T10:00:00Z',
  causes: [],
  data: { outcome: 'valid', reward: 1.2, measured: { ms: 12 } },
  id: '0190b3a5-0000-8000-8000-000000000001',
  previous: null,
  revision: 4,
  run: 'a',
  stage: 1,
  stream: 'evidence-a-1-0-1',
  type: 'RolloutRecorded',
  version: 1,
};
const body = canonicalJson(event);

describe('two events of the same id are the same', () => {
  it.each([
    ['at', { at: '2027-01-01T00:00:00Z' }],
    ['previous', { previous: 'ab'.repeat(32) }],
    ['revision', { revision: 9 }],
    ['data.measured', { data: { ...event.data, measured: { ms: 99, host: 'b' } } }],
    ['nothing', {}],
  ])('if they differ only in %s', (_, change) => {
    expect(differences(body, canonicalJson({ ...event, ...change }))).toEqual([]);
  });

  it('with any measurements and any time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.date({ noInvalidDate: true }), (measured, at) => {
        const again = { ...event, at: at.toISOString(), data: { ...event.data, measured } };
        expect(differences(body, canonicalJson(again))).toEqual([]);
      }),
    );
  });
});

describe('they are not the same', () => {
  it.each([
    ['actor', { actor: 'human/ada' }],
    ['causes', { causes: [{ event: event.id }] }],
    ['run', { run: 'b' }],
    ['stage', { stage: null }],
    ['stream', { stream: 'evidence-a-1-0-2' }],
    ['type', { type: 'FailureRecorded' }],
    ['version', { version: 2 }],
    ['data.reward', { data: { ...event.data, reward: 1.3 } }],
    ['data.tokens', { data: { ...event.data, tokens: { input: 1 } } }],
    ['data.outcome', { data: { reward: 1.2 } }],
  ])('if %s differs, and that field is named', (field, change) => {
    expect(differences(body, canonicalJson({ ...event, ...change }))).toEqual([field]);
  });

  it('if `measured` differs anywhere but directly in data', () => {
    const with_ = (ms: number): string =>
      canonicalJson({ ...event, data: { ...event.data, details: { measured: ms } } });
    expect(differences(with_(1), with_(2))).toEqual(['data.details']);
  });
});
