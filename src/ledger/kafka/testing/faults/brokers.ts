// Brokers that are killed while a ledger is written, read, followed and projected.
import { Admin } from '@platformatic/kafka';
import { Lanes } from '../../lanes.ts';
import { parseKafkaUrl } from '../../place.ts';
import { partitionsOf } from '../../topics.ts';
import type { FaultBench } from './bench.ts';
import type { Drawn } from './fault.ts';
import { look } from './look.ts';
import { streams, Traffic } from './traffic.ts';

const beforeAtMost = 400;
const behind = 100;

/** Killed as when the machine loses its power, and back with what it had. */
export async function brokerKilled(bench: FaultBench, drawn: Drawn): Promise<readonly string[]> {
  const url = await bench.fresh();
  const traffic = await Traffic.start(bench, url);
  await traffic.advances(1 + drawn('moment') * beforeAtMost);
  await bench.own.kill(0);
  await bench.own.restart(0);
  await traffic.advances(behind);
  return [...(await traffic.end()), ...(await look(bench, url, traffic))];
}

/** Of three brokers the one that leads where evidence is written; and it comes back. */
export async function leaderKilled(bench: FaultBench, drawn: Drawn): Promise<readonly string[]> {
  const url = await bench.fresh();
  const traffic = await Traffic.start(bench, url);
  await traffic.advances(1 + drawn('moment') * beforeAtMost);
  const leader = await leaderOf(streams[0] ?? '', bench, url);
  await bench.own.kill(leader);
  await traffic.advances(behind);
  await bench.own.restart(leader);
  await traffic.advances(behind);
  return [...(await traffic.end()), ...(await look(bench, url, traffic))];
}

/** Which of the brokers leads where a stream lies. */
async function leaderOf(stream: string, { kafka }: FaultBench, url: string): Promise<number> {
  const { prefix, partitions } = parseKafkaUrl(url);
  const { topic = '', partition = 0 } = new Lanes(prefix, partitionsOf(partitions)).ofStream(stream) ?? {};
  const admin = new Admin({ clientId: 'test', bootstrapBrokers: [...kafka.brokers] });
  try {
    const { brokers, topics } = await admin.metadata({ topics: [topic] });
    const { host, port } = brokers.get(topics.get(topic)?.partitions[partition]?.leader ?? -1) ?? {};
    return kafka.brokers.indexOf(`${host}:${port}`);
  } finally {
    await admin.close();
  }
}
