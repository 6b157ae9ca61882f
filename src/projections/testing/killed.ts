// Kills projecting processes at random moments, and compares the tables they leave with tables that were made without
// interruption.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { type Digests, tableDigests } from '../digests.ts';
import { project } from '../projector/projector.ts';
import { hold } from '../warehouse/holding.ts';
import { generationIn, generationPath } from '../warehouse/place.ts';
import { recordAsOwn } from './place.ts';
import type { ProjectionMode } from './projecting-process.ts';
import { writeRollouts, writeVaried } from './varied.ts';

const program = fileURLToPath(new URL('./projecting-process.ts', import.meta.url));

/** What a process is doing when it is killed. */
const situations = ['first build', 'catch up', 'rebuild', 'refill', 'follow'] as const;

/** The approximate duration of a process that is not killed, in milliseconds. */
const longestMs = 900;

export interface KilledProjections {
  /** Processes that completed before they were killed. */
  readonly finished: number;
  readonly faults: readonly string[];
}

export interface Killing {
  readonly kills: number;
  /** A deterministic number from 0 to 1 for a purpose. */
  readonly drawn: (purpose: string) => number;
  /** The tables are checked after this number of kills. */
  readonly lookEvery: number;
  readonly onKill?: (kill: number, faults: number) => void;
}

export async function killProjections({ kills, drawn, lookEvery, onKill }: Killing): Promise<KilledProjections> {
  const bench = new ProjectionBench(await openBench());
  const faults: string[] = [];
  let finished = 0;
  try {
    for (let process = 0, kill = 1; kill <= kills; process++) {
      const situation = situations[process % situations.length] ?? 'catch up';
      await bench.prepare(situation, drawn(`table ${process}`));
      const isKilled = await bench.killAfter(situation, drawn(`moment ${process}`) * longestMs);
      if (!isKilled) {
        finished++;
        continue;
      }
      if (kill % lookEvery === 0 || kill === kills) {
        const fault = await bench.fault().catch((error: Error) => error.message);
        if (fault !== null) faults.push(`kill ${kill}, at a ${situation}: ${fault}`);
      }
      onKill?.(kill, faults.length);
      kill++;
    }
    const fault = await bench.faultInTheEnd();
    if (fault !== null) faults.push(`in the end: ${fault}`);
  } finally {
    await bench.close();
  }
  return { finished, faults };
}

interface Place {
  readonly folder: string;
  readonly ledger: Ledger;
}

async function openBench(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-projections-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  await writeVaried(ledger);
  return { folder, ledger };
}

class ProjectionBench {
  readonly #folder: string;
  readonly #ledger: Ledger;
  readonly #tables: string;
  #rollouts = 1000;
  #expected: { readonly events: number; readonly digests: Digests } | null = null;

  constructor({ folder, ledger }: Place) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#tables = join(folder, 'ledger.tables');
  }

  async prepare(situation: (typeof situations)[number], which: number): Promise<void> {
    if (situation === 'first build') rmSync(this.#tables, { recursive: true, force: true });
    if (situation === 'catch up') await this.#record(40);
    if (situation === 'refill') await this.#forgetDefinition(which);
  }

  /** False if it completed, or had failed, before. */
  async killAfter(situation: (typeof situations)[number], ms: number): Promise<boolean> {
    const mode: ProjectionMode = situation === 'rebuild' || situation === 'follow' ? situation : 'catch up';
    const child = spawn(process.execPath, [program, this.#ledger.url, this.#tables, mode, '10'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
    const waiting = new AbortController();
    const recording = mode === 'follow' ? this.#record(30) : Promise.resolve();
    await Promise.race([sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined), ended]);
    waiting.abort();
    child.kill('SIGKILL');
    await recording;
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    if (code !== null && code !== 0) throw new Error(`a process that should project ended with ${code}`);
    return signal === 'SIGKILL';
  }

  /** Continues where the killed process stopped. */
  async fault(): Promise<string | null> {
    const { path } = await project(this.#ledger, this.#tables);
    const unlike = different(await this.#expectedDigests(), await tableDigests(path, 'tables'));
    return unlike ?? this.#litter(true);
  }

  async faultInTheEnd(): Promise<string | null> {
    const { path } = await project(this.#ledger, this.#tables);
    const continued = await tableDigests(path, 'tables');
    const { path: rebuilt } = await project(this.#ledger, this.#tables, { rebuild: true });
    return different(await tableDigests(rebuilt, 'tables'), continued) ?? this.#litter(false);
  }

  async close(): Promise<void> {
    await this.#ledger.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #record(count: number): Promise<void> {
    await writeRollouts(this.#ledger, this.#rollouts, count);
    this.#rollouts += count;
  }

  /** As if a table had been filled by another definition. */
  async #forgetDefinition(which: number): Promise<void> {
    const { path } = await project(this.#ledger, this.#tables);
    const held = await hold(path, {});
    const connection = await held.connect();
    await connection.run(
      `UPDATE log.definitions SET digest = 'another' WHERE name IN
       (SELECT name FROM log.definitions ORDER BY name OFFSET floor(${which} * (SELECT count(*) FROM log.definitions)) LIMIT 1)`,
    );
    held.release();
    recordAsOwn(this.#ledger, path);
  }

  async #expectedDigests(): Promise<Digests> {
    const { events } = await this.#ledger.head();
    if (this.#expected?.events === events) return this.#expected.digests;
    const elsewhere = join(this.#folder, 'rebuilt');
    const { path } = await project(this.#ledger, elsewhere);
    const digests = await tableDigests(path, 'tables');
    rmSync(elsewhere, { recursive: true });
    this.#expected = { events, digests };
    return digests;
  }

  /** An interrupted rebuild may leave a partial file, which the next one continues. */
  #litter(orBeginning: boolean): string | null {
    const generation = generationIn(this.#tables);
    const inUse = generationPath(this.#tables, generation);
    const strange = readdirSync(this.#tables).filter((name) => {
      const isBeginning = Number(/^building-(\d{6})\.duckdb/.exec(name)?.[1] ?? 0) > generation;
      const isKnown = name === 'settings.json' || [inUse, `${inUse}.at`].includes(join(this.#tables, name));
      return !isKnown && !(orBeginning && isBeginning);
    });
    return strange.length === 0 ? null : `left lying: ${strange.join(', ')}`;
  }
}

function different(expected: Digests, found: Digests): string | null {
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  const unlike = [...names].filter((name) => expected[name] !== found[name]);
  const shown = unlike.map((name) => `${name}: ${found[name]} instead of ${expected[name]}`);
  return shown.length === 0 ? null : shown.join('; ');
}
