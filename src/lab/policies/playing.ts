// A policy that its environment lets play by itself: what it answers comes with the verdict, both from the environment.

import { setImmediate } from 'node:timers/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import { abortable } from '../environments/abortable.ts';
import type { Configuration, Environment, Rollout } from '../environments/environment.ts';
import { type Checkpoint, type Planned, type PlanRequest, type Policy, PolicyClosed } from './policy.ts';

interface PlayingSettings {
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

// Items of a source that come one by one, as lists: whatever is there without waiting goes together.

/**
 * At most so many at once, and never two of the same name. What the source throws is thrown after all that came before it.
 */
async function* inBatches<Item>(
  source: AsyncGenerator<Item, void, undefined>,
  most: number,
  nameOf: (item: Item) => string,
): AsyncGenerator<Item[], void, undefined> {
  let next: Promise<IteratorResult<Item, void>> | null = null;
  try {
    for (;;) {
      const first = await (next ?? source.next());
      next = null;
      if (first.done === true) return;
      const items = [first.value];
      const names = new Set([nameOf(first.value)]);
      while (items.length < most) {
        next = source.next();
        const soon = await Promise.race([next.catch(() => null), setImmediate(null)]);
        if (soon === null || soon.done === true || names.has(nameOf(soon.value))) break;
        items.push(soon.value);
        names.add(nameOf(soon.value));
        next = null;
      }
      yield items;
    }
  } finally {
    const left = source.return();
    // A source that is just being asked may be stuck.
    if (next === null) await left;
    else left.catch(() => {});
  }
}

export class CannotPlay extends IcecoreError {
  override readonly name = 'CannotPlay';

  constructor(environment: string, policy: string) {
    super('unsupported', `the environment ${environment} lets nobody play by himself, and so ${policy} cannot play`, {
      facts: { environment, policy },
      remedy: 'Let it understand "rollout": see docs/environments.md.',
    });
  }
}
