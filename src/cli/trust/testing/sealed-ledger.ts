// A ledger whose evidence is sealed, as the commands make it, for tests of verification.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LedgerHead } from '../../../../schemas/head.ts';
import { evidenceStream, ndjson, rollouts, sentNote } from '../../testing/events.ts';
import { icecore, inFolder, json, type Ran, temporaryFolder } from '../../testing/harness.ts';
import { faultsAgainst } from '../../testing/published.ts';

export const run = 'c0ntractc0nt';
export const evidence: string = evidenceStream;

export interface Place {
  readonly cwd: string;
  readonly ic: (...argv: readonly string[]) => Promise<Ran>;
}

/** A ledger with 20 rollouts and two notes, without a seal. */
export async function ledgerToSeal(): Promise<Place> {
  const cwd = temporaryFolder();
  const ic = inFolder(cwd);
  await icecore(['event', 'append'], { cwd, stdin: ndjson([...rollouts(20), sentNote(0), sentNote(1)]) });
  return { cwd, ic };
}

/** The same, and its seal. */
export async function sealedLedger(): Promise<Place> {
  const place = await ledgerToSeal();
  const sealed = await place.ic('ledger', 'seal', `${run}@2`, '--actor', 'human/ada', '--json');
  expect(faultsAgainst('ledger-seal', json(sealed))).toEqual([]);
  return place;
}

export async function keepHead({ cwd, ic }: Place, file: string, ...flags: readonly string[]): Promise<LedgerHead> {
  const { stdout, code } = await ic('ledger', 'head', ...flags);
  expect(code).toBe(0);
  writeFileSync(join(cwd, file), stdout);
  return JSON.parse(stdout) as LedgerHead;
}
