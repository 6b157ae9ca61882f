import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger } from '../open.ts';
import { copyLedger } from './copy.ts';
import { CopyBench, eventsOf } from './testing/copy-bench.ts';
import { answered, keyOf, proposal, rollout, started } from './testing/history.ts';

let bench: CopyBench;
beforeEach(() => {
  bench = new CopyBench();
});
afterEach(() => bench.close());

const noBlobs = { has: async () => false, put: async () => {}, erase: async () => {} };

/** The same ledger, counting the requests to it. */
function counted(ledger: Ledger): { ledger: Ledger; asked: () => number } {
  let asked = 0;
  const counting = new Proxy(ledger, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        asked++;
        return member.apply(target, args);
      };
    },
  });
  return { ledger: counting, asked: () => asked };
}

/** The number of requests to the original while this number of growing streams is copied into a ledger with other events. */
async function askedFor(streams: number): Promise<number> {
  const original = await bench.ledger(`original-${streams}`);
  const names = Array.from({ length: streams }, (_, shard) => streamOf.evidence('a', 1, shard, 0));
  for (const name of names) await original.append(name, [rollout(name, 0), rollout(name, 1)], { expect: 'none' });
  const { ledger, asked } = counted(await openLedger(original.url, { readOnly: true }));
  const to = await bench.ledger(`other-${streams}`);
  let hasGrown = false;
  const onProgress = async () => {
    if (hasGrown) return;
    hasGrown = true;
    for (const name of names)
      await original.append(
        name,
        [2, 3, 4, 5].map((index) => rollout(name, index)),
        { expect: 1 },
      );
  };
  const { proof } = await copyLedger(
    { from: ledger, to, fromBlobs: null, toBlobs: noBlobs },
    { run: null, onProgress },
  );
  await ledger.close();
  expect(proof).toMatchObject({ events: streams * 2, streams });
  return asked();
}

describe('a ledger with many streams', () => {
  it('needs a number of requests proportional to the number of streams', async () => {
    const [few, many] = [await askedFor(50), await askedFor(200)];
    expect(many).toBeLessThan(few * 4.2);
  });

  it('copies a run of many shards and answers in its order', async () => {
    const original = await bench.ledger('original');
    await original.append('run-a', [started('a', 'a')], { expect: 'none' });
    for (let shard = 0; shard < 300; shard++) {
      const evidence = streamOf.evidence('a', 1, shard % 150, 0);
      await original.append(evidence, [rollout(evidence, shard)], { expect: 'any' });
      await original.append(streamOf.answer(keyOf(`${shard}?`)), [answered(`${shard}?`)], { expect: 'none' });
      await original.append('run-a', [proposal('a', shard, [`${shard}?`])], { expect: 'exists' });
    }
    expect(await bench.copy('original', 'copy', { run: 'a' })).toMatchObject({ copied: 901, proof: { streams: 451 } });
    const copy = await eventsOf(await bench.ledger('copy'));
    const isAnswer = ({ stream }: { stream: string }) => stream.startsWith('answer-');
    const own = (await eventsOf(original)).filter((event) => !isAnswer(event));
    expect(copy.filter((event) => !isAnswer(event))).toEqual(own);
  });
});
