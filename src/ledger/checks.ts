// The results of the checks of `icecore doctor`: what was checked, what was found, and what to do about it.
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { messageOf } from '../base/folders.ts';
import { LedgerMissing } from './errors.ts';
import { placeOf } from './event.ts';
import type { Ledger } from './ledger.ts';

/** The result of one check, with what was found and what to do about it. */
export interface Check {
  /** The subject of the check, in a word or two: `format`, `durability`. */
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  /** What to do about it; empty: nothing to do. */
  readonly remedy: string;
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, remedy: '' };
}

export function warning(name: string, found: string, remedy: string): Check {
  return { name, status: 'warning', found, remedy };
}

export function failed(name: string, found: string, remedy: string): Check {
  return { name, status: 'failed', found, remedy };
}

export function failure(name: string, error: unknown): Check {
  return failed(name, messageOf(error), error instanceof IcecoreError ? error.remedy : '');
}

/** The checks of an opened ledger; one that cannot be opened is a single check. */
export async function checksOf<Opened extends Ledger>(
  url: string,
  open: () => Promise<Opened>,
  look: (ledger: Opened) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    const ledger = await open();
    try {
      return await look(ledger);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerMissing)) return [failure('ledger', error)];
    return [warning('ledger', `none at ${url} yet`, 'Create one with `icecore init`.')];
  }
}

const lowSpaceBytes = 2 ** 30;

/** The free space where a folder is, or will be created. */
export function checkSpace(path: string): Check {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const found = `${((bavail * bsize) / 2 ** 30).toFixed(1)} GiB free in ${folder}`;
  return bavail * bsize < lowSpaceBytes
    ? warning('disk', found, 'Free some space before a long run.')
    : ok('disk', found);
}

const lastEvents = 1000;

/** Whether the last events of a ledger still match their digests. */
export async function checkLastEvents(ledger: Ledger): Promise<Check> {
  let looked = 0;
  for await (const events of ledger.readAll({ backwards: true, limit: lastEvents })) {
    for (const event of events) {
      looked++;
      if (event.hashed === event.digest) continue;
      const remedy = 'Run `icecore verify`, and restore it from a copy.';
      return failed('digests', `${placeOf(event)} does not match its digest`, remedy);
    }
  }
  if (looked === 0) return ok('digests', 'there is no event yet');
  return ok(
    'digests',
    looked === 1 ? 'the last event matches its digest' : `the last ${looked} events match their digests`,
  );
}
