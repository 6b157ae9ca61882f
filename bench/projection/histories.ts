// Histories for benchmarks, each made once in a separate process, so that its memory does not count in the measurement.
// `node bench/projection/histories.ts URL ROLLOUTS SEED`
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openLedger } from '../../src/ledger/open.ts';
import { peakMiB } from '../million.ts';
import { makeHistory } from './history.ts';

export interface Made {
  readonly url: string;
  readonly rollouts: number;
  readonly events: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly peakMiB: number;
}

const seed = 1;

export class Histories {
  readonly #folder: string;
  readonly #made = new Map<number, Promise<Made>>();

  /** The folder of the histories. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A shared ledger, to read or to copy. */
  of(rollouts: number): Promise<Made> {
    const known = this.#made.get(rollouts) ?? this.#make(rollouts);
    this.#made.set(rollouts, known);
    return known;
  }

  async #make(rollouts: number): Promise<Made> {
    const path = join(this.#folder, `history-${rollouts}.db`);
    const own = fileURLToPath(import.meta.url);
    const output = await promisify(execFile)(process.execPath, [own, `sqlite:${path}`, String(rollouts), String(seed)]);
    return { ...(JSON.parse(output.stdout) as Omit<Made, 'bytes'>), bytes: statSync(path).size };
  }
}

async function make(url: string, rollouts: number, ofSeed: number): Promise<Omit<Made, 'bytes'>> {
  const begun = performance.now();
  await makeHistory(url, { rollouts, seed: ofSeed });
  const seconds = Math.round(performance.now() - begun) / 1000;
  const ledger = await openLedger(url, { readOnly: true });
  const { events } = await ledger.head();
  await ledger.close();
  return { url, rollouts, events, seconds, peakMiB: peakMiB() };
}

const [, program, url, rollouts, ofSeed] = process.argv;
if (program?.endsWith('histories.ts') && url !== undefined) {
  console.log(JSON.stringify(await make(url, Number(rollouts), Number(ofSeed))));
}
