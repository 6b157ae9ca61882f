// The ids of what a run decides: they follow from the run, the stage, the type and which of them it is.
import { codeOf, type TypeName } from '../../../schemas/catalogue.ts';
import { eventId } from '../../ledger/identity/ids.ts';

export interface Placed {
  readonly type: TypeName;
  readonly stage: number | null;
  /** Which of its type and stage, from 0. */
  readonly index: number;
}

export function idOf(run: string, { type, stage, index }: Placed): string {
  return eventId({ run, stage: stage ?? 0, kind: codeOf(type), index });
}
