// Whether what a ledger gives back is what was hashed, of its last events: a look, no verification.
import { type Check, ok } from './checks.ts';
import type { Ledger } from './ledger.ts';
import { placeOf } from './places.ts';

const lastEvents = 1000;

export async function checkLastEvents(ledger: Ledger): Promise<Check> {
  let looked = 0;
  for await (const events of ledger.readAll({ backwards: true, limit: lastEvents })) {
    for (const event of events) {
      looked++;
      if (event.hashed === event.digest) continue;
      const found = `${placeOf(event)} is not what was hashed`;
      return {
        name: 'digests',
        status: 'failed',
        found,
        remedy: 'Run `icecore verify`, and bring it back from a copy.',
      };
    }
  }
  return ok('digests', hashedAsStored(looked));
}

export function hashedAsStored(events: number): string {
  if (events === 0) return 'there is no event yet';
  return events === 1 ? 'the last event is what was hashed' : `the last ${events} events are what was hashed`;
}
