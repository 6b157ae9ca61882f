// What a ledger that has yet to be made would refuse. Asked before it is made, so that a refused append leaves nothing.
import type { EventTypes } from '../../../schemas/check.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import { bodyAt, type Expectation, maxEventBytes, type PreparedEvent } from '../../ledger/event.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import { prepareEvents } from '../../ledger/prepare.ts';

/** Throws what a new ledger throws on this first append: InvalidEvents, EventTooLarge, WrongRevision, DuplicateId. */
export function refuseAsNewLedger(
  stream: string,
  events: readonly NewEvent[],
  expect: Expectation,
  types: EventTypes,
): void {
  const prepared = prepareEvents(stream, events, maxEventBytes, types);
  if (expect === 'exists' || typeof expect === 'number') throw new WrongRevision(stream, expect, -1);
  const seen = new Map<string, { readonly event: PreparedEvent; readonly revision: number }>();
  for (const event of prepared) {
    const first = seen.get(event.id);
    if (first === undefined) {
      seen.set(event.id, { event, revision: seen.size });
      continue;
    }
    const differs = differences(bodyAt(first.event, 0, null), bodyAt(event, 0, null));
    if (differs.length > 0) throw new DuplicateId(event.id, { stream, revision: first.revision }, differs);
  }
}
