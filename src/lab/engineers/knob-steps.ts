// Changes knobs that are not shares by one step: easier where hardly anything is solved, harder where the policy is
// good. The failures determine which knob; the descriptor determines which direction is harder.
import type { Descriptor, Knob } from '../../../schemas/environment.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValue } from '../environments/knobs.ts';
import { type Belief, type FamilyEvidence, type Figure, percent, type Trial, type Way } from './beliefs.ts';
import type { ProposalRequest } from './engineer.ts';
import type { Setting, Situation } from './redesign.ts';

export type Direction = 'easier' | 'harder';

export interface Turn {
  readonly knob: Knob;
  readonly from: number;
  readonly to: number;
}

/** A knob that provokes at least this share of the failures is worth changing. */
const leastShareOfFailures = 1 / 3;

/** A family's knobs that can be made harder or easier and are not shares. Knobs for all families are left alone. */
export function turnable({ knobs, sharesSum = [] }: Descriptor, family: string): Knob[] {
  const shares = new Set(sharesSum.flatMap(({ knobs: names }) => names));
  return knobs.filter((knob) => knob.family === family && knob.harder !== undefined && !shares.has(knob.name));
}

/** Null if it is already at the end of its range or not set at all. */
export function stepKnob(configuration: Configuration, knob: Knob, direction: Direction): Turn | null {
  const from = knobValue(configuration, knob);
  if (from === undefined) return null;
  const { range, step, harder } = knob;
  const sign = (direction === 'harder') === (harder === 'more') ? 1 : -1;
  // Rounded to remove floating-point noise.
  const to = Number(Math.min(Math.max(from + sign * step, range.min), range.max).toPrecision(12));
  return Math.abs(to - from) < step / 2 ? null : { knob, from, to };
}

/** The failure classes that a knob provokes; null if they are a small part of all failures. */
export function provoked({ provokes = [] }: Knob, ways: readonly Way[]): readonly Way[] | null {
  const all = ways.reduce((sum, { value }) => sum + value, 0);
  const own = ways.filter(({ failureClass }) => provokes.includes(failureClass));
  const part = own.reduce((sum, { value }) => sum + value, 0);
  return part > 0 && part >= leastShareOfFailures * all ? own : null;
}

// Chooses a family's knobs by its failures: knobs that provoke the failures become easier where hardly anything is
// solved, and harder where most is. A change that made things worse before is not repeated.

/** Families with a lower success rate are too hard. */
const tooHard = 0.1;
/** Families with a higher success rate can be made harder. */
const mastered = 0.7;

export function settingsFor(request: ProposalRequest, situation: Situation): Setting[] {
  const { descriptor, current } = request;
  return [...situation.beliefs.values()].flatMap((belief) => {
    const shown = situation.evidence.of(belief.family);
    const direction = directionFor(request, belief);
    return turnable(descriptor, belief.family).flatMap((knob) => {
      const ways = provoked(knob, shown.ways);
      const turn = direction === null ? null : stepKnob(current, knob, direction);
      const setting =
        turn === null || ways === null || direction === null
          ? keptAsItWorks(knob, belief)
          : (vetoOn(request, turn, shown) ?? following(turn, ways, direction, belief));
      return setting === null ? [] : [setting];
    });
  });
}

/**
 * Null if it is neither too hard nor mastered, or unknown. More data of this family or an easier one comes before
 * easier tasks, because easier tasks teach less of the actual goal.
 */
export function directionFor(request: ProposalRequest, { family, rate }: Belief): Direction | null {
  if (rate === null) return null;
  if (rate < tooHard) return isFavoured(request, family) ? 'easier' : null;
  return rate >= mastered ? 'harder' : null;
}

/** It already has more than its equal part of the data, or data is not divided. */
export function isFavoured({ descriptor, current }: ProposalRequest, family: string): boolean {
  return (descriptor.sharesSum ?? []).every(({ knobs: names, total }) => {
    const share = descriptor.knobs.find((knob) => knob.family === family && names.includes(knob.name));
    return share === undefined || (knobValue(current, share) ?? 0) >= total / names.length + share.step;
  });
}

export function keptAsItWorks(knob: Knob, { works, cites, reason }: Belief): Setting | null {
  return works ? { knob, to: null, cites, reason: `it works: ${reason}` } : null;
}

/** If fewer tasks than this were expected, their absence is chance. */
const leastExpectedFailures = 3;

/** Why a knob stays although there is a reason to change it. */
export function vetoOn({ descriptor, current }: ProposalRequest, turn: Turn, shown: FamilyEvidence): Setting | null {
  const { knob } = turn;
  const { missingIn, trials } = shown;
  if (missingIn !== null && expectedIn(descriptor, current, knob.family, missingIn) >= leastExpectedFailures) {
    const reason = `no task of it is among ${missingIn} generated as for training: its setting was hardly tried`;
    return { knob, to: null, cites: [], reason };
  }
  const setback = setbackOf(turn, trials);
  if (setback === null) return null;
  const { setting, before, after } = setback;
  const reason = `changed that way before: ${percent(before.value)} became ${percent(after.value)}`;
  return { knob, to: null, cites: [setting.evidenceId, before.evidenceId, after.evidenceId], reason };
}

/** By the family's share; without one, as many as of any other family. */
function expectedIn(
  { knobs, families, sharesSum = [] }: Descriptor,
  current: Configuration,
  family: string | null,
  all: number,
): number {
  const sum = sharesSum.find(({ knobs: names }) =>
    knobs.some((one) => one.family === family && names.includes(one.name)),
  );
  const share = knobs.find((one) => one.family === family && sum?.knobs.includes(one.name) === true);
  if (sum === undefined || share === undefined) return all / families.length;
  return (all * (knobValue(current, share) ?? 0)) / sum.total;
}

function following({ knob, to }: Turn, ways: readonly Way[], direction: Direction, belief: Belief): Setting {
  const part = ways.reduce((sum, { value }) => sum + value, 0);
  const cites = [...new Set([...belief.cites, ...ways.map(({ evidenceId }) => evidenceId)])];
  return {
    knob,
    to,
    cites,
    reason: `${direction}: ${belief.success}; ${failuresWords(
      part,
      ways.map(({ failureClass }) => failureClass),
    )}`,
  };
}

/** `56 % of its failures are of class hole` */
export function failuresWords(part: number, classes: readonly string[]): string {
  const share = percent(part);
  return `${part === 0 ? 'none' : share === '100 %' ? 'all' : share} of its failures are of class ${classes.join(' or ')}`;
}

// Lessons from a run's history: a setting with a lower success rate afterwards is not tried again, and a family that
// was solved once and is not any more is being forgotten.

/** A smaller difference does not count, however many rollouts it comes from. */
const leastDrop = 0.08;

/** Two stages, the second with a lower success rate: the knob's value in it and both rates. */
interface Setback {
  readonly setting: Figure;
  readonly before: Figure;
  readonly after: Figure;
}

/** The last time that this knob moved this way, at most as far as now, and the rate fell. */
function setbackOf(turn: Turn, trials: readonly Trial[]): Setback | null {
  for (const [i, trial] of [...trials.entries()].reverse()) {
    const setting = trial.settings.get(turn.knob.name);
    const [before, after] = [trials[i - 1]?.solved, trial.solved];
    if (setting === undefined || !after || !before || !isLess(after, before)) continue;
    if (isRepeated(turn, setting, settingBefore(trials.slice(0, i), turn))) return { setting, before, after };
  }
  return null;
}

/** Less by more than chance, judged by the intervals. */
function isLess(one: Figure, other: Figure): boolean {
  const chance = Math.hypot((one.width ?? 0) / 2, (other.width ?? 0) / 2);
  return other.value - one.value > Math.max(leastDrop, chance);
}

/** If the history does not show the previous value, only the very same setting is a repetition. */
function isRepeated({ knob, from, to }: Turn, setting: Figure, was: Figure | undefined): boolean {
  if (was === undefined) return Math.abs(to - setting.value) < knob.step / 2;
  const [then, now] = [setting.value - was.value, to - from];
  return then * now > 0 && (to - setting.value) * now >= 0;
}

function settingBefore(trials: readonly Trial[], { knob }: Turn): Figure | undefined {
  return trials.findLast(({ settings }) => settings.has(knob.name))?.settings.get(knob.name);
}

/** The best and the last rate, if the last is much lower. */
export function forgotten(trials: readonly Trial[]): { readonly best: Figure; readonly last: Figure } | null {
  const rates = trials.flatMap(({ solved }) => (solved === null ? [] : [solved]));
  const last = rates.at(-1);
  const best = rates.reduce<Figure | null>((most, one) => (most === null || one.value > most.value ? one : most), null);
  return last === undefined || best === null || !isLess(last, best) ? null : { best, last };
}
