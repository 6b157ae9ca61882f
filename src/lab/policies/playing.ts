// A policy that its environment runs itself: the answers come with their verdicts.

import { setImmediate } from 'node:timers/promises';
import { IcecoreError } from '../../../schemas/errors.ts';
import { abortable } from '../environments/abortable.ts';
import { ProgramDied } from '../environments/command/faults.ts';
import type { Configuration, Environment, Rollout } from '../environments/environment.ts';
import { PluginFault } from '../plugin-fault.ts';
import { ProgramFault } from '../programs/program.ts';
import { type Checkpoint, type Planned, type PlanRequest, type Policy, PolicyClosed } from './policy.ts';

interface PlayingSettings {
  /** Shared with other users, so the policy does not close it. */
  readonly environment: Pick<Environment, 'descriptor' | 'rollout'>;
  /** Its name within the environment. */
  readonly name: string;
  /** The checkpoint to use; null for an untrained policy. */
  readonly checkpoint: Checkpoint | null;
  readonly parameters?: Configuration;
}

/** The maximum number of tasks per request. */
const batch = 64;

/** Throws CannotPlay if the environment cannot run policies. */
export function openPlaying({ environment, name, checkpoint, parameters }: PlayingSettings): Policy {
  const { descriptor, rollout } = environment;
  if (rollout === undefined) throw new CannotPlay(descriptor.environment, name);
  const closing = new AbortController();
  const known = parameters === undefined ? {} : { parameters };
  const policy = { name, ...known, ...(checkpoint === null ? {} : { checkpoint: checkpoint.reference }) };
  return {
    component: { name, ...known },
    checkpoint,
    // It has no greedy mode: all answers are sampled.
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
  const report = {
    ...(prompt === undefined ? {} : { prompt }),
    ...(completion === undefined ? {} : { completion }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(tokens === undefined ? {} : { tokens }),
  };
  return Object.keys(report).length === 0 ? planned : { ...planned, report };
}

// Groups the items of a source: everything available without waiting forms one batch.

/** At most this number per batch, and no name twice. Errors of the source are thrown after all items before them. */
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
    // A source with a pending request may be stuck.
    if (next === null) await left;
    else left.catch(() => {});
  }
}

// Who is at fault when a rollout fails: the call that failed says it, where loading, playing and judging are separate calls.

/** `either`: the call both plays the policy and runs the environment's own code. */
export type Suspect = 'environment' | 'checkpoint' | 'either';

/** Who may be at fault for an error of `plan`, apart from the source of its tasks. */
export function suspectOf(fault: unknown): Suspect {
  if (fault instanceof PluginFault) return suspectOfCall(fault);
  // One request of a program loads, plays and judges: it may end or refuse for any of them.
  if (fault instanceof ProgramFault && !(fault instanceof ProgramDied)) return 'environment';
  return 'either';
}

function suspectOfCall({ call, isThrown }: PluginFault): Suspect {
  if (!isThrown) return 'environment';
  if (call === 'player') return 'checkpoint';
  return call === 'play' || call === 'rollout' ? 'either' : 'environment';
}

export class CannotPlay extends IcecoreError {
  override readonly name = 'CannotPlay';

  constructor(environment: string, policy: string) {
    super('unsupported', `the environment ${environment} cannot run policies, so ${policy} cannot be used`, {
      facts: { environment, policy },
      remedy: 'Implement "rollout" in the environment: see docs/environments.md.',
    });
  }
}
