// Opening the evidence of a ledger in Kafka.
import { newRunId } from '../identity/ids.ts';
import type { OpenOptions } from '../ledger.ts';
import { KafkaClient } from './client.ts';
import { makeEvidence, readIdentity } from './identity.ts';
import { KafkaLog } from './log.ts';
import type { KafkaPlace } from './place.ts';
import { Readers } from './reader.ts';
import { topicsOf } from './topics.ts';

export interface KafkaLocation {
  readonly url: string;
  readonly place: KafkaPlace;
}

export async function openLog({ url, place }: KafkaLocation, options: OpenOptions): Promise<KafkaLog> {
  const client = new KafkaClient(place);
  const topics = topicsOf(place.prefix);
  const signal = options.signal ?? new AbortController().signal;
  const readers = new Readers(client, place.prefix, Object.values(topics));
  try {
    const making = { client, readers, topics, place, url, signal };
    if (options.create === true && options.readOnly !== true) {
      await makeEvidence(making, options.createAs ?? newRunId(), options.part);
    }
    const identity = await readIdentity(making);
    return new KafkaLog({ client, readers, topics, identity, url });
  } catch (error) {
    await readers.close();
    await client.close();
    throw error;
  }
}
