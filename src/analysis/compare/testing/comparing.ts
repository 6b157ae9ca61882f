// Comparisons of runs that were written by hand, in a ledger that lasts as long as the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Compared, RunDifference } from '../../../../schemas/compare-output.ts';
import { openLedger } from '../../../ledger/open.ts';
import type { Recording } from '../../history/testing/recording.ts';
import { type ComparisonQuery, compared } from '../compare.ts';
import { evenlyValid, type RunMade, runMade } from './sweep.ts';

export const usual: ComparisonQuery = {
  ...{ runs: [], tag: null, against: null, suite: null, measure: null },
  ...{ by: [], despite: [], margin: null, all: false },
};

type Compare = (runs: readonly string[], asked?: Partial<ComparisonQuery>) => Promise<Compared>;

export async function ledgerWith(...recordings: readonly Recording[]): Promise<Compare> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-compare-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  onTestFinished(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  for (const recording of recordings) await recording.writeTo(ledger);
  return async (runs, asked = {}) => await compared(ledger, { ...usual, runs: runs.map(reference), ...asked });
}

export function reference(text: string): { run: string; stage: number | null } {
  const [run = '', stage] = text.split('@');
  return { run, stage: stage === undefined ? null : Number(stage) };
}

export function only(result: Compared): RunDifference {
  const [set, ...others] = result.sets;
  const [difference, ...more] = set?.differences ?? [];
  expect([others, more]).toEqual([[], []]);
  if (difference === undefined) throw new Error('nothing was compared');
  return difference;
}

export const notesIn = (result: Compared): string => result.sets.flatMap(({ notes }) => notes).join('\n');

export const low = evenlyValid(50);
export const high = evenlyValid(70);
export const made = (name: string, more: Partial<RunMade> = {}): Recording =>
  runMade({ name, valid: [low, high], ...more });
