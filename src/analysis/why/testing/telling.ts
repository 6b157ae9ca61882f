// What `why` tells of runs that were written by hand, each in a ledger of its own; all of it is as it was published.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { EventData } from '../../../../schemas/catalogue.ts';
import { why as schema, type Why } from '../../../../schemas/why-output.ts';
import { registry } from '../../../../testbed/testing/registry.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { findRun } from '../../../ledger/runs.ts';
import { readRun } from '../../../producers/history/reading.ts';
import { Recording } from '../../history/testing/recording.ts';
import { lastDecided, type WhyOptions, whyOf } from '../why.ts';
import { ledgerWith } from './evidence-run.ts';

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'icecore-why-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Telling extends WhyOptions {
  readonly stage?: number;
  readonly evidence?: boolean | Partial<EventData['RolloutRecorded']>;
  readonly run?: string;
}

export async function explain(recordings: Recording | readonly Recording[], telling: Telling = {}): Promise<Why> {
  const [first, ...others] = recordings instanceof Recording ? [recordings] : recordings;
  const { stage, evidence = true, run, ...options } = telling;
  const ledger = await ledgerWith(temporaryFolder(), first as Recording, evidence);
  try {
    for (const one of others) await one.writeTo(ledger);
    return await explanationFrom(ledger, run ?? (first as Recording).run, stage, options);
  } finally {
    await ledger.close();
  }
}

export async function explanationFrom(
  ledger: Ledger,
  run: string,
  stage: number | undefined,
  options: WhyOptions,
): Promise<Why> {
  const read = await readRun(ledger, await findRun(ledger, run));
  const why = await whyOf(ledger, read, stage ?? lastDecided(read), { registry: async () => registry, ...options });
  expect(schema.safeParse(why).error).toBeUndefined();
  return why;
}

export function only<Item>(items: readonly Item[]): Item {
  expect(items).toHaveLength(1);
  return items[0] as Item;
}
