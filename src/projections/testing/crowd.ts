// Many processes at once on one ledger and its tables, which write, follow, query, rebuild and copy. None may have an
// error, and in the end all have the same tables.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../ledger/ledger.ts';
import { tableDigests } from '../digests.ts';
import { project } from '../projector/projector.ts';
import type { Part } from './crowd-process.ts';

const program = fileURLToPath(new URL('./crowd-process.ts', import.meta.url));

export interface Member {
  readonly part: Part;
  /** The number of repetitions, or until the others are done. */
  readonly rounds?: number;
}

export interface Crowded {
  /** The number of repetitions by process. */
  readonly done: readonly string[];
  readonly faults: readonly string[];
}

class CrowdProcess {
  readonly #member: Member;
  readonly #child;
  readonly #ended: Promise<{ readonly code: number | null; readonly said: string; readonly complaint: string }>;

  constructor(member: Member, url: string, folder: string, index: number) {
    this.#member = member;
    const rounds = String(member.rounds ?? Number.MAX_SAFE_INTEGER);
    const args = [program, url, folder, member.part, rounds, String(index)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
      ([[code], said, complaint]) => ({ code: code as number | null, said, complaint }),
    );
  }

  get goesOn(): boolean {
    return this.#member.rounds === undefined;
  }

  stop(): void {
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.end('stop\n');
  }

  /** The number of its repetitions. */
  async ended(): Promise<{ readonly done: string; readonly fault: string | null }> {
    const { code, said, complaint } = await this.#ended;
    const { part } = this.#member;
    const rounds = said.trim().split('\n').at(-1) ?? '';
    return { done: `${part} ${rounds}`, fault: code === 0 ? null : `${part}: ${complaint.slice(0, 2000)}` };
  }
}

/** Endless ones are stopped when the others are done and this number of seconds has passed. */
export async function crowd(ledger: Ledger, folder: string, members: readonly Member[], seconds = 0): Promise<Crowded> {
  const processes = members.map((member, index) => new CrowdProcess(member, ledger.url, folder, index + 10));
  await sleep(seconds * 1000);
  for (const one of processes.filter((one) => !one.goesOn)) await one.ended();
  for (const one of processes.filter((one) => one.goesOn)) one.stop();
  const ends = await Promise.all(processes.map((one) => one.ended()));
  const faults = ends.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  return { done: ends.map(({ done }) => done), faults: [...faults, ...(await faultsLeft(ledger, folder))] };
}

async function faultsLeft(ledger: Ledger, folder: string): Promise<readonly string[]> {
  const { path } = await project(ledger, folder);
  const kept = await tableDigests(path, 'tables');
  const { path: rebuilt } = await project(ledger, folder, { rebuild: true });
  const rebuiltDigests = await tableDigests(rebuilt, 'tables');
  const unlike = Object.keys(rebuiltDigests).filter((name) => rebuiltDigests[name] !== kept[name]);
  const strange = readdirSync(folder).filter(
    (name) =>
      ![rebuilt, `${rebuilt}.at`].includes(join(folder, name)) && !['snapshot.duckdb', 'settings.json'].includes(name),
  );
  return [...unlike.map((name) => `${name} is not what a rebuild makes`), ...strange.map((name) => `${name} is left`)];
}
