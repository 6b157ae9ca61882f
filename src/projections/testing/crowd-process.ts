// One of many processes that want the same tables. It does what it is told so many times, or until it is told to stop, and
// says how often on its last line; whatever goes wrong ends it with an error.
import { setTimeout as sleep } from 'node:timers/promises';
import { openLedger } from '../../ledger/open.ts';
import { withQuestions } from '../asking.ts';
import { follow } from '../projector/follow.ts';
import { project } from '../projector/projector.ts';
import { makeSnapshot } from '../snapshot.ts';
import { hold } from '../warehouse/holding.ts';
import { writeRollouts } from './varied.ts';

export type Part = 'write' | 'follow' | 'ask' | 'rebuild' | 'project' | 'snapshot' | 'read long';

const [, , url = '', folder = '', part = '', rounds = '', shard = '0'] = process.argv;
const ledger = await openLedger(url);
const stop = new AbortController();
process.stdin.once('data', () => stop.abort());
process.stdin.unref();

const limits = { memoryMegabytes: 200, seconds: 60 };
let done = 0;
let known = 0;

/** What is known never becomes less. */
function grows(events: number): void {
  if (events < known) throw new Error(`tables that knew ${known} events know ${events}`);
  known = events;
}

async function ask(): Promise<void> {
  await withQuestions(ledger, folder, limits, {}, async (questions, { events }) => {
    const answer = await questions.ask('SELECT count(*)::INTEGER FROM events');
    let counted = 0;
    for await (const chunk of answer.chunks()) for (const [value] of chunk.getRows()) counted += Number(value);
    if (counted < events) throw new Error(`${events} events are known, ${counted} are there`);
    grows(counted);
  });
}

async function readLong(): Promise<void> {
  const { path } = await project(ledger, folder);
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  await sleep(200);
  held.release();
}

const parts: Readonly<Record<Part, () => Promise<void>>> = {
  write: () => writeRollouts(ledger, done * 5, 5, Number(shard)),
  follow: async () => {
    for await (const { events } of follow(ledger, folder, { signal: stop.signal })) {
      grows(events);
      done++;
    }
  },
  ask,
  rebuild: async () => grows((await project(ledger, folder, { rebuild: true })).events),
  project: async () => grows((await project(ledger, folder)).events),
  snapshot: async () => void (await makeSnapshot(ledger, folder)),
  'read long': readLong,
};

process.stdout.write('ready\n');
try {
  for (; done < Number(rounds) && !stop.signal.aborted; done++) await parts[part as Part]();
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
await ledger.close();
process.stdout.write(`${done}\n`);
