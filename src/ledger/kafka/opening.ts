// Opening a ledger in Kafka: whose topics they are, the index of this machine, and what of the log was left to be copied.
import { newRunId } from '../identity/ids.ts';
import type { OpenOptions } from '../ledger.ts';
import { Waits } from '../remote/patience.ts';
import { Asking } from './asking.ts';
import { connect, telling } from './connect.ts';
import { type KafkaIdentity, makeLedger, readIdentity } from './identity.ts';
import { indexPath, openIndexFile } from './index/file.ts';
import { Index } from './index/index.ts';
import { Lanes } from './lanes.ts';
import { Log } from './log.ts';
import { type KafkaPlace, nameOf } from './place.ts';
import { Rejecting } from './rejecting.ts';
import { rejectedTopic } from './topics.ts';
import type { Transport } from './transport/transport.ts';

export interface Located {
  readonly url: string;
  readonly place: KafkaPlace;
}

export interface Opened extends Located {
  readonly transport: Transport;
  readonly identity: KafkaIdentity;
  readonly log: Log;
}

export async function openParts({ url, place }: Located, options: OpenOptions): Promise<Opened> {
  options.signal?.throwIfAborted();
  const transport = await connect(place, options.onWait);
  const giveUp = (): void => void transport.close();
  options.signal?.addEventListener('abort', giveUp);
  try {
    if (options.create === true && options.readOnly !== true) {
      await makeLedger(transport, place, url, options.createAs ?? newRunId(), options.part);
    }
    const identity = await readIdentity(transport, place, url);
    return { url, place, transport, identity, log: await openLog(transport, place, identity, options) };
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

async function openLog(
  transport: Transport,
  place: KafkaPlace,
  { incarnation, partitions }: KafkaIdentity,
  { readOnly = false, onWait }: OpenOptions,
): Promise<Log> {
  const lanes = new Lanes(place.prefix, partitions);
  const path = indexPath(incarnation, nameOf(place));
  const index = new Index(await openIndexFile(path, lanes.count), lanes);
  const asking = new Asking(transport, { ms: place.patience * 1_000, waits: new Waits(telling(place, onWait)) });
  const parts = { transport, asking, lanes, index, indexPath: path };
  const rejecting = readOnly ? null : new Rejecting({ ...parts, topic: rejectedTopic(place.prefix) });
  await rejecting?.copyAll();
  return new Log({ ...parts, rejecting });
}
