// Faults that a ledger with evidence in Kafka survives, a few times each; `npm run soak` repeats them more often. The moments come from the
// seed in the test names; ICECORE_TEST_SEED repeats them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom, testSeed } from '../src/base/testing/random.ts';
import { faultsOfKafka } from '../src/cli/testing/kafka-faults.ts';
import { type Kafka, startKafka, whyNoKafka } from '../src/ledger/kafka/testing/broker.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'the test needs brokers it can kill' : whyNoKafka();
const seed = testSeed();
const drawn = randomFrom(seed);

describe.skipIf(why !== null)(
  `A ledger with evidence in Kafka survives (${why === null ? `seed ${seed}` : `skipped: ${why}`})`,
  () => {
    let kafka: Kafka;
    beforeAll(async () => {
      kafka = await startKafka();
    });
    afterAll(() => kafka?.stop());

    it.each([...faultsOfKafka])('%s', async (name, fault) => {
      expect(await fault(kafka, (purpose) => drawn(`kafka ${name} ${purpose}`))).toEqual([]);
    });
  },
);
