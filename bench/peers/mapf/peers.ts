// Other solvers on the lakes that icecore solves: each is a program that reads them from a file and writes what it found
// and how long it took to another (README.md). A folder of such programs is named by ICECORE_BENCH_MAPF.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Instance } from '../../../testbed/lake/instance.ts';
import { limit, type Round } from '../../lake/solving.ts';

export interface Peer {
  readonly name: string;
  readonly program: string;
}

const known = [
  { name: 'libMultiRobotPlanning CBS', file: 'libmrp' },
  { name: 'CBSH2-RTC', file: 'cbsh2' },
] as const;

export const howToHavePeers =
  'ICECORE_BENCH_MAPF=FOLDER runs other solvers beside icecore; bench/peers/mapf/README.md says what is in that folder';

/** Those whose programs are in the folder; none where no folder is named. */
export function findPeers(): readonly Peer[] {
  const folder = process.env['ICECORE_BENCH_MAPF'];
  if (folder === undefined) return [];
  const found = known
    .map(({ name, file }) => ({ name, program: resolve(folder, file) }))
    .filter(({ program }) => existsSync(program));
  if (found.length > 0) return found;
  const names = known.map(({ file }) => file).join(' or ');
  throw new Error(`ICECORE_BENCH_MAPF: found no ${names} in ${folder}, allowed: a folder that has one of them`);
}

/** One round. The time is what the program measured around solving each lake: starting, reading and freeing are its gift. */
export function solveAllWith({ name, program }: Peer, lakes: readonly Instance[]): Round {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-bench-mapf-'));
  try {
    const [asked, told] = [join(folder, 'lakes.txt'), join(folder, 'answers.csv')];
    writeFileSync(asked, lakes.map(textOf).join(''));
    execFileSync(program, [asked, told, String(limit / 1_000_000)], { stdio: ['ignore', 'ignore', 'inherit'] });
    return roundOf(name, readFileSync(told, 'utf8'), lakes.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `id size holes agents`, the cells of holes, then start and goal of every agent. */
function textOf({ size, holes, agents }: Instance, id: number): string {
  const cells = [...holes.keys()].filter((cell) => holes[cell] === 1);
  const ends = agents.flatMap(({ start, goal }) => [start, goal]);
  return `${[id, size, cells.length, agents.length, ...cells, ...ends].join(' ')}\n`;
}

/** A head, then a line a lake: `id,microseconds,cost,status`, the cost empty where the lake is unsolved. */
function roundOf(name: string, csv: string, count: number): Round {
  const rows = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  if (rows.length !== count) throw new Error(`${name}: found ${rows.length} answers, allowed: ${count}, one a lake`);
  const microseconds = Float64Array.from(rows, ([, time]) => Number(time));
  const costs = rows.map(([, , cost, status], i) =>
    status === 'solved' && (microseconds[i] as number) <= limit ? Number(cost) : null,
  );
  return { microseconds, costs, milliseconds: microseconds.reduce((sum, time) => sum + time, 0) / 1000 };
}
