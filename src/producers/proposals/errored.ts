// An engineer that could not answer: nothing is decided by that. It is asked again as often as somebody wants, like all else
// that may be there a moment later, and then it is an error, which ends what needed the answer.
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { type Clock, pause, systemClock } from '../../lab/models/clock.ts';
import { ModelFault } from '../../lab/models/faults.ts';

export class EngineerErrored extends IcecoreError {
  override readonly name = 'EngineerErrored';
  /** As it can be recorded. */
  readonly errored: EventData['ProposalErrored'];

  constructor(errored: EventData['ProposalErrored'], remedy: string) {
    const { engineer, error } = errored;
    super('unavailable', error.message, { facts: { engineer: engineer.name, error: error.kind }, remedy });
    this.errored = errored;
  }
}

/** How often something is tried; between the tries are 5, 15, 45 and 135 seconds. */
export const mostTries = 5;
const firstPauseMs = 5000;
const growth = 3;

export interface Retrying {
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** Called before each pause. */
  readonly onRetry?: (why: string, seconds: number) => Promise<void>;
}

/** A program that died, an endpoint that is away, after all that its own client tried. */
function mayPass(fault: unknown): fault is IcecoreError {
  const isHopeless = fault instanceof ModelFault && fault.isHopeless;
  return fault instanceof IcecoreError && fault.kind === 'unavailable' && !isHopeless;
}

/** Throws what the last of the tries did, or the signal's reason. */
export async function retried<Result>(
  work: () => Promise<Result>,
  { signal, clock = systemClock, onRetry }: Retrying,
): Promise<Result> {
  for (let made = 1; ; made++) {
    try {
      return await work();
    } catch (fault) {
      if (!mayPass(fault) || made === mostTries) throw fault;
      signal.throwIfAborted();
      const wait = firstPauseMs * growth ** (made - 1);
      await onRetry?.(fault.message, wait / 1000);
      await pause(clock, wait, signal);
    }
  }
}
