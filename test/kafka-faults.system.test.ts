// What a ledger whose evidence is in Kafka survives, each a few times; `npm run soak` tries them oftener. The moments are drawn from a seed
// that stands in the name of the tests; with ICECORE_TEST_SEED they are the same again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom, testSeed } from '../src/base/testing/random.ts';
import { faultsOfKafka } from '../src/cli/testing/kafka-faults.ts';
import { type Kafka, startKafka, whyNoKafka } from '../src/ledger/kafka/testing/broker.ts';

const why = process.env['ICECORE_TEST_KAFKA'] ? 'brokers of our own are killed' : whyNoKafka();
const seed = testSeed();
const drawn = randomFrom(seed);

describe.skipIf(why !== null)(
  `A ledger with evidence in Kafka survives (${why === null ? `seed ${seed}` : `left out: ${why}`})`,
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
