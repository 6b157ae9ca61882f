// Ledgers of a test file that are verified: places for new ones, and what is found in one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Finding } from '../../verify/findings.ts';
import { type VerifyOptions, verifyLedger } from '../../verify/verify.ts';

/** Paths that are free, in a folder that is removed at the end. */
export function freshPaths(): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-verify-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let made = 0;
  return () => join(folder, `${made++}.db`);
}

export const everything: VerifyOptions = { blobs: null, run: null, head: null };

export async function findingsOf(path: string, options: Partial<VerifyOptions> = {}): Promise<readonly Finding[]> {
  return (await verifyLedger(`sqlite:${path}`, { ...everything, ...options })).findings;
}

export const kindsAt = (findings: readonly Finding[]): string[] =>
  findings.map(({ kind, where }) => `${kind} ${where}`);
