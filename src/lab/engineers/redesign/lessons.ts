// What the history of a run teaches: a setting after which fewer tasks were solved is not tried again, and what was
// solved once and is not any more is being forgotten.
import type { Figure, Trial } from './evidence.ts';
import type { Turn } from './turning.ts';

/** A difference of less than this is chance. */
const telling = 0.08;

/** Two stages, the second of which has fewer solved: what the knob was turned to in it, and the rates of both. */
export interface Setback {
  readonly setting: Figure;
  readonly before: Figure;
  readonly after: Figure;
}

/** The last time that this knob was turned this way, at least as far, and it got worse. */
export function setbackOf({ knob, from, to }: Turn, trials: readonly Trial[]): Setback | null {
  for (const [i, trial] of [...trials.entries()].reverse()) {
    const earlier = trials[i - 1];
    const [setting, was] = [trial.settings.get(knob.name), earlier?.settings.get(knob.name)];
    const [after, before] = [trial.solved, earlier?.solved];
    if (setting === undefined || was === undefined || !after || !before) continue;
    const sameWay = (setting.value - was.value) * (to - from) > 0;
    const notBeyond = (to - setting.value) * (to - from) >= -1e-9;
    if (sameWay && notBeyond && before.value - after.value > telling) return { setting, before, after };
  }
  return null;
}

/** The best rate it ever had and the last, where that is much less. */
export function forgotten(trials: readonly Trial[]): { readonly best: Figure; readonly last: Figure } | null {
  const rates = trials.flatMap(({ solved }) => (solved === null ? [] : [solved]));
  const last = rates.at(-1);
  const best = rates.reduce<Figure | null>((most, one) => (most === null || one.value > most.value ? one : most), null);
  return last === undefined || best === null || best.value - last.value <= telling ? null : { best, last };
}
