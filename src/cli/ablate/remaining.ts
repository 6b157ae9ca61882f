// About how long the arms of an ablation still take, from those that are done: how long each one took, and how many work at once.
import type { AblationProgress } from '../../library/ablation/ablate.ts';

type Task = Extract<AblationProgress, { kind: 'done' }>['task'];

export class RemainingTime {
  readonly #now: () => number;
  /** By task that is at work, when it began. */
  readonly #begun = new Map<string, number>();
  #most = 0;
  /** Of the tasks that took work, in milliseconds. */
  #spent = 0;
  #worked = 0;
  /** Tasks that ended without work since the first that took any: their decision was trained for another arm. */
  #shared = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(task: Task): void {
    const key = keyOf(task);
    if (!this.#begun.has(key)) this.#begun.set(key, this.#now());
    this.#most = Math.max(this.#most, this.#begun.size);
  }

  end(task: Task): void {
    const key = keyOf(task);
    const begun = this.#begun.get(key);
    this.#begun.delete(key);
    if (begun !== undefined) {
      this.#spent += this.#now() - begun;
      this.#worked += 1;
    } else if (this.#worked + this.#begun.size > 0) this.#shared += 1;
  }

  /** In seconds, with this number of tasks that are not done; null before any took work. */
  seconds(left: number): number | null {
    if (this.#worked === 0) return null;
    const each = this.#spent / this.#worked;
    const now = this.#now();
    const atWork = [...this.#begun.values()].map((begun) => Math.max(0, each - (now - begun)));
    const waiting = Math.max(0, left - atWork.length);
    const share = this.#worked / (this.#worked + this.#shared);
    const work = atWork.reduce((sum, one) => sum + one, 0) + waiting * share * each;
    return work / Math.max(1, this.#most) / 1000;
  }
}

function keyOf({ arm, unit, stage }: Task): string {
  return JSON.stringify([arm.arm, unit.unit, stage]);
}
