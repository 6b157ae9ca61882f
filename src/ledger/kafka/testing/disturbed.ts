// Writers of evidence during faults of the broker or the network, and the errors found afterwards.
import { setTimeout as pause } from 'node:timers/promises';
import type { KafkaLog } from '../log.ts';
import type { Kafka } from './broker.ts';
import { closeLogs, Evidence, eventsOf, readBack, streamNumber, type Written, withRetries, write } from './evidence.ts';

/** From 0 to 1, for a purpose: the same purpose gives the same number. */
export type Drawn = (purpose: string) => number;

export const disturbances = ['killed', 'paused', 'silent', 'cut'] as const;

const writers = 3;
const attempts = 6;
const eventsOfAttempt = 400;

/** Needs brokers that were started here. */
export async function disturbedWriters(
  kafka: Kafka,
  disturbance: (typeof disturbances)[number],
  drawn: Drawn,
): Promise<readonly string[]> {
  const { own } = kafka;
  if (own === null) throw new Error('not brokers of our own');
  const evidence = new Evidence(kafka, 'partitions=2&patience=10');
  await evidence.make();
  const proxy = await own.proxy(0);
  const by = evidence.url.replace(kafka.brokers.join(','), proxy.address);
  const happen = {
    killed: () => own.kill(0).then(() => own.restart(0)),
    paused: () => own.pause(0).then(() => pause(drawn('length') * 2_000).then(() => own.resume(0))),
    silent: async () => {
      proxy.silence();
      await pause(drawn('length') * 5_000);
      proxy.flow();
    },
    cut: async () => proxy.cut(),
  };
  try {
    const logs = await Promise.all(Array.from({ length: writers }, () => evidence.open({}, by)));
    const disturbing = pause(drawn('moment') * 500).then(() => happen[disturbance]());
    const written = (await Promise.all(logs.map((log, index) => writeAttempts(log, index)))).flat();
    await disturbing;
    return await wrongIn(evidence, written);
  } finally {
    await closeLogs();
    await proxy.close();
  }
}

/** A broken attempt is written again under the next number, like a producer does. */
async function writeAttempts(log: KafkaLog, writer: number): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (let number = writer; written.length < attempts; number += writers) {
    try {
      written.push(await write(log, streamNumber(number), eventsOfAttempt, 50));
    } catch (error) {
      if (!(error instanceof Error) || !/^(?:AttemptBroken|TransientError)$/.test(error.name)) throw error;
    }
  }
  return written;
}

/** All acknowledged events must exist once for other readers, and nothing else in those attempts. */
async function wrongIn(evidence: Evidence, written: readonly Written[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  // A broker that just started may still load what it coordinates; a ledger retries as well.
  const read = (attempts: Parameters<typeof readBack>[1]) =>
    withRetries(async () => readBack(await evidence.open(), attempts));
  const byPlace = await read(written);
  const byScan = await read(written.map((attempt) => ({ ...attempt, place: undefined })));
  for (const { stream, count, digests } of written) {
    const right = eventsOf(stream, 0, count).map(({ digest }) => digest);
    for (const found of [digests, byPlace.get(stream), byScan.get(stream)]) {
      if (found?.join() !== right.join()) wrong.push(`${stream} has ${found?.length} events, or others`);
    }
  }
  return wrong;
}
