// What the history of a run teaches: a setting after which fewer tasks were solved is not tried again, and what was
// solved once and is not any more is being forgotten.
import type { Figure, Trial } from './evidence.ts';
import type { Turn } from './turning.ts';

/** A difference of less than this is none, however often it was counted. */
const telling = 0.08;

/** Two stages, the second of which has fewer solved: what the knob was turned to in it, and the rates of both. */
export interface Setback {
  readonly setting: Figure;
  readonly before: Figure;
  readonly after: Figure;
}

/** The last time that this knob was turned this way, no farther than now, and it got worse. */
export function setbackOf(turn: Turn, trials: readonly Trial[]): Setback | null {
  for (const [i, trial] of [...trials.entries()].reverse()) {
    const setting = trial.settings.get(turn.knob.name);
    const [before, after] = [trials[i - 1]?.solved, trial.solved];
    if (setting === undefined || !after || !before || !isLess(after, before)) continue;
    if (isRepeated(turn, setting, settingBefore(trials.slice(0, i), turn))) return { setting, before, after };
  }
  return null;
}

/** By more than chance makes of it, as far as intervals tell. */
function isLess(one: Figure, other: Figure): boolean {
  const chance = Math.hypot((one.width ?? 0) / 2, (other.width ?? 0) / 2);
  return other.value - one.value > Math.max(telling, chance);
}

/** Where a history does not tell what it was set to before, only the very same setting is a repetition. */
function isRepeated({ knob, from, to }: Turn, setting: Figure, was: Figure | undefined): boolean {
  if (was === undefined) return Math.abs(to - setting.value) < knob.step / 2;
  const [then, now] = [setting.value - was.value, to - from];
  return then * now > 0 && (to - setting.value) * now >= 0;
}

function settingBefore(trials: readonly Trial[], { knob }: Turn): Figure | undefined {
  return trials.findLast(({ settings }) => settings.has(knob.name))?.settings.get(knob.name);
}

/** The best rate it ever had and the last, where that is much less. */
export function forgotten(trials: readonly Trial[]): { readonly best: Figure; readonly last: Figure } | null {
  const rates = trials.flatMap(({ solved }) => (solved === null ? [] : [solved]));
  const last = rates.at(-1);
  const best = rates.reduce<Figure | null>((most, one) => (most === null || one.value > most.value ? one : most), null);
  return last === undefined || best === null || !isLess(last, best) ? null : { best, last };
}
