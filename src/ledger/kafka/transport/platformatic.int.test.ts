import { describe } from 'vitest';
import { whyNoKafka } from '../testing/broker.ts';
import { transportContract } from './contract/contract.ts';
import { openPlatformatic } from './platformatic.ts';

const reason = whyNoKafka();

describe.skipIf(reason !== null)(`a real Kafka${reason === null ? '' : ` (${reason})`}`, () => {
  transportContract('@platformatic/kafka', openPlatformatic);
});
