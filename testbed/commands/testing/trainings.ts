// Small trainings for tests, of about a second, each in its own folder.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TrainLine, TrainResult } from '../../../schemas/training-output.ts';
import {
  icecore,
  lines,
  type Ran,
  type Surroundings,
  temporaryFolder,
  withDefaults,
} from '../../../src/cli/testing/harness.ts';
import { faultsAgainst } from '../../../src/cli/testing/published.ts';

export const shellTrainer: string = fileURLToPath(
  new URL('../../../examples/trainers/shell-trainer.sh', import.meta.url),
);

/** A folder with a `config.json`: one agent on the smallest lakes, which is learned at once. */
export function workplace(cwd: string = temporaryFolder()): string {
  const sizes = { '3': { data: 0.75, hole: 0.1, wait: 0 }, '4': { data: 0.25, hole: 0.1, wait: 0 } };
  writeFileSync(join(cwd, 'config.json'), JSON.stringify({ agents: 1, sizes }));
  return cwd;
}

/** With the built-in trainer. */
export function train(cwd: string, words: readonly string[] = [], more: Partial<Surroundings> = {}): Promise<Ran> {
  const options = withDefaults(words, { '--config': 'config.json', '--budget': '6_000' });
  return icecore(['lake', 'train', ...options], { cwd, ...more });
}

/** With a program, which gets the words. */
export function trainWith(
  cwd: string,
  program: readonly string[],
  words: readonly string[] = [],
  more: Partial<Surroundings> = {},
): Promise<Ran> {
  const options = withDefaults(words, { '--config': 'config.json', '--budget': '1_000' });
  return icecore(['lake', 'train', ...options, '--', ...program], { cwd, ...more });
}

/** The JSON output, checked with the published schema. */
export function trainLines(ran: Pick<Ran, 'stdout'>): readonly TrainLine[] {
  return lines(ran.stdout).map((line) => {
    const value: unknown = JSON.parse(line);
    const faults = faultsAgainst('lake-train', value);
    if (faults.length > 0) throw new Error(`invalid output: ${faults.join('; ')}`, { cause: value });
    return value as TrainLine;
  });
}

export function resultIn(ran: Pick<Ran, 'stdout'>): TrainResult {
  const last = trainLines(ran).at(-1);
  if (last?.kind !== 'trained') throw new Error('no result', { cause: ran });
  return last;
}

/** Runs until the first line reports a saved checkpoint, then stops it as Ctrl-C does. */
export async function stoppedOnceSaved(run: (more: Partial<Surroundings>) => Promise<Ran>): Promise<Ran> {
  const stop = new AbortController();
  return await run({
    signal: stop.signal,
    onOutput: (text) => {
      if (text.includes('"kind":"saved"')) stop.abort('SIGINT');
    },
  });
}
