import { describe } from 'vitest';
import { whyNoKafka } from '../testing/broker.ts';
import { transportContract } from './contract/contract.ts';
import { openKafkajs } from './kafkajs.ts';

const reason = whyNoKafka();
if (reason !== null) console.warn(`The tests of the transport on kafkajs are skipped: ${reason}`);

describe.skipIf(reason !== null)('a real Kafka', () => {
  transportContract('kafkajs', openKafkajs);
});
