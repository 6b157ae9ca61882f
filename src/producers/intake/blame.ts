// Which of the events of a refused append is the one it was refused for.
import type { EventTypes } from '../../../schemas/check.ts';
import type { IcecoreError } from '../../../schemas/errors.ts';
import { DuplicateId, EventTooLarge } from '../../ledger/errors.ts';
import { bodyAt } from '../../ledger/event.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { faultOf } from './as-written.ts';
import type { Refused, Taken } from './window.ts';

/** Null where the fault is not one event's. */
export function blamed(taken: readonly Taken[], fault: IcecoreError, types: EventTypes | undefined): Refused | null {
  const guilty = fault instanceof DuplicateId ? withTakenId(taken, fault.id, types) : tooLarge(taken, fault);
  return guilty === undefined ? null : { piece: guilty.piece, fault: faultOf(fault, 0, guilty) };
}

function tooLarge(taken: readonly Taken[], fault: IcecoreError): Taken | undefined {
  return fault instanceof EventTooLarge ? taken[Number(fault.facts['index'])] : undefined;
}

/** Where an id comes twice, the one that differs from the first is to blame; where all agree, the first. */
function withTakenId(taken: readonly Taken[], id: string, types: EventTypes | undefined): Taken | undefined {
  const [first, ...others] = taken.filter(({ event }) => event.id === id);
  if (first === undefined) return undefined;
  return others.find((other) => differences(bodyOf(first, types), bodyOf(other, types)).length > 0) ?? first;
}

function bodyOf({ stream, event }: Taken, types: EventTypes | undefined): string {
  const [prepared] = prepareEvents(stream, [event], Number.MAX_SAFE_INTEGER, types);
  return prepared === undefined ? '' : bodyAt(prepared, 0, null);
}
