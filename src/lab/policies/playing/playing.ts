// A policy that its environment lets play by itself: what it answers comes with the verdict, both from the environment.
import { abortable } from '../../environments/abortable.ts';
import type { Configuration, Environment } from '../../environments/environment.ts';
import type { Rollout } from '../../environments/verdict.ts';
import { PolicyClosed } from '../errors.ts';
import type { Checkpoint, Planned, PlanRequest, Policy } from '../policy.ts';
import { CannotPlay } from './errors.ts';
import { inBatches } from './in-batches.ts';

export interface PlayingSettings {
  /** It may be used by others too, and is not closed with the policy. */
  readonly environment: Pick<Environment, 'descriptor' | 'rollout'>;
  /** What the environment calls it. */
  readonly name: string;
  /** The snapshot that plays; null for a policy that is not trained, or not yet. */
  readonly checkpoint: Checkpoint | null;
  readonly parameters?: Configuration;
}

/** Tasks that are played at once, at most. */
const batch = 64;

/** Throws CannotPlay where the environment lets nobody play by himself. */
export function openPlaying({ environment, name, checkpoint, parameters }: PlayingSettings): Policy {
  const { descriptor, rollout } = environment;
  if (rollout === undefined) throw new CannotPlay(descriptor.environment, name);
  const closing = new AbortController();
  const known = parameters === undefined ? {} : { parameters };
  const policy = { name, ...known, ...(checkpoint === null ? {} : { checkpoint: checkpoint.reference }) };
  return {
    component: { name, ...known },
    checkpoint,
    // It knows no best answer: greedy ones are drawn like any other.
    canBeGreedy: false,

    async *plan({ tasks, samples = 1, seed, signal: stop }: PlanRequest) {
      closing.signal.throwIfAborted();
      const leaving = new AbortController();
      const signal = AbortSignal.any([closing.signal, leaving.signal, ...(stop === undefined ? [] : [stop])]);
      try {
        for await (const some of inBatches(abortable(tasks, signal), batch, ({ id }) => id)) {
          for await (const played of rollout.call(environment, { tasks: some, samples, policy, seed, signal })) {
            signal.throwIfAborted();
            yield plannedFrom(played);
            signal.throwIfAborted();
          }
        }
      } finally {
        leaving.abort(new PolicyClosed(name));
      }
    },

    close: async () => {
      closing.abort(new PolicyClosed(name));
    },
  };
}

function plannedFrom({ prompt, completion, stopReason, tokens, ...planned }: Rollout): Planned {
  const told = {
    ...(prompt === undefined ? {} : { prompt }),
    ...(completion === undefined ? {} : { completion }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(tokens === undefined ? {} : { tokens }),
  };
  return Object.keys(told).length === 0 ? planned : { ...planned, told };
}
