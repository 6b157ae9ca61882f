// Kills the process of a run repeatedly, and compares the final result with that of a run that was never killed.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isKilledAfter } from '../../testing/killing.ts';
import { countedOf } from './counted.ts';
import { runFacts } from './run-facts.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from './tiny.ts';

const program = fileURLToPath(new URL('./run-process.ts', import.meta.url));

/** The approximate number of lines of a run that is not killed. */
const linesOfARun = 70;

export interface KilledRuns {
  /** Completed runs. */
  readonly finished: number;
  readonly faults: readonly string[];
}

/** `moment`, from 0 to 1 for each process, determines how long it runs. */
export async function killRuns(
  kills: number,
  seed: number,
  moment: (process: number) => number,
  onKill?: (kill: number, faults: number) => void,
  newPlace: () => Promise<TinyPlace> = tinyPlace,
): Promise<KilledRuns> {
  const unkilled = await tinyPlace();
  const faults: string[] = [];
  let finished = 0;
  let left = kills;
  try {
    const settings = tinySettings({ seed, record: 'all' });
    await runTiny(unkilled, { run: runOf(0), settings });
    const factsOf = newPlace === tinyPlace ? runFacts : countedOf;
    const expected = JSON.stringify(await factsOf(unkilled.ledger, runOf(0)));
    for (let process = 0; left > 0; finished++) {
      const killed = await newPlace();
      try {
        while (left > 0 && (await isKilled(killed, seed, Math.floor(moment(process++) * linesOfARun)))) {
          left--;
          onKill?.(kills - left, faults.length);
        }
        await runTiny(killed, { run: runOf(0), settings });
        const fault = difference(expected, JSON.stringify(await factsOf(killed.ledger, runOf(0))));
        if (fault !== null) faults.push(`run ${finished}, ${kills - left} kills so far: ${fault}`);
      } finally {
        await killed.close();
      }
    }
  } finally {
    await unkilled.close();
  }
  return { finished, faults };
}

function runOf(index: number): string {
  return `tiny0000000${index}`;
}

/** False if it completed first. */
async function isKilled({ folder }: TinyPlace, seed: number, lines: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, folder, runOf(0), String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return await isKilledAfter(lines, child);
}

function difference(expected: string, found: string): string | null {
  if (expected === found) return null;
  const at = Array.from(expected).findIndex((character, i) => character !== found[i]);
  return `expected ...${expected.slice(Math.max(0, at - 200), at + 80)}, found ...${found.slice(Math.max(0, at - 40), at + 80)}`;
}
