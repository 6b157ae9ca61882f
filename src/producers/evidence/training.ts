// The rollouts of a training, recorded while it runs: appended before the state that they led to is saved, so that a training
// that was stopped resumes from there and repeats the rest under the same ids. A trainer that does not repeat the same
// resumes in another attempt: then the beginning of the one before counts, as far as the saved state rests on it.
import { codeOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { streamOf } from '../../../schemas/streams.ts';
import type { TrainingRollout } from '../../lab/trainers/trainer.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import { eventIds, indexOfId } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AttemptTree, type SealedAttempt, sealBeginning } from '../../ledger/seal/attempt.ts';
import { attemptsAt, idsOfAnAttempt, idsOwner } from './parts.ts';

export interface TrainingProvenance {
  readonly run: string;
  readonly stage: number;
  /** Of the evidence of a stage. */
  readonly part: string;
  readonly actor: string;
  /** Whether the trainer repeats the same rollouts. */
  readonly isReproducible: boolean;
}

interface Attempt {
  readonly attempt: number;
  readonly stream: string;
  /** How many rollouts of the training came before its first. */
  readonly begin: number;
  events: number;
  readonly tree: AttemptTree;
}

interface Span extends Pick<Attempt, 'stream' | 'events' | 'tree'> {
  readonly count: number;
}

export class TrainingEvidence {
  readonly #ledger: Ledger;
  readonly #provenance: TrainingProvenance;
  readonly #check: () => Promise<void>;
  readonly #idOf: (index: number) => string;
  readonly #attempts: Attempt[];
  /** Whether rollouts may still go to the last attempt. */
  #isOpen: boolean;

  private constructor(
    ledger: Ledger,
    provenance: TrainingProvenance,
    check: () => Promise<void>,
    attempts: readonly Attempt[],
  ) {
    const { run, stage, part, isReproducible } = provenance;
    this.#ledger = ledger;
    this.#provenance = provenance;
    this.#check = check;
    const owner = idsOwner({ run, stage, part });
    this.#idOf = eventIds({ run: owner, stage, kind: codeOf('RolloutRecorded') });
    this.#attempts = [...attempts];
    this.#isOpen = isReproducible && attempts.length > 0;
  }

  /** `check` throws where somebody else has the run by now: then nothing more is appended. */
  static async open(
    ledger: Ledger,
    provenance: TrainingProvenance,
    check: () => Promise<void>,
  ): Promise<TrainingEvidence> {
    const attempts: Attempt[] = [];
    for (const { attempt, stream, events } of await attemptsAt(ledger, provenance)) {
      const begin = await beginOf(ledger, stream);
      attempts.push({ attempt, stream, events, begin, tree: new AttemptTree(ledger, stream) });
    }
    return new TrainingEvidence(ledger, provenance, check, attempts);
  }

  /** Resolves once they are durable. `from`: how many rollouts of the training came before them. */
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

  /** The attempts that hold the rollouts of the training, each as far as it counts. Throws RolloutsMissing. */
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
    if (upto > 0) throw new RolloutsMissing(this.#provenance, upto);
    return spans;
  }

  async #append(to: Attempt, from: number, rollouts: readonly TrainingRollout[]): Promise<void> {
    const { run, stage, actor } = this.#provenance;
    const base = to.attempt * idsOfAnAttempt + from;
    const at = new Date().toISOString();
    const shared = { type: 'RolloutRecorded', version: versionOf('RolloutRecorded'), at, actor, run, stage } as const;
    const events = rollouts.map((data, i): NewEvent => ({ ...shared, id: this.#idOf(base + i), causes: [], data }));
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

/** What was saved of a training rests on rollouts that are not in this ledger. */
export class RolloutsMissing extends IcecoreError {
  override readonly name = 'RolloutsMissing';

  constructor({ run, stage }: Pick<TrainingProvenance, 'run' | 'stage'>, missing: number) {
    super('damaged', `stage ${stage} of run ${run}: the first ${missing} rollouts of its training are not recorded`, {
      facts: { run, stage, missing },
      remedy: 'Remove what was saved of the training from its folder: it is trained again from its beginning.',
    });
  }
}
