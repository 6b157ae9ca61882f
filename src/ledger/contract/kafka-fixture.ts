// Places for evidence in Kafka: topics under prefixes of their own on a broker for tests.
import { randomBytes } from 'node:crypto';
import { startKafka } from '../kafka/testing/broker.ts';

export interface KafkaPrefixes {
  /** Of a place where no evidence is yet. */
  url(): string;
  dispose(): Promise<void>;
}

/** `settings`: what stands behind the question mark of the URLs. */
export async function kafkaPrefixes(settings: string): Promise<KafkaPrefixes> {
  const kafka = await startKafka();
  return {
    url: () => `kafka://${kafka.brokers.join(',')}/contract-${randomBytes(6).toString('hex')}?${settings}`,
    dispose: () => kafka.stop(),
  };
}
