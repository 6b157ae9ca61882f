// Kills the process of an ablation repeatedly, and compares the final result with that of an uninterrupted one.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type TinyPlace, tinySettings } from '../../run/testing/tiny.ts';
import { isKilledAfter } from '../../testing/killing.ts';
import { ablationFacts } from './ablation-facts.ts';
import { ablateTiny, keptRuns, type TinyAblation } from './tiny-ablation.ts';

const program = fileURLToPath(new URL('./ablation-process.ts', import.meta.url));

const run = 'tiny00000000';

const small = { budget: { 'agent-steps': 60 }, context: 'v1', validation: 2, trained: 2 };

/** Some decide the same, and share a training. */
const askedWhenKilled: TinyAblation = {
  ...{ runs: [run], depth: 'train', forms: ['v1'] },
  arms: ['rules/v1', 'actual', 'fixed'],
};

/** The approximate number of lines of an ablation that is not killed. */
const linesOfAnAblation = 12;

export interface KilledAblations {
  /** Completed ablations. */
  readonly finished: number;
  readonly faults: readonly string[];
}

/** `moment`, from 0 to 1 for each process, determines how long it runs. */
export async function killAblations(
  kills: number,
  seed: number,
  moment: (process: number) => number,
  onKill?: (kill: number, faults: number) => void,
): Promise<KilledAblations> {
  const kept = await keptRuns({ run, settings: tinySettings({ seed, ...small }) });
  const unkilled = await kept.copy();
  const faults: string[] = [];
  let finished = 0;
  let left = kills;
  try {
    const { design } = await ablateTiny(unkilled, askedWhenKilled);
    const expected = await eventTypes(unkilled, design.ablation);
    for (let process = 0; left > 0; finished++) {
      const killed = await kept.copy();
      try {
        while (left > 0 && (await isKilled(killed, Math.floor(moment(process++) * linesOfAnAblation)))) {
          left--;
          onKill?.(kills - left, faults.length);
        }
        await ablateTiny(killed, askedWhenKilled);
        const found = await eventTypes(killed, design.ablation);
        const other = expected.findIndex((event, i) => event !== found[i]);
        if (other >= 0 || found.length !== expected.length) {
          faults.push(`ablation ${finished}, ${kills - left} kills so far: ${expected[other]}, found ${found[other]}`);
        }
      } finally {
        await killed.close();
      }
    }
  } finally {
    await unkilled.close();
  }
  return { finished, faults };
}

async function eventTypes({ ledger }: TinyPlace, ablation: string): Promise<readonly string[]> {
  return (await ablationFacts(ledger, ablation)).map((event) => JSON.stringify(event));
}

/** A separate process that runs it and prints a line for each progress report. */
export function ablationIn(folder: string, asked: TinyAblation): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [program, folder, JSON.stringify(asked)], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** False if it completed first. */
async function isKilled({ folder }: TinyPlace, lines: number): Promise<boolean> {
  const child = ablationIn(folder, askedWhenKilled);
  child.stderr.pipe(process.stderr);
  return await isKilledAfter(lines, child);
}
