// Converts a judged plan to events: the rollout and its failure. In shards, which engineers see evidence of, a failure
// is an event of its own; other rollouts contain their failures.
import { codeOf, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import type { Evaluated } from '../../lab/evaluation/judged.ts';
import { failureData, rolloutData, type Trial } from '../../lab/evaluation/recorded.ts';
import { eventIds } from '../../ledger/identity/ids.ts';
import { idsOfAnAttempt, idsOwner } from './parts.ts';

export interface Provenance extends Trial {
  readonly run: string;
  readonly stage: number;
  /** The part, which the ids follow from; a shard by default. */
  readonly part?: string;
  readonly actor: string;
  /** The time of the event. */
  readonly now: () => string;
}

/** Makes the events of one part, rollout by rollout: their ids follow from their places in it. */
export class RolloutEvents {
  readonly #provenance: Provenance;
  readonly #rolloutId: (index: number) => string;
  readonly #failureId: (index: number) => string;
  #next: number;

  /** Places continue from `begin`, so that several splits of a stage have separate ids. */
  constructor(provenance: Provenance, begin: number) {
    const { stage, part = 0 } = provenance;
    const run = idsOwner({ ...provenance, part });
    this.#provenance = provenance;
    this.#rolloutId = eventIds({ run, stage, kind: codeOf('RolloutRecorded') });
    this.#failureId = eventIds({ run, stage, kind: codeOf('FailureRecorded') });
    this.#next = begin;
  }

  get next(): number {
    return this.#next;
  }

  /** The events of the next rollout for a series: ids of different series are distinct. */
  of(evaluated: Evaluated): (series: number) => NewEvent[] {
    const place = this.#next++;
    const at = this.#provenance.now();
    return (series) => this.#made(place + series * idsOfAnAttempt, at, evaluated);
  }

  #made(index: number, at: string, evaluated: Evaluated): NewEvent[] {
    const id = this.#rolloutId(index);
    const { part } = this.#provenance;
    const { conditions: _, ...evidence } = evaluated;
    const failed = failureData(this.#provenance, id, evaluated);
    const data = rolloutData(this.#provenance, part === undefined ? evidence : evaluated);
    const isWhole = part !== undefined || failed === null;
    const rollout: NewEventOf<'RolloutRecorded'> = {
      ...this.#envelope('RolloutRecorded', id, at),
      data: failed !== null && isWhole ? { ...data, failures: failed.failures } : data,
    };
    if (isWhole) return [rollout];
    const failure: NewEventOf<'FailureRecorded'> = {
      ...this.#envelope('FailureRecorded', this.#failureId(index), at),
      causes: [{ event: id }],
      data: failed,
    };
    return [rollout, failure];
  }

  #envelope<Type extends 'RolloutRecorded' | 'FailureRecorded'>(type: Type, id: string, at: string) {
    const { run, stage, actor } = this.#provenance;
    return { id, type, version: versionOf(type), at, actor, run, stage, causes: [] } as const;
  }
}
