// The ids of a run's decisions: they follow from the run, the stage, the type and an index.
import { codeOf, isOfDecision, type TypeName } from '../../../schemas/catalogue.ts';
import { eventId } from '../../ledger/identity/ids.ts';

export interface Placed {
  readonly type: TypeName;
  /** The stage during which the event was made: for a decision, the last one before the stage that it configures. */
  readonly stage: number | null;
  /** The index within its type and stage, from 0. */
  readonly index: number;
}

/** The stage that the event names: for a decision, the one it configures. */
export function stageNamed({ type, stage }: Pick<Placed, 'type' | 'stage'>): number | null {
  return isOfDecision(type) ? (stage ?? 0) + 1 : stage;
}

export function idOf(run: string, placed: Placed): string {
  const { type, index } = placed;
  return eventId({ run, stage: stageNamed(placed) ?? 0, kind: codeOf(type), index });
}
