// Evidence in Kafka compared with kafkajs alone, on the test broker: appending attempts, and reading sealed ones.
import { randomBytes } from 'node:crypto';
import type { Message } from 'kafkajs';
import { CanonicalText, canonicalJson } from '../../schemas/canonical.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import { streamOf } from '../../schemas/streams.ts';
import { bodyAt } from '../../src/ledger/event.ts';
import { sha256 } from '../../src/ledger/identity/ids.ts';
import { parseKafkaUrl } from '../../src/ledger/kafka/place.ts';
import { type KafkaLedger, openKafka } from '../../src/ledger/kafka/store.ts';
import { startKafka, whyNoKafka } from '../../src/ledger/kafka/testing/broker.ts';
import { messageOf } from '../../src/ledger/kafka/wire.ts';
import type { EvidencePlace } from '../../src/ledger/ledger.ts';
import { prepareEvents } from '../../src/ledger/prepare.ts';
import { type Done, type Measured, Stopwatch, sideBySide, timed } from '../measure.ts';
import { cpuRatioLine, type Report, rateLine, ratioLine } from '../report.ts';
import { rollouts } from '../rollouts.ts';
import { BareKafka } from './bare.ts';

const batch = 1_000;
/** As in a run. */
const eventsOfAttempt = 10_000;
const attempts = 10;
const rounds = 3;
const target = 0.8;

interface Attempt {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly place: EvidencePlace;
}

export async function kafkaBench(): Promise<readonly Report[]> {
  const why = whyNoKafka();
  if (why !== null) throw new Error(`Kafka is not available: ${why}`);
  const kafka = await startKafka({ lasting: true });
  try {
    return [await appendReport(kafka.brokers), await readReport(kafka.brokers, 1), await readReport(kafka.brokers, 6)];
  } finally {
    await kafka.stop();
  }
}

function newUrl(brokers: readonly string[], partitions: number): { readonly url: string; readonly prefix: string } {
  const prefix = `bench-${randomBytes(4).toString('hex')}`;
  return { url: `kafka://${brokers.join(',')}/${prefix}?partitions=${partitions}`, prefix };
}

function open(url: string): Promise<KafkaLedger> {
  return openKafka({ url, place: parseKafkaUrl(url) }, { create: true });
}

function streamNumber(attempt: number): string {
  return streamOf.evidence('0bench0bench', 1, 0, attempt);
}

/** The same records that icecore makes of these rollouts. */
function messagesOf(stream: string, from: number): Message[] {
  const prepared = prepareEvents(stream, rollouts(from, batch), 1_000_000);
  return prepared.map((event, index) => {
    const revision = from + index;
    const body = bodyAt(event, revision, null);
    return messageOf(stream, { revision, body, digest: sha256(body), recordedMs: null }, 0);
  });
}

async function appendReport(brokers: readonly string[]): Promise<Report> {
  const { url, prefix } = newUrl(brokers, 1);
  const ledger = await open(url);
  const bare = new BareKafka(brokers);
  await bare.makeTopic(`${prefix}.bare`);
  const producer = await bare.producer(`${prefix}.bare`);
  /** Each contender writes attempts of its own. */
  const append = async (attempt: number, eventsFrom: (from: number) => readonly NewEvent[]): Promise<Done> => {
    const watch = new Stopwatch();
    for (let from = 0; from < eventsOfAttempt; from += batch) {
      const events = eventsFrom(from);
      await watch.time(() => ledger.append(streamNumber(attempt), events, { expect: 'any', isNew: true }));
    }
    return watch.done(eventsOfAttempt);
  };
  const [alone, icecore, written] = (await sideBySide(
    [
      {
        name: 'bare',
        run: async (round) => {
          const watch = new Stopwatch();
          for (let from = 0; from < eventsOfAttempt; from += batch) {
            const messages = messagesOf(streamNumber(round), from);
            await watch.time(() => producer.send(messages));
          }
          return watch.done(eventsOfAttempt);
        },
      },
      { name: 'icecore', run: (round) => append(2 * round, (from) => rollouts(from, batch)) },
      { name: 'written', run: (round) => append(2 * round + 1, writtenRollouts) },
    ],
    3 * rounds,
  )) as [Measured, Measured, Measured];
  await producer.close();
  await ledger.close();
  return {
    title: `Kafka, attempts of ${eventsOfAttempt.toLocaleString('en')} events of 1 KB appended, ${batch} at a time`,
    lines: [
      rateLine('kafkajs alone, sending the same records', alone.perSecond),
      rateLine('icecore, from rollouts to acknowledged events', icecore.perSecond),
      ratioLine('icecore compared with kafkajs alone', icecore.ratio, target),
      cpuRatioLine(icecore),
      ratioLine('the same with data that the trainer wrote as text, as in a run', written.ratio, target),
      cpuRatioLine(written),
    ],
    data: {
      bare: alone.perSecond,
      icecore: icecore.perSecond,
      ratio: icecore.ratio,
      cpuRatio: icecore.cpuRatio,
      written: written.ratio,
    },
  };
}

function writtenRollouts(from: number): NewEvent[] {
  return rollouts(from, batch).map((event) => ({ ...event, data: new CanonicalText(canonicalJson(event.data)) }));
}

async function readReport(brokers: readonly string[], partitions: number): Promise<Report> {
  const { url, prefix } = newUrl(brokers, partitions);
  const sealed = await fill(url);
  const events = attempts * eventsOfAttempt;
  const bare = new BareKafka(brokers);
  const [alone, icecore] = (await sideBySide(
    [
      { name: 'bare', run: () => timed(() => bare.consume(`${prefix}.events`, events)) },
      { name: 'icecore', run: () => timed(() => read(url, sealed)) },
    ],
    rounds,
  )) as [Measured, Measured];
  const where = partitions === 1 ? 'one partition' : `${partitions} partitions`;
  return {
    title: `Kafka, ${attempts} sealed attempts of ${eventsOfAttempt.toLocaleString('en')} events read by position, ${where}`,
    lines: [
      rateLine('kafkajs alone, consuming the topic', alone.perSecond),
      rateLine('icecore, opened and every digest checked', icecore.perSecond),
      ratioLine('icecore compared with kafkajs alone', icecore.ratio, target),
      cpuRatioLine(icecore),
    ],
    data: {
      partitions,
      bare: alone.perSecond,
      icecore: icecore.perSecond,
      ratio: icecore.ratio,
      cpuRatio: icecore.cpuRatio,
    },
  };
}

async function fill(url: string): Promise<readonly Attempt[]> {
  const ledger = await open(url);
  const written: Attempt[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stream = streamNumber(attempt);
    let place: EvidencePlace | undefined;
    for (let from = 0; from < eventsOfAttempt; from += batch) {
      ({ place } = await ledger.append(stream, rollouts(from, batch), { expect: 'any', isNew: true }));
    }
    if (place !== undefined) written.push({ stream, from: 0, to: eventsOfAttempt - 1, count: eventsOfAttempt, place });
  }
  await ledger.close();
  return written;
}

async function read(url: string, sealed: readonly Attempt[]): Promise<number> {
  const ledger = await openKafka({ url, place: parseKafkaUrl(url) }, { readOnly: true });
  let events = 0;
  for await (const page of ledger.readAttempts(sealed)) events += page.events.length;
  await ledger.close();
  return events;
}
