// Records that Kafka is handed more than once: as they were, and as if a later writer had sent them.
import { streamOf } from '../../../../../schemas/streams.ts';
import { connect } from '../../connect.ts';
import { Lanes } from '../../lanes.ts';
import { parseKafkaUrl } from '../../place.ts';
import { partitionsOf } from '../../topics.ts';
import type { FoundRecord, OutgoingRecord, Transport } from '../../transport/transport.ts';
import type { FaultBench } from './bench.ts';
import type { Drawn } from './fault.ts';
import { eventsIn, look } from './look.ts';

const streams = [streamOf.evidence('repeats', 1, 0, 0), streamOf.notes('repeats')];
const batch = 5;
const batches = 12;
const atOnce = 8;

export async function sentAgain(bench: FaultBench, drawn: Drawn): Promise<readonly string[]> {
  const url = await bench.fresh();
  const place = parseKafkaUrl(url);
  const lanes = new Lanes(place.prefix, partitionsOf(place.partitions));
  const writers = [await bench.open(url), await bench.openElsewhere(url)] as const;
  const transport = await connect(place);
  const acknowledged = new Map<string, number>();
  try {
    for (let index = 0; index < batches; index++) {
      for (const stream of streams) {
        // The second one comes when the first has written half.
        const writer = writers[index < batches / 2 ? 0 : 1];
        await writer.append(stream, eventsIn(stream, index * batch, batch), { expect: 'any' });
        acknowledged.set(stream, (index + 1) * batch);
        const { topic = '', partition = 0 } = lanes.ofStream(stream) ?? {};
        await sendAgain(transport, topic, partition, drawn(`${stream} ${index}`));
      }
    }
  } finally {
    await transport.close();
  }
  return await look(bench, url, { acknowledged });
}

/** Some of what is there, `from` between 0 and 1: as it is, and with a later writer. */
async function sendAgain(transport: Transport, topic: string, partition: number, from: number): Promise<void> {
  const all = await allIn(transport, topic, partition);
  const first = Math.floor(from * all.length);
  const records = all.slice(first, first + atOnce).map(asFound);
  await transport.produce(topic, partition, records);
  await transport.produce(topic, partition, records.map(fromLater));
}

async function allIn(transport: Transport, topic: string, partition: number): Promise<readonly FoundRecord[]> {
  const all: FoundRecord[] = [];
  for (let from = 0; ; ) {
    const { records, next, end } = await transport.fetch(topic, partition, from, { maxBytes: 2 ** 20, maxWaitMs: 100 });
    all.push(...records);
    if (next >= end) return all;
    from = next;
  }
}

function asFound({ key, value, headers, timestamp }: FoundRecord): OutgoingRecord {
  const named = Object.fromEntries([...headers].map(([name, text]) => [name, text.toString()]));
  return { key: String(key), value: String(value), headers: named, timestamp };
}

function fromLater(record: OutgoingRecord): OutgoingRecord {
  const { ce_writer: writer } = record.headers;
  if (writer === undefined) return record;
  return { ...record, headers: { ...record.headers, ce_writer: writer.replace(/^[0-9]+/, '999999') } };
}
