// The folder of the peers and their data: an ignored folder of the clone, so that it is on the same disk as icecore's data (a temporary folder
// may be in memory, where durability is free).
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const peersFolder = join(import.meta.dirname, '../../.cache/peers');
export const venv = join(peersFolder, 'venv');
export const npm = join(peersFolder, 'npm');

export const howToInstall = 'node bench/peers/run.ts --install';

/** The Python with the tools, or null. */
export function findPython(): string | null {
  const own = join(venv, 'bin/python');
  return process.env['ICECORE_BENCH_PYTHON'] ?? (existsSync(own) ? own : null);
}

export function hasEmmett(): boolean {
  return existsSync(join(npm, 'node_modules/@event-driven-io/emmett-sqlite'));
}
