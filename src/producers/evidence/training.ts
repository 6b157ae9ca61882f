// Records the rollouts of a training while it runs. They are appended before the state that depends on them is saved,
// so that an interrupted training resumes from the save and repeats the rest under the same ids. A trainer that is not
// reproducible resumes in another attempt: the previous one then counts up to the saved state. In reported attempts,
// everything that a saved state depends on is reported before the save.
import { codeOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { TrainingRollout } from '../../lab/trainers/trainer.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import { eventIds, indexOfId } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AttemptTree, type SealedAttempt, sealBeginning } from '../../ledger/seal/attempt.ts';
import type { Recording } from './attempt.ts';
import { attemptsAt, idsOfAnAttempt, idsOwner } from './parts.ts';
import { ReportedPart, type Rollout } from './reported.ts';

export interface TrainingProvenance {
  readonly run: string;
  readonly stage: number;
  /** The part of the stage's evidence. */
  readonly part: string;
  readonly actor: string;
  /** Whether the trainer repeats the same rollouts. */
  readonly isReproducible: boolean;
}

/** Records the rollouts of a training. */
export interface TrainingEvidence {
  /**
   * Resolves once they are durable. `from` is the number of earlier rollouts of the training. Throws RolloutsMissing.
   */
  record(from: number, rollouts: readonly TrainingRollout[]): Promise<void>;
  /** Ensures that recorded rollouts survive a crash. */
  settle(): Promise<void>;
  /** The attempts with the rollouts of the training, each up to where it counts. Throws RolloutsMissing. */
  sealed(rollouts: number): Promise<SealedAttempt[]>;
}

export async function openTrainingEvidence(
  { ledger, check, reports }: Recording,
  provenance: TrainingProvenance,
): Promise<TrainingEvidence> {
  if (ledger.capabilities.attempts !== 'reported') return await TrainingAttempts.open(ledger, provenance, check);
  return new ReportedTraining(await ReportedPart.open(ledger, provenance, reports), provenance);
}

/** The event of a rollout, by its place in the training. */
function eventsOf(provenance: TrainingProvenance): (place: number, data: TrainingRollout, at: string) => NewEvent {
  const { run, stage, part, actor } = provenance;
  const idOf = eventIds({ run: idsOwner({ run, stage, part }), stage, kind: codeOf('RolloutRecorded') });
  const shared = { type: 'RolloutRecorded', version: versionOf('RolloutRecorded'), actor, run, stage } as const;
  return (place, data, at) => ({ ...shared, at, id: idOf(place), causes: [], data });
}

/** In reported attempts. A rollout is a single event here. */
class ReportedTraining implements TrainingEvidence {
  readonly #part: ReportedPart;
  readonly #provenance: TrainingProvenance;
  readonly #eventOf: ReturnType<typeof eventsOf>;

  constructor(part: ReportedPart, provenance: TrainingProvenance) {
    this.#part = part;
    this.#provenance = provenance;
    this.#eventOf = eventsOf(provenance);
  }

  async record(from: number, rollouts: readonly TrainingRollout[]): Promise<void> {
    const at = new Date().toISOString();
    this.#require(from);
    const rolloutOf = (data: TrainingRollout, i: number): Rollout => {
      return (series) => [this.#eventOf(series * idsOfAnAttempt + from + i, data, at)];
    };
    await this.#part.record(from, rollouts.map(rolloutOf));
  }

  async settle(): Promise<void> {
    await this.#part.finish();
  }

  async sealed(rollouts: number): Promise<SealedAttempt[]> {
    this.#require(rollouts);
    return await this.#part.sealed(rollouts);
  }

  #require(rollouts: number): void {
    if (rollouts > this.#part.end) throw new RolloutsMissing(this.#provenance, this.#part.end, rollouts);
  }
}

interface Attempt {
  readonly attempt: number;
  readonly stream: string;
  /** The number of rollouts of the training before its first one. */
  readonly begin: number;
  events: number;
  readonly tree: AttemptTree;
}

interface Span extends Pick<Attempt, 'stream' | 'events' | 'tree'> {
  readonly count: number;
}

/** In attempts that a resumed training continues. */
class TrainingAttempts implements TrainingEvidence {
  readonly #ledger: Ledger;
  readonly #provenance: TrainingProvenance;
  readonly #check: () => Promise<void>;
  readonly #eventOf: ReturnType<typeof eventsOf>;
  readonly #attempts: Attempt[];
  /** Whether the last attempt still accepts rollouts. */
  #isOpen: boolean;

  private constructor(
    ledger: Ledger,
    provenance: TrainingProvenance,
    check: () => Promise<void>,
    attempts: readonly Attempt[],
  ) {
    this.#ledger = ledger;
    this.#provenance = provenance;
    this.#check = check;
    this.#eventOf = eventsOf(provenance);
    this.#attempts = [...attempts];
    this.#isOpen = provenance.isReproducible && attempts.length > 0;
  }

  /** `check` throws if another process holds the run: then nothing more is appended. */
  static async open(
    ledger: Ledger,
    provenance: TrainingProvenance,
    check: () => Promise<void>,
  ): Promise<TrainingAttempts> {
    const attempts: Attempt[] = [];
    for (const { attempt, stream, events } of await attemptsAt(ledger, provenance)) {
      const begin = await beginOf(ledger, stream);
      attempts.push({ attempt, stream, events, begin, tree: new AttemptTree(ledger, stream) });
    }
    return new TrainingAttempts(ledger, provenance, check, attempts);
  }

  async record(from: number, rollouts: readonly TrainingRollout[]): Promise<void> {
    await this.#check();
    if (this.#isOpen) {
      const last = this.#attempts.at(-1);
      if (last !== undefined && last.begin <= from && from <= last.begin + last.events) {
        try {
          return await this.#append(last, from, rollouts);
        } catch (fault) {
          if (!(fault instanceof DuplicateId)) throw fault;
        }
      }
    }
    const { run, stage, part } = this.#provenance;
    this.#spans(from);
    const attempt = (this.#attempts.at(-1)?.attempt ?? -1) + 1;
    const stream = streamOf.evidence(run, stage, part, attempt);
    const begun: Attempt = { attempt, stream, begin: from, events: 0, tree: new AttemptTree(this.#ledger, stream) };
    await this.#append(begun, from, rollouts);
    this.#attempts.push(begun);
    this.#isOpen = true;
  }

  async settle(): Promise<void> {}

  async sealed(rollouts: number): Promise<SealedAttempt[]> {
    const sealed: SealedAttempt[] = [];
    for (const { stream, count, events, tree } of this.#spans(rollouts)) {
      sealed.push(count === events ? await tree.seal() : await sealBeginning(this.#ledger, stream, count));
    }
    return sealed;
  }

  #spans(rollouts: number): Span[] {
    const spans: Span[] = [];
    let upto = rollouts;
    for (const { stream, begin, events, tree } of this.#attempts.toReversed()) {
      if (begin >= upto) continue;
      if (begin + events < upto) break;
      spans.unshift({ stream, count: upto - begin, events, tree });
      upto = begin;
    }
    if (upto > 0) throw new RolloutsMissing(this.#provenance, 0, upto);
    return spans;
  }

  async #append(to: Attempt, from: number, rollouts: readonly TrainingRollout[]): Promise<void> {
    const base = to.attempt * idsOfAnAttempt + from;
    const at = new Date().toISOString();
    const events = rollouts.map((data, i) => this.#eventOf(base + i, data, at));
    const appended = await this.#ledger.append(to.stream, events, { expect: 'any' });
    to.tree.appended(appended);
    to.events = Math.max(to.events, appended.revision + 1);
  }
}

/** The id of a rollout follows from its place in its training. */
async function beginOf(ledger: Ledger, stream: string): Promise<number> {
  for await (const [first] of ledger.read(stream, { from: 0, limit: 1 })) {
    if (first !== undefined) return indexOfId(first.id) % idsOfAnAttempt;
  }
  return 0;
}

/** A saved state depends on rollouts that are missing in this ledger. */
export class RolloutsMissing extends IcecoreError {
  override readonly name = 'RolloutsMissing';

  /** Those from `from` up to `to`. */
  constructor({ run, stage }: Pick<TrainingProvenance, 'run' | 'stage'>, from: number, to: number) {
    const which = from === 0 ? `the first ${to} rollouts` : `rollouts ${from} to ${to - 1}`;
    super('damaged', `stage ${stage} of run ${run}: ${which} of its training are not recorded`, {
      facts: { run, stage, missing: to - from },
      remedy: 'Remove the saved state from the training folder: training then starts again from the beginning.',
    });
  }
}
