// The time until an answer includes 10,000 new events: with the command `icecore sql`, including its process, and within one process step by
// step. Also in processor time, which does not depend on other work of the machine.
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { withQuestions } from '../../src/projections/current-tables.ts';
import { fillingIn } from '../../src/projections/warehouse/holding.ts';
import { generationIn, generationPath, tablesWithin } from '../../src/projections/warehouse/place.ts';
import { inFolder } from '../folder.ts';
import { median } from '../measure.ts';
import type { Line, Report } from '../report.ts';
import { rollouts, stream } from '../rollouts.ts';
import { grown, limits } from './asking.ts';

const before = 60_000;
const rounds = 7;
const targetMs = 200;
const question = 'SELECT count(*) FROM rollouts';
const program = fileURLToPath(new URL('../../bin/icecore.cjs', import.meta.url));

interface Spent {
  wall: number;
  cpu: number;
}

const steps = [
  'opening DuckDB',
  'reading and staging events',
  'filling tables',
  'commit and checkpoint',
  'querying',
  'closing DuckDB',
] as const;
type Step = (typeof steps)[number];

export function visibleBench(): Promise<Report[]> {
  return inFolder(async (folder) => {
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await openLedger(url, { create: true });
    let events = 0;
    const append = async (count: number): Promise<void> => {
      for (const end = events + count; events < end; events += 1000)
        await ledger.append(stream, rollouts(events, 1000), { expect: 'any' });
    };
    const named = join(folder, 'tables');
    const tables = tablesWithin(named, ledger);
    await append(before);
    const [idle, grownBy, inProcess, each]: [number[], number[], Spent[], Record<Step, Spent>[]] = [[], [], [], []];
    for (let round = 0; round <= rounds; round++) {
      const found = await watched(async () => {
        await withQuestions(ledger, tables, limits, {}, async (questions) => {
          for await (const chunk of (await questions.ask(question)).chunks()) chunk.getRows();
        });
      });
      const still = command(url, named);
      await append(grown);
      const moved = command(url, named);
      await append(grown);
      // The first round builds the tables.
      if (round === 0) continue;
      idle.push(still);
      grownBy.push(moved);
      inProcess.push(found.all);
      each.push(found.steps);
    }
    const [bareRead, bareInsert] = await floors(ledger, tables, join(folder, 'bare.duckdb'));
    await ledger.close();
    const middle = (spent: readonly Spent[], what: keyof Spent): number =>
      Math.round(median(spent.map((s) => s[what])));
    const line = (what: string, spent: readonly Spent[]): Line => ({
      what: `${what} (${middle(spent, 'cpu')} ms of processor time)`,
      value: `${middle(spent, 'wall')} ms`,
      target: '',
      met: null,
    });
    const total = Math.round(median(grownBy));
    return [
      {
        title: `${grown.toLocaleString('en')} new events until an answer includes them`,
        lines: [
          { what: 'icecore sql, nothing new', value: `${Math.round(median(idle))} ms`, target: '', met: null },
          { what: 'icecore sql', value: `${total} ms`, target: `within ${targetMs} ms`, met: total <= targetMs },
          line('in a running process', inProcess),
          ...steps.map((step) =>
            line(
              `  ${step}`,
              each.map((found) => found[step]),
            ),
          ),
          line('at least: reading as many events', bareRead),
          line('at least: DuckDB opens the file, inserts as many rows from memory, and closes it', bareInsert),
        ],
        data: { idle, grownBy, inProcess, each },
      },
    ];
  });
}

/** What any implementation has to spend on this file: the bare calls to both stores. */
async function floors(
  ledger: Ledger,
  tables: string,
  file: string,
): Promise<readonly [read: Spent[], insert: Spent[]]> {
  const [read, insert]: [Spent[], Spent[]] = [[], []];
  copyFileSync(generationPath(tables, generationIn(tables)), file);
  const values = await DuckDBInstance.create(file);
  const from = await values.connect();
  await from.run(`COPY (FROM log.rollouts LIMIT ${grown}) TO '${file}.parquet'`);
  values.closeSync();
  const { checkpoint_threshold = '', disabled_compression_methods = '' } = fillingIn(file);
  const settings = { checkpoint_threshold, disabled_compression_methods, threads: '1' };
  for (let round = 0; round < rounds; round++) {
    const reading = new Clock();
    for await (const _ of ledger.readAll({ streams: [stream], limit: grown }));
    read.push(reading.spent());
    const memory = new Clock();
    const instance = await DuckDBInstance.create(file, settings);
    const connection = await instance.connect();
    const opened = memory.spent();
    await connection.run(`CREATE TEMP TABLE rows AS FROM '${file}.parquet'`);
    const inserting = new Clock();
    await connection.run('INSERT INTO log.rollouts FROM rows');
    instance.closeSync();
    const inserted = inserting.spent();
    insert.push({ wall: opened.wall + inserted.wall, cpu: opened.cpu + inserted.cpu });
  }
  return [read, insert];
}

function command(url: string, tables: string): number {
  const started = performance.now();
  const env = { ...process.env, ICECORE_TABLES: tables };
  execFileSync(process.execPath, [program, 'sql', question, '--ledger', url, '--json'], { env, stdio: 'pipe' });
  return performance.now() - started;
}

/** Times the calls to DuckDB; between them events are read and staged. Reading while DuckDB opens counts as opening. */
async function watched(
  work: () => Promise<void>,
): Promise<{ readonly all: Spent; readonly steps: Record<Step, Spent> }> {
  const spent = Object.fromEntries(steps.map((step) => [step, { wall: 0, cpu: 0 }])) as Record<Step, Spent>;
  const restore = [
    watch(DuckDBInstance, 'create', () => 'opening DuckDB', spent),
    watch(DuckDBInstance.prototype, 'closeSync', () => 'closing DuckDB', spent),
    watch(DuckDBConnection.prototype, 'run', stepOf, spent),
  ];
  const clock = new Clock();
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
  }
  const all = clock.spent();
  const known = Object.values(spent);
  const rest = spent['reading and staging events'];
  rest.wall = all.wall - known.reduce((sum, { wall }) => sum + wall, 0);
  rest.cpu = all.cpu - known.reduce((sum, { cpu }) => sum + cpu, 0);
  return { all, steps: spent };
}

function stepOf(sql: unknown): Step {
  const text = String(sql).trimStart();
  if (/^(?:COMMIT|CHECKPOINT)/.test(text)) return 'commit and checkpoint';
  return /^(?:INSERT|MERGE|DELETE|UPDATE|BEGIN|CREATE)/.test(text) ? 'filling tables' : 'querying';
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Returns a function that undoes it. */
function watch(of: object, name: string, step: (first: unknown) => Step, spent: Record<Step, Spent>): () => void {
  const methods = of as Record<string, Method>;
  const real = methods[name] as Method;
  methods[name] = function watchedCall(...args) {
    const clock = new Clock();
    const note = (): void => {
      const { wall, cpu } = clock.spent();
      const sum = spent[step(args[0])];
      sum.wall += wall;
      sum.cpu += cpu;
    };
    const result = real.apply(this, args);
    if (result instanceof Promise) return result.finally(note);
    note();
    return result;
  };
  return () => {
    methods[name] = real;
  };
}

class Clock {
  readonly #wall = performance.now();
  readonly #cpu = process.cpuUsage();

  spent(): Spent {
    const { user, system } = process.cpuUsage(this.#cpu);
    return { wall: performance.now() - this.#wall, cpu: (user + system) / 1000 };
  }
}
