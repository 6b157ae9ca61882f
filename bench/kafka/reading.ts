// Taking a ledger in from Kafka, beside the same client alone consuming the same topic: events read for the first time, which
// are indexed on the way, events read again, and all tables filled.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/ledger/kafka/place.ts';
import { topicOf } from '../../src/ledger/kafka/topics.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { project } from '../../src/projections/projector/projector.ts';
import { type Measured, sideBySide, timed } from '../measure.ts';
import { type Report, rateLine, ratioLine } from '../report.ts';
import { bareOf } from './bare.ts';

const rounds = 3;

export interface Filled {
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly events: number;
}

export async function readingReport(client: Client, filled: Filled, folder: string): Promise<Report> {
  const { brokers, prefix, events } = filled;
  const url = `kafka://${brokers.join(',')}/${prefix}?client=${client}`;
  const bare = await bareOf(client, brokers);
  const topic = topicOf(prefix, 'evidence');
  const forget = (): void => rmSync(join(folder, 'cache'), { recursive: true, force: true });
  const tables = join(folder, 'tables');
  const measured = await sideBySide(
    [
      { name: 'bare', run: () => timed(async () => bare.take(topic, events).then(() => events)) },
      {
        name: 'first',
        run: () => {
          forget();
          return timed(() => readAll(url));
        },
      },
      { name: 'again', run: () => timed(() => readAll(url)) },
      {
        name: 'tables',
        run: () => {
          forget();
          rmSync(tables, { recursive: true, force: true });
          return timed(() => fill(url, tables));
        },
      },
    ],
    rounds,
  );
  await bare.close();
  return reportOf(client, events, measured as [Measured, Measured, Measured, Measured]);
}

async function readAll(url: string): Promise<number> {
  const ledger = await openLedger(url, { readOnly: true });
  let events = 0;
  for await (const page of ledger.readAll()) events += page.length;
  await ledger.close();
  return events;
}

async function fill(url: string, tables: string): Promise<number> {
  const ledger = await openLedger(url, { readOnly: true });
  const { events } = await project(ledger, tables);
  await ledger.close();
  return events;
}

function reportOf(client: Client, events: number, all: readonly [Measured, Measured, Measured, Measured]): Report {
  const [bare, first, again, tables] = all;
  return {
    title: `Kafka, ${events.toLocaleString('en')} events of 1 KB taken in, ${client}`,
    lines: [
      rateLine(`${client} alone, consuming`, bare.perSecond),
      rateLine('events read and indexed', first.perSecond),
      rateLine('events read again', again.perSecond),
      rateLine('tables filled', tables.perSecond),
      ratioLine('tables filled beside the client alone', tables.ratio, 0.7),
    ],
    data: {
      client,
      bare: bare.perSecond,
      first: first.perSecond,
      again: again.perSecond,
      tables: tables.perSecond,
      ratio: tables.ratio,
    },
  };
}
