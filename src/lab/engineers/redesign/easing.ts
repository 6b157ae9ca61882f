// Which knobs of a family are turned, by how it fails: those that provoke what fails, to the easier side where hardly anything
// is solved, to the harder where most is. What made it worse before is not done again.
import type { Descriptor, Knob } from '../../../../schemas/environment.ts';
import type { Configuration } from '../../environments/environment.ts';
import { knobValue } from '../../environments/knobs.ts';
import type { Asked } from '../engineer.ts';
import { type Belief, percent } from './belief.ts';
import type { FamilyEvidence, Way } from './evidence.ts';
import { setbackOf } from './lessons.ts';
import type { Setting } from './redesign.ts';
import type { Situation } from './situation.ts';
import { type Direction, provoked, type Turn, turnable, turned } from './turning.ts';

/** What is solved more rarely is too hard. */
const tooHard = 0.1;
/** What is solved more often can be made harder. */
const mastered = 0.7;

export function settingsFor(asked: Asked, situation: Situation): Setting[] {
  const { descriptor, current } = asked;
  return [...situation.beliefs.values()].flatMap((belief) => {
    const shown = situation.evidence.of(belief.family);
    const direction = directionFor(asked, belief);
    return turnable(descriptor, belief.family).flatMap((knob) => {
      const ways = provoked(knob, shown.ways);
      const turn = direction === null ? null : turned(current, knob, direction);
      const setting =
        turn === null || ways === null || direction === null
          ? keptAsItWorks(knob, belief)
          : (vetoOn(asked, turn, shown) ?? following(turn, ways, direction, belief));
      return setting === null ? [] : [setting];
    });
  });
}

/**
 * Null where it is neither too hard nor mastered, or nobody knows. More data of it, or of what is easier, comes before easier
 * tasks: what is made easier teaches less of what it is for.
 */
export function directionFor(asked: Asked, { family, rate }: Belief): Direction | null {
  if (rate === null) return null;
  if (rate < tooHard) return isFavoured(asked, family) ? 'easier' : null;
  return rate >= mastered ? 'harder' : null;
}

/** It has more than its part of the data already, or data is not shared out. */
export function isFavoured({ descriptor, current }: Asked, family: string): boolean {
  return (descriptor.sharesSum ?? []).every(({ knobs: names, total }) => {
    const share = descriptor.knobs.find((knob) => knob.family === family && names.includes(knob.name));
    return share === undefined || (knobValue(current, share) ?? 0) >= total / names.length + share.step;
  });
}

export function keptAsItWorks(knob: Knob, { works, cites, reason }: Belief): Setting | null {
  return works ? { knob, to: null, cites, reason: `it works: ${reason}` } : null;
}

/** Of fewer tasks than this that were to be expected, it is chance that there is none. */
const telling = 3;

/** Why a knob stays where it is, though there is a reason to turn it. */
export function vetoOn({ descriptor, current }: Asked, turn: Turn, shown: FamilyEvidence): Setting | null {
  const { knob } = turn;
  const { missingIn, trials } = shown;
  if (missingIn !== null && expectedIn(descriptor, current, knob.family, missingIn) >= telling) {
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
