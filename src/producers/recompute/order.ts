// Checks that every task was tried once with each sample, in order: this finds omitted, copied and inserted rollouts
// even if their verdicts are right.
import { codeOf, type EventData } from '../../../schemas/catalogue.ts';
import { isTrainingPart, parseStream } from '../../../schemas/streams.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { eventIds, indexOfId } from '../../ledger/identity/ids.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { idsOfAnAttempt, idsOwner } from '../evidence/parts.ts';
import type { Account } from './account.ts';

type Rollout = EventData['RolloutRecorded'];

/** A range of rollout places with a common numbering, both ends included. */
interface Range {
  readonly from: number;
  to: number;
  readonly event: StoredEvent;
}

/** The training tasks that the shards of a stage try. */
export interface TrainingTasks {
  readonly requested: number;
  /** Generates them again. */
  readonly count: () => Promise<number>;
}

export class PartOrder {
  readonly #account: Account;
  /** All shards share a numbering; every other part has its own. */
  readonly #ranges = new Map<string, Range[]>();
  /** If others recorded rollouts among them, the expected number is unknown. */
  readonly #incomplete = new Set<string>();
  /** By part: its attempts follow each other. */
  readonly #tries = new Map<string, Tries>();
  #attempt: AttemptOrder | null = null;
  readonly #training: TrainingTasks | null;
  #triedOfTrained = 0;
  #last: StoredEvent | null = null;

  constructor(account: Account, training: TrainingTasks | null) {
    this.#account = account;
    this.#training = training;
  }

  rollout(event: StoredEvent, data: Rollout): void {
    const attempt = this.#attemptOf(event);
    attempt?.rollout(event, data);
    if (attempt?.numbering !== shards) return;
    this.#last = event;
    if (data.split === 'train') this.#triedOfTrained += 1;
  }

  failure(event: StoredEvent, rollout: StoredEvent): void {
    this.#attemptOf(event)?.failure(event, rollout);
  }

  foreign(event: StoredEvent): void {
    const attempt = this.#attemptOf(event);
    if (attempt !== null) this.#incomplete.add(attempt.numbering);
  }

  /** There may be fewer tasks than requested, which the environment alone knows. */
  async #countTraining(last: StoredEvent, { requested, count }: TrainingTasks): Promise<void> {
    const tried = this.#triedOfTrained;
    const expected = tried < requested ? await count() : requested;
    if (tried === expected) return;
    const says = `is the last of ${tried} rollouts of training tasks in its stage, which has ${expected} such tasks`;
    this.#account.fault(last, 'recomputed-rollout', says);
  }

  #attemptOf({ stream }: StoredEvent): AttemptOrder | null {
    if (this.#attempt?.stream === stream) return this.#attempt;
    const name = parseStream(stream);
    if (name?.category !== 'evidence') return null;
    const ranges = getOrCreate(this.#ranges, name.shard === null ? name.part : shards, () => []);
    const tries = getOrCreate(this.#tries, name.part, () => new Tries());
    this.#attempt = new AttemptOrder(stream, name, { ranges, tries, account: this.#account });
    return this.#attempt;
  }

  /** Called after all rollouts. */
  async conclude(): Promise<void> {
    const expected = this.#incomplete.has(shards) ? null : this.#training;
    if (this.#last !== null && expected !== null) await this.#countTraining(this.#last, expected);
    for (const [numbering, ranges] of this.#ranges) {
      if (this.#incomplete.has(numbering)) continue;
      let next = 0;
      for (const { from, to, event } of ranges.toSorted((one, other) => one.from - other.from)) {
        if (from !== next) {
          const what = from > next ? `rollouts ${next} to ${from - 1} are missing` : `rollout ${from} is there twice`;
          this.#account.fault(event, 'recomputed-rollout', `is rollout ${from} of its part: ${what}`);
        }
        next = Math.max(next, to + 1);
      }
    }
  }
}

const shards = 'shards';

type EvidenceName = Extract<ReturnType<typeof parseStream>, { category: 'evidence' }>;

class AttemptOrder {
  readonly stream: string;
  readonly numbering: string;
  readonly #account: Account;
  readonly #ranges: Range[];
  readonly #isTraining: boolean;
  /** The series of the ids: an attempt has one. */
  #series: number | null = null;
  readonly #rolloutId: (index: number) => string;
  readonly #failureId: (index: number) => string;
  #last: Range | null = null;
  readonly #tries: Tries;

  constructor(
    stream: string,
    { run, stage, part, shard }: EvidenceName,
    { ranges, tries, account }: { readonly ranges: Range[]; readonly tries: Tries; readonly account: Account },
  ) {
    this.#tries = tries;
    this.stream = stream;
    this.numbering = shard === null ? part : shards;
    this.#account = account;
    this.#ranges = ranges;
    this.#isTraining = isTrainingPart(part);
    const owner = idsOwner({ run, stage, part: shard ?? part });
    this.#rolloutId = eventIds({ run: owner, stage, kind: codeOf('RolloutRecorded') });
    this.#failureId = eventIds({ run: owner, stage, kind: codeOf('FailureRecorded') });
  }

  rollout(event: StoredEvent, data: Rollout): void {
    const index = indexOfId(event.id);
    const place = index % idsOfAnAttempt;
    const series = Math.floor(index / idsOfAnAttempt);
    this.#series ??= series;
    const isOwn = series === this.#series && event.id === this.#rolloutId(index);
    if (!isOwn) {
      this.#fault(event, `id: ${event.id} is not the id of a rollout of this attempt`);
      return;
    }
    if (this.#last !== null && place === this.#last.to + 1) this.#last.to = place;
    else {
      if (this.#last !== null && place <= this.#last.to)
        this.#fault(event, `is rollout ${place}, after ${this.#last.to}`);
      this.#last = { from: place, to: place, event };
      this.#ranges.push(this.#last);
    }
    const says = this.#tries.next(data, this.#isTraining);
    if (says !== null) this.#fault(event, says);
  }

  /** It has the number of its rollout. */
  failure(event: StoredEvent, rollout: StoredEvent): void {
    const expected = this.#failureId(indexOfId(rollout.id));
    if (event.id === expected) return;
    const says = `id: recorded ${event.id}, computed again ${expected}`;
    this.#account.fault(event, 'recomputed-failure', says);
  }

  #fault(event: StoredEvent, says: string): void {
    this.#account.fault(event, 'recomputed-rollout', says);
  }
}

/** Checks that tasks come one after the other, each with its samples in order. */
class Tries {
  /** The tasks of a split so far; for a training, those of one update. */
  #seen = new Set<string>();
  #split = '';
  #step = -1;
  #task = '';
  #sample = -1;

  /** The fault of the next rollout; null if there is none, or if it does not name its task. */
  next({ split, trainingStep = 0, task: recorded, sample }: Rollout, isTraining: boolean): string | null {
    const task = recorded?.id ?? recorded?.digest;
    if (task === undefined || sample === undefined) return null;
    if (split !== this.#split || (isTraining && trainingStep !== this.#step)) {
      const before = this.#step;
      this.#task = '';
      if (isTraining) {
        this.#seen = new Set();
        this.#step = trainingStep;
        if (trainingStep < before) return `data.trainingStep: found ${trainingStep} after ${before}`;
      }
      this.#split = split;
    }
    if (task === this.#task) {
      this.#sample += 1;
      if (sample === this.#sample) return null;
      return `data.sample: task ${task} has sample ${sample}, sample ${this.#sample} was expected`;
    }
    const key = `${split} ${task}`;
    const isAgain = this.#seen.has(key);
    this.#seen.add(key);
    this.#task = task;
    this.#sample = 0;
    if (isAgain) return `data.task.id: task ${task} was tried before`;
    return sample === 0 ? null : `data.sample: task ${task} starts with sample ${sample}`;
  }
}
