// What there is to draw: a lake, how agents walked on it where they did, and what went wrong.
import type { Instance } from '../instance.ts';
import type { Failure } from '../judgement.ts';
import type { Plan } from '../plan.ts';

export interface Scene {
  readonly instance: Instance;
  /** Of any number of texts: who has none stays at its start, and who is no agent is not drawn. */
  readonly plan?: Plan;
  readonly failures?: readonly Failure[];
}

/** An agent's letter: small for the agent itself, the capital for its goal. */
export function letterOf(agent: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + agent);
}

export function goalLetterOf(agent: number): string {
  return letterOf(agent).toUpperCase();
}
