// One of many processes that use the same tables. It repeats its action a number of times or until it is stopped, and
// prints how often on its last line; any problem ends it with an error.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLedger } from '../../ledger/open.ts';
import { withQuestions } from '../current-tables.ts';
import { follow, project } from '../projector/projector.ts';
import { snapshotOf } from '../snapshot.ts';
import { hold } from '../warehouse/holding.ts';
import { writeRollouts } from './varied.ts';

export type Part = 'write' | 'follow' | 'ask' | 'rebuild' | 'project' | 'snapshot' | 'notebook' | 'read long';

const [, , url = '', folder = '', part = '', rounds = '', shard = '0'] = process.argv;
const ledger = await openLedger(url);
const stop = new AbortController();
process.stdin.once('data', () => stop.abort());
process.stdin.unref();

const limits = { memoryMegabytes: 200, seconds: 60 };
const run = promisify(execFile);
let done = 0;
let known = 0;

/** The number of known events never decreases. */
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

/** Makes a copy, and opens it with Python if that has DuckDB. */
async function notebook(): Promise<void> {
  const { path } = await snapshotOf(ledger, folder);
  const { ICECORE_PYTHON: python } = process.env;
  if (python === undefined) return;
  const program =
    'import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True).execute("FROM events SELECT count(*)").fetchone()[0])';
  const { stdout } = await run(python, ['-c', program, path]);
  grows(Number(stdout));
}

async function readLong(): Promise<void> {
  const { path } = await project(ledger, folder);
  const held = await hold(path, { access_mode: 'READ_ONLY' });
  await sleep(200);
  held.release();
}

const parts: Readonly<Record<Part, () => Promise<void>>> = {
  write: async () => {
    await writeRollouts(ledger, done * 5, 5, Number(shard));
    // As evidence arrives: not all at once.
    await sleep(10);
  },
  follow: async () => {
    for await (const { events } of follow(ledger, folder, { signal: stop.signal })) {
      grows(events);
      done++;
    }
  },
  ask,
  rebuild: async () => grows((await project(ledger, folder, { rebuild: true })).events),
  project: async () => grows((await project(ledger, folder)).events),
  snapshot: async () => void (await snapshotOf(ledger, folder)),
  notebook,
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
