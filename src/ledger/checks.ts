// What a check of `icecore doctor` found: what was checked, how it is, what to do about it.
import { IcecoreError } from '../../schemas/errors.ts';
import { placeOf } from './event.ts';
import type { Ledger } from './ledger.ts';

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

export function failure(name: string, error: unknown): Check {
  const remedy = error instanceof IcecoreError ? error.remedy : '';
  return { name, status: 'failed', found: error instanceof Error ? error.message : String(error), remedy };
}

const lastEvents = 1000;

/** Whether what a ledger gives back is what was hashed, of its last events. */
export async function checkLastEvents(ledger: Ledger): Promise<Check> {
  let looked = 0;
  for await (const events of ledger.readAll({ backwards: true, limit: lastEvents })) {
    for (const event of events) {
      looked++;
      if (event.hashed === event.digest) continue;
      const found = `${placeOf(event)} is not what was hashed`;
      const remedy = 'Run `icecore verify`, and bring it back from a copy.';
      return { name: 'digests', status: 'failed', found, remedy };
    }
  }
  return ok('digests', hashedAsStored(looked));
}

export function hashedAsStored(events: number): string {
  if (events === 0) return 'there is no event yet';
  return events === 1 ? 'the last event is what was hashed' : `the last ${events} events are what was hashed`;
}
