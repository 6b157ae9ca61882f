// Appending evidence in batches, beside the same client alone sending the same bytes in the same batches to the same broker.
import { randomBytes } from 'node:crypto';
import type { Client } from '../../src/ledger/kafka/place.ts';
import { topicOf } from '../../src/ledger/kafka/topics.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { type Done, type Measured, Stopwatch, sideBySide } from '../measure.ts';
import { type Report, rateLine, ratioLine } from '../report.ts';
import { rollouts, stream } from '../rollouts.ts';
import { type Bare, bareOf } from './bare.ts';
import { recordsOf } from './material.ts';

const rounds = 7;
const batch = 1000;
const each = 20_000;

export async function appendReport(client: Client, brokers: readonly string[]): Promise<Report> {
  const [prefix, other] = [randomBytes(4).toString('hex'), randomBytes(4).toString('hex')];
  const at = (name: string): string => `kafka://${brokers.join(',')}/bench-${name}?client=${client}&partitions=1`;
  const ledger = await openLedger(at(prefix), { create: true });
  await (await openLedger(at(other), { create: true })).close();
  const bare = await bareOf(client, brokers);
  const topic = topicOf(`bench-${other}`, 'evidence');
  const measured = await sideBySide(
    [
      { name: 'bare', run: (round) => sendAll(bare, topic, round * each) },
      {
        name: 'icecore',
        run: (round) =>
          inBatches(round * each, async (from, watch) => {
            const events = rollouts(from, batch, 'own');
            recordsOf(from, 1);
            await watch.time(() => ledger.append(stream, events, { expect: 'any' }));
          }),
      },
    ],
    rounds,
  );
  await bare.close();
  await ledger.close();
  return reportOf(client, measured as [Measured, Measured]);
}

function sendAll(bare: Bare, topic: string, from: number): Promise<Done> {
  return inBatches(from, async (at, watch) => {
    const records = recordsOf(at, batch);
    await watch.time(() => bare.send(topic, 0, records));
  });
}

async function inBatches(from: number, one: (from: number, watch: Stopwatch) => Promise<void>): Promise<Done> {
  const watch = new Stopwatch();
  for (let at = from; at < from + each; at += batch) await one(at, watch);
  return { units: each, milliseconds: watch.milliseconds };
}

function reportOf(client: Client, [bare, ours]: readonly [Measured, Measured]): Report {
  return {
    title: `Kafka, append in batches of ${batch}, ${client}`,
    lines: [
      rateLine(`${client} alone`, bare.perSecond),
      rateLine('icecore', ours.perSecond),
      ratioLine('ratio', ours.ratio, 0.7),
    ],
    data: { client, bare: bare.perSecond, icecore: ours.perSecond, ratio: ours.ratio },
  };
}
