import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventId, eventIds, newRunId, sha256 } from './ids.ts';

const run = fc.oneof(
  fc.constant(null).map(() => newRunId()),
  fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}[a-z0-9]$/),
);
const idOf = fc.record({
  run,
  stage: fc.integer({ min: 0, max: 16383 }),
  kind: fc.integer({ min: 0, max: 255 }),
  index: fc.integer({ min: 0, max: 2 ** 40 - 1 }),
});

describe('the ids icecore makes', () => {
  it('are UUIDs of version 8 and the RFC variant', () => {
    fc.assert(
      fc.property(idOf, (of) => {
        expect(eventId(of)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });

  it('are equal for equal run, stage, kind and index, and differ otherwise', () => {
    fc.assert(
      fc.property(idOf, idOf, (a, b) => {
        const same = a.run === b.run && a.stage === b.stage && a.kind === b.kind && a.index === b.index;
        expect(eventId(a) === eventId(b)).toBe(same);
        expect(eventId({ ...a })).toBe(eventId(a));
      }),
    );
  });

  it('sort by stage, kind and index within a run, so that ids of one stage are neighbours', () => {
    fc.assert(
      fc.property(run, fc.array(idOf, { minLength: 2, maxLength: 20 }), (of, many) => {
        const byParts = many
          .map((one) => ({ ...one, run: of }))
          .sort((a, b) => a.stage - b.stage || a.kind - b.kind || a.index - b.index)
          .map(eventId);
        expect([...byParts].sort()).toEqual(byParts);
      }),
    );
  });

  it('keep all 60 bits of a run', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 0, max: 4 }), (place, bit) => {
        const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
        const one = '0'.repeat(place) + alphabet[1 << bit] + '0'.repeat(11 - place);
        const ids = eventIds({ run: one, stage: 0, kind: 0 });
        expect(ids(0)).not.toBe(eventId({ run: '0'.repeat(12), stage: 0, kind: 0, index: 0 }));
        expect(
          BigInt(
            `0x${ids(0)
              .replaceAll('-', '')
              .replace(/^(.{12})8(.{3}).*$/, '$1$2')}`,
          ),
        ).toBe(1n << BigInt((11 - place) * 5 + bit));
      }),
    );
  });

  it.each([
    ['stage', { stage: 16384, kind: 1 }, 0],
    ['kind', { stage: 1, kind: 256 }, 0],
    ['index', { stage: 1, kind: 1 }, 2 ** 40],
    ['index', { stage: 1, kind: 1 }, 1.5],
  ])('refuse a %s that does not fit', (what, of, index) => {
    expect(() => eventId({ run: 'a', ...of, index })).toThrow(new RegExp(`the ${what} of an id`));
  });
});

describe('a new run', () => {
  it('gets 12 random characters of base 32 that do not repeat', () => {
    const many = Array.from({ length: 1000 }, newRunId);
    expect(new Set(many).size).toBe(1000);
    for (const id of many) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{12}$/);
  });
});

it('a digest is SHA-256 over UTF-8', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('é')).toBe(sha256(new Uint8Array([0xc3, 0xa9])));
});
