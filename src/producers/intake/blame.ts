// Which of the events of a refused append is the one it was refused for.
import type { IcecoreError } from '../../../schemas/errors.ts';
import { DuplicateId, EventTooLarge } from '../../ledger/errors.ts';
import { bodyAt } from '../../ledger/event.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { faultOf } from './as-written.ts';
import type { Refused, Taken } from './window.ts';

/** Null where the fault is not one event's. */
export function blamed(taken: readonly Taken[], fault: IcecoreError): Refused | null {
  const guilty = fault instanceof DuplicateId ? withTakenId(taken, fault.id) : tooLarge(taken, fault);
  return guilty === undefined ? null : { piece: guilty.piece, fault: faultOf(fault, 0, guilty) };
}

function tooLarge(taken: readonly Taken[], fault: IcecoreError): Taken | undefined {
  return fault instanceof EventTooLarge ? taken[Number(fault.facts['index'])] : undefined;
}

/** Where an id comes twice, the one that differs from the first is to blame; where all agree, the first. */
function withTakenId(taken: readonly Taken[], id: string): Taken | undefined {
  const [first, ...others] = taken.filter(({ event }) => event.id === id);
  if (first === undefined) return undefined;
  return others.find((other) => differences(bodyOf(first), bodyOf(other)).length > 0) ?? first;
}

function bodyOf({ stream, event }: Taken): string {
  const [prepared] = prepareEvents(stream, [event], Number.MAX_SAFE_INTEGER);
  return prepared === undefined ? '' : bodyAt(prepared, 0, null);
}
