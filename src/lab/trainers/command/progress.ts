// The state of a training: its curve, its spending, its last checkpoint and the tries of the update under way. Updates must increase,
// spending must not decrease and no try may come twice, so that a program that restarts its counters gets an error.
import { found, type Issue } from '../../../../schemas/errors.ts';
import { nearestNames, suggestion } from '../../../../schemas/nearest.ts';
import { sentence } from '../../programs/program.ts';
import type { Budget, Point, TrainRequest } from '../trainer.ts';
import { InvalidMessage, type Saved, type TrainerRollout } from './messages.ts';

/** The words of the environment that rollouts may use; absent: any. */
export type KnownWords = Pick<TrainRequest, 'families' | 'outcomes'>;

export class TrainingProgress {
  readonly curve: Point[] = [];
  saved: Saved | null = null;
  spent: Budget = {};
  /** The number of rollouts so far. */
  rollouts = 0;
  readonly #words: KnownWords;
  readonly #tries = new UpdateTries();

  constructor(words: KnownWords = {}) {
    this.#words = words;
  }

  /** The update of the last point; 0 before the first. */
  get step(): number {
    return this.curve.at(-1)?.step ?? 0;
  }

  add(point: Point): void {
    const last = this.curve.at(-1);
    if (last !== undefined && point.step <= last.step) {
      throw new InvalidMessage(`step: found ${point.step}, allowed: more than the last step, ${last.step}`);
    }
    if (point.spent !== undefined) this.spend(point.spent);
    this.#tries.end(point.step);
    this.curve.push(point);
  }

  spend(spent: Budget): void {
    for (const [unit, before] of Object.entries(this.spent)) {
      const now = spent[unit];
      if (now === undefined || now >= before) continue;
      throw new InvalidMessage(`spent.${unit}: found ${now}, allowed: at least the amount before, ${before}`);
    }
    this.spent = { ...this.spent, ...spent };
  }

  /** Throws InvalidMessage for a rollout that contradicts the others, the updates or the environment. */
  tried(rollout: TrainerRollout): void {
    const issues = [...wordIssues(rollout, this.#words), ...this.#tries.add(rollout, this.curve.at(-1)?.step ?? null)];
    if (issues.length > 0) throw new InvalidMessage(sentence(issues), issues);
  }
}

/** A spoilt rollout has no outcome of the environment. */
function wordIssues({ family, outcome, error }: TrainerRollout, { families, outcomes }: KnownWords): Issue[] {
  return [
    ...(family === undefined ? [] : unknownWord('rollout.family', family, 'a family', families)),
    ...(error === undefined ? unknownWord('rollout.outcome', outcome, 'an outcome', outcomes) : []),
  ];
}

function unknownWord(field: string, word: string, what: string, known: readonly string[] | undefined): Issue[] {
  if (known === undefined || known.length === 0 || known.includes(word)) return [];
  const near = nearestNames(word, known);
  const which = near.length > 0 ? `, ${suggestion(near)}` : `: ${known.join(', ')}`;
  return [{ field, found: found(word), allowed: `${what} of the environment${which}` }];
}

/** The tries of one update: those of earlier ones are forgotten, because a training may have any number. */
class UpdateTries {
  #seen = new Set<string>();
  #update: number | null = null;

  /** Remembers a try; returns why it cannot be one. */
  add({ task, sample, trainingStep: update }: TrainerRollout, reported: number | null): Issue[] {
    if (update !== undefined) {
      const misplaced = this.#misplaced(update, reported);
      if (misplaced !== null) return [{ field: 'rollout.trainingStep', found: found(update), allowed: misplaced }];
      if (update !== this.#update) this.#seen.clear();
      this.#update = update;
    }
    const name = task?.id ?? task?.digest;
    if (name === undefined || sample === undefined) return [];
    const key = JSON.stringify([name, sample]);
    if (this.#seen.has(key)) {
      const allowed = `each sample of the task ${name} once in an update`;
      return [{ field: 'rollout.sample', found: `${sample} again`, allowed }];
    }
    this.#seen.add(key);
    return [];
  }

  /** The update is reported. */
  end(step: number): void {
    if (this.#update !== null && this.#update > step) {
      const allowed = `at least ${this.#update}, the trainingStep of a rollout before it`;
      throw new InvalidMessage(`step: found ${step}, allowed: ${allowed}`);
    }
    this.#seen.clear();
  }

  /** What is allowed instead; null if it is the update under way. */
  #misplaced(update: number, reported: number | null): string | null {
    if (reported !== null && update <= reported) return `more than the last step, ${reported}`;
    if (this.#update !== null && update < this.#update) return `at least that of the rollout before, ${this.#update}`;
    return null;
  }
}
