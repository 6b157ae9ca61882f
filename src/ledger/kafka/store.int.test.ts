// The ledger contract on a real broker, with either client.
import { describe } from 'vitest';
import { kafkaFixture } from '../contract/kafka-fixture.ts';
import { ledgerContract } from '../contract/ledger-contract.ts';
import { clients } from './place.ts';
import { whyNoKafka } from './testing/broker.ts';

const why = whyNoKafka();

describe.skipIf(why !== null)(`Kafka${why === null ? '' : `, left out: ${why}`}`, () => {
  for (const client of clients)
    ledgerContract(`Kafka by ${client}`, () => kafkaFixture(`client=${client}&partitions=2`));
});
