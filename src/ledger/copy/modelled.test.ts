import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import { noteIn } from '../contract/samples.ts';
import type { Ledger } from '../ledger.ts';
import { CopyBench, eventsOf, streamNames } from './testing/copy-bench.ts';
import { answered, keyOf, proposal, rollout } from './testing/history.ts';

type Step =
  | { readonly kind: 'append'; readonly stream: number; readonly count: number }
  | { readonly kind: 'copy'; readonly to: 'whole' | 'merged' | 'collection'; readonly run: 'a' | 'a-1' | null };

const runs = ['a', 'a-1'] as const;
const places = runs.flatMap((run) => [`run-${run}`, `evidence-${run}-1-0-0`, `evidence-${run}-1-1-0`, `notes-${run}`]);
const answers = runs.map((run) => `answer-${keyOf(run)}`);
const streams = [...places, ...answers];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    stream: fc.nat({ max: streams.length - 1 }),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('copy' as const), to: fc.constant('whole' as const), run: fc.constant(null) }),
  fc.record({
    kind: fc.constant('copy' as const),
    to: fc.constant('merged' as const),
    run: fc.constantFrom(null, ...runs),
  }),
  fc.record({
    kind: fc.constant('copy' as const),
    to: fc.constant('collection' as const),
    run: fc.constantFrom(...runs),
  }),
);

function eventFor(stream: string, index: number) {
  if (stream.startsWith('evidence-')) return rollout(stream, index);
  if (stream.startsWith('notes-')) return noteIn(stream, index);
  const run = stream.slice('run-'.length);
  if (stream.startsWith('run-')) return proposal(run, index, [run]);
  const asked = runs[answers.indexOf(stream)] ?? '';
  return { ...answered(asked), id: noteIn(`notes-${asked}`, 1000 + index).id };
}

/** The streams of a run, and its answer once a decision cites it. */
async function streamsOf(run: string, original: Ledger): Promise<string[]> {
  const names = await streamNames(original);
  const decided = names.includes(`run-${run}`) ? [`answer-${keyOf(run)}`] : [];
  const own = places.slice(runs.indexOf(run as 'a') * 4).slice(0, 4);
  return [...own, ...decided].filter((name) => names.includes(name)).sort();
}

describe('appends and copies in any order', () => {
  it('leave each copy equal to the original, stream by stream, and a copy of everything in its order', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const bench = new CopyBench();
        try {
          await follow(bench, steps);
        } finally {
          await bench.close();
        }
      }),
      { numRuns: tries(60) },
    );
  });
});

async function follow(bench: CopyBench, steps: readonly Step[]): Promise<void> {
  const original = await bench.ledger('original');
  const targets = { merged: await bench.ledger('merged'), collection: await bench.ledger('collection') };
  const counts = streams.map(() => 0);
  for (const one of steps) {
    if (one.kind === 'append') {
      const from = counts[one.stream] ?? 0;
      const stream = streams[one.stream] ?? '';
      const events = Array.from({ length: one.count }, (_, i) => eventFor(stream, from + i));
      await original.append(stream, events, { expect: from - 1 < 0 ? 'none' : from - 1 });
      counts[one.stream] = from + one.count;
      continue;
    }
    if (one.run !== null && (await streamsOf(one.run, original)).length === 0) continue;
    await bench.copy('original', one.to, { run: one.run, extend: true });
    if (one.to === 'whole') {
      expect(await eventsOf(await bench.ledger('whole'))).toEqual(await eventsOf(original));
      continue;
    }
    const wanted = one.run === null ? await streamNames(original) : await streamsOf(one.run, original);
    for (const stream of wanted) {
      expect(await eventsOf(targets[one.to], stream)).toEqual(await eventsOf(original, stream));
    }
  }
  for (const target of Object.values(targets)) {
    for (const stream of await streamNames(target)) {
      const copied = await eventsOf(target, stream);
      expect(copied).toEqual((await eventsOf(original, stream)).slice(0, copied.length));
    }
  }
}
