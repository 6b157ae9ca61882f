// What a ledger in Kafka survives, each a few times; `npm run soak` tries them oftener. The moments are drawn from a seed that stands in
// the name of the tests; with ICECORE_TEST_SEED they are the same again.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { drawnFrom, testSeed } from '../src/base/testing/drawn.ts';
import { benchOn, withOneBroker, withThreeBrokers } from '../src/cli/testing/kafka-faults.ts';
import { evidenceStoreAway } from '../src/cli/testing/store-away.ts';
import { startKafka, whyNoKafka } from '../src/ledger/kafka/testing/broker.ts';
import type { FaultBench } from '../src/ledger/kafka/testing/faults/bench.ts';
import type { Fault } from '../src/ledger/kafka/testing/faults/fault.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'brokers of our own are killed' : whyNoKafka();
const seed = testSeed();
const drawn = drawnFrom(seed);
const often = [1, 2, 3];
/** Three times in one try. */
const once = [1];

describe.skipIf(why !== null)(
  `A ledger in Kafka survives (${why === null ? `seed ${seed}` : `left out: ${why}`})`,
  () => {
    describe('with one broker', () => survived(1, withOneBroker));
    describe('with three brokers', () => survived(3, withThreeBrokers));
  },
);

function survived(brokers: 1 | 3, faults: ReadonlyMap<string, Fault>): void {
  let bench: FaultBench;
  beforeAll(async () => {
    bench = benchOn(await startKafka({ brokers }));
  });
  afterEach(async () => {
    await bench?.closeLedgers();
  });
  afterAll(async () => {
    // Where it did not begin, that is what is to be told.
    await bench?.end();
    await bench?.kafka.stop();
  });

  for (const [name, fault] of faults) {
    it.each(fault === evidenceStoreAway ? once : often)(`${name}, %i`, async (time) => {
      expect(await fault(bench, (purpose) => drawn(`kafka ${name} ${time} ${purpose}`))).toEqual([]);
    });
  }
}
