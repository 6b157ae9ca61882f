// Knobs that are no shares, turned by a step: easier where hardly anything is solved, harder where the policy is good at
// it. Which knob it is follows from how it fails; which way is harder, from the descriptor.
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

/** A knob that provokes this part of what fails is worth turning. */
const leastShareOfFailures = 1 / 3;

/** The knobs of a family that can be made harder or easier, and are no shares. What concerns all families is left alone. */
export function turnable({ knobs, sharesSum = [] }: Descriptor, family: string): Knob[] {
  const shares = new Set(sharesSum.flatMap(({ knobs: names }) => names));
  return knobs.filter((knob) => knob.family === family && knob.harder !== undefined && !shares.has(knob.name));
}

/** Null where it is at the end of its range already, or not set at all. */
export function turned(configuration: Configuration, knob: Knob, direction: Direction): Turn | null {
  const from = knobValue(configuration, knob);
  if (from === undefined) return null;
  const { range, step, harder } = knob;
  const sign = (direction === 'harder') === (harder === 'more') ? 1 : -1;
  // As somebody would write it: without the dust that adding leaves behind.
  const to = Number(Math.min(Math.max(from + sign * step, range.min), range.max).toPrecision(12));
  return Math.abs(to - from) < step / 2 ? null : { knob, from, to };
}

/** The ways to fail that a knob provokes; null where they are no great part of all. */
export function provoked({ provokes = [] }: Knob, ways: readonly Way[]): readonly Way[] | null {
  const all = ways.reduce((sum, { value }) => sum + value, 0);
  const own = ways.filter(({ failureClass }) => provokes.includes(failureClass));
  const part = own.reduce((sum, { value }) => sum + value, 0);
  return part > 0 && part >= leastShareOfFailures * all ? own : null;
}

// Which knobs of a family are turned, by how it fails: those that provoke what fails, to the easier side where hardly anything
// is solved, to the harder where most is. What made it worse before is not done again.

/** What is solved more rarely is too hard. */
const tooHard = 0.1;
/** What is solved more often can be made harder. */
const mastered = 0.7;

export function settingsFor(request: ProposalRequest, situation: Situation): Setting[] {
  const { descriptor, current } = request;
  return [...situation.beliefs.values()].flatMap((belief) => {
    const shown = situation.evidence.of(belief.family);
    const direction = directionFor(request, belief);
    return turnable(descriptor, belief.family).flatMap((knob) => {
      const ways = provoked(knob, shown.ways);
      const turn = direction === null ? null : turned(current, knob, direction);
      const setting =
        turn === null || ways === null || direction === null
          ? keptAsItWorks(knob, belief)
          : (vetoOn(request, turn, shown) ?? following(turn, ways, direction, belief));
      return setting === null ? [] : [setting];
    });
  });
}

/**
 * Null where it is neither too hard nor mastered, or nobody knows. More data of it, or of what is easier, comes before easier
 * tasks: what is made easier teaches less of what it is for.
 */
export function directionFor(request: ProposalRequest, { family, rate }: Belief): Direction | null {
  if (rate === null) return null;
  if (rate < tooHard) return isFavoured(request, family) ? 'easier' : null;
  return rate >= mastered ? 'harder' : null;
}

/** It has more than its part of the data already, or data is not shared out. */
export function isFavoured({ descriptor, current }: ProposalRequest, family: string): boolean {
  return (descriptor.sharesSum ?? []).every(({ knobs: names, total }) => {
    const share = descriptor.knobs.find((knob) => knob.family === family && names.includes(knob.name));
    return share === undefined || (knobValue(current, share) ?? 0) >= total / names.length + share.step;
  });
}

export function keptAsItWorks(knob: Knob, { works, cites, reason }: Belief): Setting | null {
  return works ? { knob, to: null, cites, reason: `it works: ${reason}` } : null;
}

/** Of fewer tasks than this that were to be expected, it is chance that there is none. */
const leastExpectedFailures = 3;

/** Why a knob stays where it is, though there is a reason to turn it. */
export function vetoOn({ descriptor, current }: ProposalRequest, turn: Turn, shown: FamilyEvidence): Setting | null {
  const { knob } = turn;
  const { missingIn, trials } = shown;
  if (missingIn !== null && expectedIn(descriptor, current, knob.family, missingIn) >= leastExpectedFailures) {
    const reason = `no task of it is among ${missingIn} generated as for training: how it is set was hardly tried`;
    return { knob, to: null, cites: [], reason };
  }
  const setback = setbackOf(turn, trials);
  if (setback === null) return null;
  const { setting, before, after } = setback;
  const reason = `turned that way once, ${percent(before.value)} became ${percent(after.value)}`;
  return { knob, to: null, cites: [setting.evidenceId, before.evidenceId, after.evidenceId], reason };
}

/** By the share that the family is set to; where it has none, as many as of any other. */
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
  const part = percent(ways.reduce((sum, { value }) => sum + value, 0));
  const fails = ways.map(({ failureClass }) => failureClass).join(' or ');
  const cites = [...new Set([...belief.cites, ...ways.map(({ evidenceId }) => evidenceId)])];
  return { knob, to, cites, reason: `${direction}: ${part} of what fails ends with ${fails}` };
}

// What the history of a run teaches: a setting after which fewer tasks were solved is not tried again, and what was
// solved once and is not any more is being forgotten.

/** A difference of less than this is none, however often it was counted. */
const leastDrop = 0.08;

/** Two stages, the second of which has fewer solved: what the knob was turned to in it, and the rates of both. */
interface Setback {
  readonly setting: Figure;
  readonly before: Figure;
  readonly after: Figure;
}

/** The last time that this knob was turned this way, no farther than now, and it got worse. */
function setbackOf(turn: Turn, trials: readonly Trial[]): Setback | null {
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
  return other.value - one.value > Math.max(leastDrop, chance);
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
