// Filling the tables of a split ledger with evidence in Kafka, compared with only reading the evidence.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, versionOf } from '../../schemas/catalogue.ts';
import { streamOf } from '../../schemas/streams.ts';
import { eventId } from '../../src/ledger/identity/ids.ts';
import { startKafka, whyNoKafka } from '../../src/ledger/kafka/testing/broker.ts';
import type { EvidencePlace, Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { AttemptTree } from '../../src/ledger/seal/attempt.ts';
import { project } from '../../src/projections/projector/projector.ts';
import { inFolder } from '../folder.ts';
import { type Measured, sideBySide, timed } from '../measure.ts';
import { type Report, rateLine, ratioLine } from '../report.ts';
import { rollouts } from '../rollouts.ts';

const run = '0bench0bench';
const attempts = 40;
const eventsOfAttempt = 10_000;
const batch = 1_000;
const rounds = 3;
const target = 0.7;

export async function splitTablesBench(): Promise<readonly Report[]> {
  const why = whyNoKafka();
  if (why !== null) throw new Error(`Kafka is not available: ${why}`);
  return await inFolder(async (folder) => {
    const kafka = await startKafka({ lasting: true });
    try {
      const prefix = `bench-${randomBytes(4).toString('hex')}`;
      const evidence = `kafka://${kafka.brokers.join(',')}/${prefix}?partitions=2`;
      const url = `split:sqlite:${join(folder, 'ledger.db')}+${evidence}`;
      const ledger = await openLedger(url, { create: true });
      // Two attempts at once, so that each is interleaved with another.
      for (let attempt = 0; attempt < attempts; attempt += 2)
        await Promise.all([record(ledger, attempt), record(ledger, attempt + 1)]);
      await ledger.close();
      return [await report(url, join(folder, 'tables'))];
    } finally {
      await kafka.stop();
    }
  });
}

async function record(ledger: Ledger, attempt: number): Promise<void> {
  const stream = streamOf.evidence(run, 1, attempt, 0);
  const tree = new AttemptTree(ledger, stream);
  let place: EvidencePlace | undefined;
  for (let from = 0; from < eventsOfAttempt; from += batch) {
    const events = rollouts(attempt * eventsOfAttempt + from, batch);
    const appended = await ledger.append(stream, events, { expect: 'any', isNew: from === 0 });
    tree.appended(appended);
    place = appended.place;
  }
  const { count, root } = await tree.seal();
  const finished = {
    id: eventId({ run, stage: 1, kind: codeOf('AttemptFinished'), index: attempt }),
    type: 'AttemptFinished',
    version: versionOf('AttemptFinished'),
    at: new Date().toISOString(),
    actor: 'producer/rollouts',
    run,
    stage: 1,
    causes: [],
    data: { part: String(attempt), attempt: 0, count, root, ...(place === undefined ? {} : { place }) },
  };
  await ledger.append(streamOf.work(run), [finished], { expect: 'any' });
}

async function report(url: string, tables: string): Promise<Report> {
  const [read, filled] = (await sideBySide(
    [
      { name: 'read', run: () => timed(() => reading(url)) },
      {
        name: 'tables',
        run: () => {
          rmSync(tables, { recursive: true, force: true });
          return timed(() => filling(url, tables));
        },
      },
    ],
    rounds,
  )) as [Measured, Measured];
  return {
    title: `A split ledger, ${(attempts * eventsOfAttempt).toLocaleString('en')} rollouts in Kafka, all tables filled`,
    lines: [
      rateLine('events read', read.perSecond),
      rateLine('tables filled', filled.perSecond),
      ratioLine('tables filled compared with reading alone', filled.ratio, target),
    ],
    data: { read: read.perSecond, tables: filled.perSecond, ratio: filled.ratio },
  };
}

async function reading(url: string): Promise<number> {
  const ledger = await openLedger(url, { readOnly: true });
  let events = 0;
  for await (const page of ledger.readAll()) events += page.length;
  await ledger.close();
  return events;
}

async function filling(url: string, tables: string): Promise<number> {
  const ledger = await openLedger(url, { readOnly: true });
  const { events } = await project(ledger, tables);
  await ledger.close();
  return events;
}
