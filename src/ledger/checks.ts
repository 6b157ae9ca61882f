// What a check of `icecore doctor` found: what was checked, how it is, what to do about it.
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import { messageOf } from '../base/folders.ts';
import { placeOf } from './event.ts';
import type { Ledger } from './ledger.ts';

/** One thing that was checked, with what was found and what to do about it. */
export interface Check {
  /** What was checked, in a word or two: `format`, `durability`. */
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  /** What to do about it; empty where nothing is. */
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

const lowSpaceBytes = 2 ** 30;

/** Where a folder is, or will be made. */
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

/** Whether what a ledger gives back is what was hashed, of its last events. */
export async function checkLastEvents(ledger: Ledger): Promise<Check> {
  let looked = 0;
  for await (const events of ledger.readAll({ backwards: true, limit: lastEvents })) {
    for (const event of events) {
      looked++;
      if (event.hashed === event.digest) continue;
      const remedy = 'Run `icecore verify`, and bring it back from a copy.';
      return failed('digests', `${placeOf(event)} is not what was hashed`, remedy);
    }
  }
  if (looked === 0) return ok('digests', 'there is no event yet');
  return ok(
    'digests',
    looked === 1 ? 'the last event is what was hashed' : `the last ${looked} events are what was hashed`,
  );
}
