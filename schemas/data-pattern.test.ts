import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson as inCanonicalJson } from './canonical.ts';
import { checkEvent, eventTypes } from './catalogue.ts';
import { dataPattern } from './data-pattern.ts';
import { parseJson } from './json-text.ts';
import { valuesOf } from './testing/arbitrary.ts';
import { golden, goldenFiles } from './testing/golden.ts';
import { mutated } from './testing/mutation.ts';
import { nearlyCanonical } from './testing/nearly-canonical.ts';
import { tries } from './testing/tries.ts';
import { namesBlobs } from './texts.ts';

const patterned = [...eventTypes.values()].flatMap((declared) => {
  const pattern = dataPattern(declared.type);
  return pattern === null ? [] : [{ type: declared.type, declared, pattern }];
});

interface Written {
  readonly actor: unknown;
  readonly at: unknown;
  readonly causes: unknown;
  readonly data: unknown;
}

/** As the ledger writes it, except for numbers and texts that need its own code. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inside: unknown) => {
    if (typeof inside !== 'object' || inside === null || Array.isArray(inside)) return inside;
    return Object.fromEntries(Object.entries(inside).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The text before `,"id":…`. */
const beginning = ({ actor, at, causes, data }: Written): string =>
  canonicalJson({ actor, at, causes, data }).slice(0, -1);

const recorded = {
  environment: 'lake',
  task: { digest: 'ab'.repeat(32) },
  split: 'train',
  policy: 'neural',
  prompt: { text: 'Go to "B",\n then\\wait 😀' },
  completion: { text: '' },
  outcome: 'hole',
  reward: -0.25,
  rewards: { valid: 0, speed: { value: null, reason: 'not run' } },
  answer: ['RRD', 'L'],
  tokens: { input: 12, output: 1e6 },
  seed: '12345678901234567890',
  details: { kind: 'lake/plan', content: { arrival: [3, 4], blocked: 0 } },
  measured: { seconds: 1.25e-7 },
};

describe('the pattern for the text of an event', () => {
  it('exists for high-volume evidence', () => {
    expect(patterned.map(({ type }) => type)).toEqual(['RolloutRecorded', 'FailureRecorded']);
  });

  it('matches the rollouts of trainers', () => {
    const event = { actor: 'producer/rollouts', at: '2026-01-02T03:04:05.678Z', causes: [], data: recorded };
    expect(dataPattern('RolloutRecorded')?.test(beginning(event))).toBe(true);
    for (const file of ['RolloutRecorded.v1.minimal', 'FailureRecorded.v1', 'FailureRecorded.v1.minimal']) {
      const { event: written } = golden(file);
      expect(dataPattern(written.type)?.test(beginning(written)), file).toBe(true);
    }
  });

  it.each(patterned)(
    'at $type passes nothing that may not be written, and nothing that names a blob',
    ({ type, declared, pattern }) => {
      const file = goldenFiles.find((name) => name.startsWith(`${type}.`)) ?? '';
      const { stream, event } = golden(file);
      const good = { ...event, data: {} };
      const data = declared.versions.at(-1);
      if (data === undefined) throw new Error('no version');
      const values = fc
        .oneof(valuesOf(data), fc.constant(event.data))
        .chain((value) => fc.oneof(fc.constant(value), mutated(value)));
      fc.assert(
        fc.property(values, (value) => {
          const written = { ...good, data: value };
          if (!pattern.test(beginning(written as Written))) return;
          expect(checkEvent(stream, written)).toEqual([]);
          expect(namesBlobs(type, declared.versions.length, value)).toBe(false);
        }),
        { numRuns: tries(1500) },
      );
    },
  );

  it('matches no text that is not a single event', () => {
    const { event } = golden('RolloutRecorded.v1.minimal');
    const text = beginning(event);
    const pattern = dataPattern('RolloutRecorded');
    const characters = fc.constantFrom('"', '\\', ',', ':', '{', '}', '[', ']', ' ', '0', 'e', '\n', 'é', '\u0000');
    fc.assert(
      fc.property(fc.nat(text.length), characters, fc.integer({ min: 0, max: 2 }), (at, character, taken) => {
        const other = text.slice(0, at) + character + text.slice(at + taken);
        if (pattern?.test(other) !== true) return;
        const { actor, at: when, causes, data } = JSON.parse(`${other}}`) as Written;
        expect(checkEvent('evidence-x-1-0-0', { ...event, actor, at: when, causes, data, run: 'x', stage: 1 })).toEqual(
          [],
        );
      }),
      { numRuns: tries(2000) },
    );
  });

  it('matches only canonical JSON', () => {
    const { event } = golden('RolloutRecorded.v1.minimal');
    const pattern = dataPattern('RolloutRecorded');
    let [passed, looked] = [0, 0];
    const maps = { rewards: { a: 1, b: 0.5 }, metrics: { cost: 21, entropy: 0.25 }, measured: { ms: 12 } };
    const data = fc.oneof(fc.constant(recorded), fc.constant({ ...event.data, ...maps }));
    const texts = data.chain((one) =>
      nearlyCanonical({ actor: event.actor, at: event.at, causes: event.causes, data: one }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        looked++;
        if (pattern?.test(text.slice(0, -1)) !== true) return;
        passed++;
        expect(inCanonicalJson(parseJson(text))).toBe(text);
      }),
      { numRuns: tries(3000) },
    );
    expect(passed).toBeGreaterThan(looked / 10);
  });

  it.each([
    ['the same key twice', '"measured":{"ms":1,"ms":1}'],
    ['keys out of order', '"measured":{"s":1,"ms":1}'],
    ['keys that JavaScript puts in order', '"measured":{"9":1,"10":1}'],
    ['a number with an exponent', '"measured":{"ms":2.10e1}'],
    ['minus zero', '"measured":{"ms":-0}'],
    ['more digits than a number has', '"measured":{"ms":0.10000000000000001}'],
    ['another escape', '"measured":{"says":"\\u000a"}'],
    ['half a character', '"measured":{"says":"\ud800"}'],
  ])('does not pass %s', (_, member) => {
    const { event } = golden('RolloutRecorded.v1.minimal');
    const text = beginning({ ...event, data: { ...event.data, measured: 'HERE' } });
    const pattern = dataPattern('RolloutRecorded');
    expect(pattern?.test(text.replace('"measured":"HERE"', '"measured":{"ms":1,"s":0.1}'))).toBe(true);
    expect(pattern?.test(text.replace('"measured":"HERE"', member))).toBe(false);
  });
});
