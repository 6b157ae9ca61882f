// Places for evidence in Kafka: topics with unique prefixes on a test broker.
import { randomBytes } from 'node:crypto';
import { startKafka } from '../kafka/testing/broker.ts';

export interface KafkaPrefixes {
  /** The URL of a place without evidence. */
  url(): string;
  dispose(): Promise<void>;
}

/** `settings` is the part of the URLs after the question mark. */
export async function kafkaPrefixes(settings: string): Promise<KafkaPrefixes> {
  const kafka = await startKafka();
  return {
    url: () => `kafka://${kafka.brokers.join(',')}/contract-${randomBytes(6).toString('hex')}?${settings}`,
    dispose: () => kafka.stop(),
  };
}
