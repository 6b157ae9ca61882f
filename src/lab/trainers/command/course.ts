// How far a training has come: its curve, what it spent, and what can be gone on from. Updates go up, and what was spent
// does not go down: a program that counts anew is told so at once.
import type { Budget, Point } from '../trainer.ts';
import { Misspoken } from './messages.ts';
import type { Saved } from './snapshots.ts';

export class Course {
  readonly curve: Point[] = [];
  saved: Saved | null = null;
  spent: Budget = {};
  /** How many rollouts there were. */
  rollouts = 0;

  /** The last update there is a point of; 0 before the first. */
  get step(): number {
    return this.curve.at(-1)?.step ?? 0;
  }

  add(point: Point): void {
    const last = this.curve.at(-1);
    if (last !== undefined && point.step <= last.step) {
      throw new Misspoken(`step: found ${point.step}, allowed: more than ${last.step}, which was the last`);
    }
    if (point.spent !== undefined) this.spend(point.spent);
    this.curve.push(point);
  }

  spend(spent: Budget): void {
    for (const [unit, before] of Object.entries(this.spent)) {
      const now = spent[unit];
      if (now === undefined || now >= before) continue;
      throw new Misspoken(`spent.${unit}: found ${now}, allowed: at least ${before}, for that was spent before`);
    }
    this.spent = { ...this.spent, ...spent };
  }
}
