// Recomputed runs for tests, and consistent forgeries of them.
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { registry } from '../../../../testbed/testing/registry.ts';
import { createOnce } from '../../../base/testing/folder-content.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { verifyLedger } from '../../../ledger/verify/verify.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../../run/testing/tiny.ts';
import { type Recomputed, type RecomputeOptions, recompute } from '../recompute.ts';
import { type Forge, forge } from './forging.ts';

export const run = 'tiny00000000';
/** Of its first stage. */
export const evidence: string = `evidence-${run}-1-0-0`;

/** A run with all rollouts recorded: made once per process, and copied. */
export async function recordedRun(change: Partial<RunSettings> = {}): Promise<TinyPlace> {
  const settings = tinySettings({ record: 'all', ...change });
  const folder = await createOnce(['recorded', settings], async (folder) => {
    const place = await tinyPlace(folder);
    await runTiny(place, { run, settings });
    await place.ledger.close();
  });
  const copy = mkdtempSync(join(tmpdir(), 'icecore-run-'));
  cpSync(folder, copy, { recursive: true });
  return await tinyPlace(copy);
}

/** Another run with all rollouts recorded, in the same ledger. */
export async function recordBeside(place: TinyPlace, run: string, change: Partial<RunSettings>): Promise<void> {
  await runTiny(place, { run, settings: tinySettings({ record: 'all', ...change }) });
}

/** Copies of ledgers that a test file made. */
export class Copies {
  readonly #made: TinyPlace[] = [];

  /** A consistent copy of the ledger with forged events. */
  async forged(from: TinyPlace, forged: Forge): Promise<Ledger> {
    const copy = await tinyPlace();
    this.#made.push(copy);
    await forge(from.ledger, copy.ledger, forged);
    const blobs = `folder:${join(from.folder, 'blobs')}`;
    const { faults } = await verifyLedger(copy.ledger.url, { blobs, run: null, head: null });
    expect(faults).toBe(0);
    return copy.ledger;
  }

  async close(): Promise<void> {
    for (const copy of this.#made) await copy.close();
  }
}

type Others = Partial<Pick<RecomputeOptions, 'run' | 'allow' | 'conclude' | 'textOf'>>;

export function again(ledger: Ledger, others: Others = {}): Promise<Recomputed> {
  const { signal } = new AbortController();
  const textOf = async (text: { text: string } | { blob: string }) => ('text' in text ? text.text : null);
  const onProgress = async (): Promise<void> => {};
  const usual = { run, allow: null, registry };
  return recompute({ ledger, textOf, signal, onProgress, ...usual, ...others });
}

/** One line per finding. */
export function findingTexts({ findings }: Recomputed): string[] {
  return findings.kept.map(({ kind, where, says }) => `${kind} ${where} ${says}`);
}
