// Other solvers on the same lakes: each is a program that reads them from a file and writes answers and times to another (README.md).
// ICECORE_BENCH_MAPF names the folder of these programs.
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
  'ICECORE_BENCH_MAPF=FOLDER also runs other solvers; bench/peers/mapf/README.md describes that folder';

/** The solvers whose programs are in the folder; none if no folder is named. */
export function findPeers(): readonly Peer[] {
  const folder = process.env['ICECORE_BENCH_MAPF'];
  if (folder === undefined) return [];
  const found = known
    .map(({ name, file }) => ({ name, program: resolve(folder, file) }))
    .filter(({ program }) => existsSync(program));
  if (found.length > 0) return found;
  const names = known.map(({ file }) => file).join(' or ');
  throw new Error(`ICECORE_BENCH_MAPF: found no ${names} in ${folder}, allowed: a folder with one of them`);
}

/** One round. The program itself measures the time to solve each lake, without starting, reading and freeing. */
export function solveAllWith({ name, program }: Peer, lakes: readonly Instance[]): Round {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-bench-mapf-'));
  try {
    const [input, answers] = [join(folder, 'lakes.txt'), join(folder, 'answers.csv')];
    writeFileSync(input, lakes.map(textOf).join(''));
    execFileSync(program, [input, answers, String(limit / 1_000_000)], { stdio: ['ignore', 'ignore', 'inherit'] });
    return roundOf(name, readFileSync(answers, 'utf8'), lakes.length);
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

/** A header, then one line per lake: `id,microseconds,cost,status`, with an empty cost if unsolved. */
function roundOf(name: string, csv: string, count: number): Round {
  const rows = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  if (rows.length !== count) throw new Error(`${name}: found ${rows.length} answers, allowed: ${count}, one per lake`);
  const microseconds = Float64Array.from(rows, ([, time]) => Number(time));
  const costs = rows.map(([, , cost, status], i) =>
    status === 'solved' && (microseconds[i] as number) <= limit ? Number(cost) : null,
  );
  return { microseconds, costs, milliseconds: microseconds.reduce((sum, time) => sum + time, 0) / 1000 };
}
