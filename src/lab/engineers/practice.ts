// Practice follows failures. Some knobs declare failure classes that the policy learns to avoid by training on more of
// them. Each gets as much of its family's practice as its classes have of the family's failures; an engineer that can ask
// a checkpoint takes practice away from what the checkpoint expects to solve anyway.
import type { Knob } from '../../../schemas/environment.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValue, withKnob } from '../environments/knobs.ts';
import { atLeast } from '../statistics/significance.ts';
import { type Belief, type FamilyEvidence, percent, type Way } from './beliefs.ts';
import type { ProposalRequest } from './engineer.ts';
import { failuresWords, keptAsItWorks, vetoOn } from './knob-steps.ts';
import type { Setting, Situation } from './redesign.ts';

/** How often a checkpoint expects to solve the tasks that practise one knob, and nothing else; null if it cannot say. */
export type Mastery = (lesson: Lesson, configuration: Configuration) => Promise<number | null>;

/** A knob that teaches, with its current value. */
interface Lesson {
  readonly knob: Knob;
  readonly held: number;
  /** The failure classes that it teaches to avoid, as far as the family has such failures. */
  readonly ways: readonly Way[];
  /** The family's failures that it could have prevented, if several knobs share the credit. */
  readonly failures: number;
}

/** As if each knob had this number of additional failures: a few failures do not end the practice of everything else. */
const doubt = 1;

/** Failures spread as evenly as chance would in more than this share of decisions say nothing. */
const surprising = 0.05;

export async function practiceFor(
  request: ProposalRequest,
  { beliefs, evidence }: Situation,
  masteryOf: Mastery | null = null,
): Promise<Setting[]> {
  const families = [...beliefs.values()].map((belief) => {
    const shown = evidence.of(belief.family);
    return { belief, shown, lessons: lessonsOf(request, belief.family, shown.ways) };
  });
  const compared = families.reduce((sum, { lessons }) => sum + lessons.length, 0);
  const settings: Setting[] = [];
  for (const { belief, shown, lessons } of families) {
    const mastered = new Map<Lesson, number>();
    for (const lesson of masteryOf === null ? [] : lessons) {
      const rate = (await masteryOf?.(lesson, alone(request.current, lessons, lesson))) ?? null;
      if (rate !== null) mastered.set(lesson, rate);
    }
    const isTelling = standsOut(lessons, compared);
    if (isTelling || mastered.size > 0)
      settings.push(...divided(request, { belief, shown, lessons, mastered, isTelling }));
  }
  return settings;
}

/** Whether one of them could have prevented more failures than chance explains, given how many are looked at. */
function standsOut(lessons: readonly Lesson[], compared: number): boolean {
  const all = lessons.reduce((sum, { failures }) => sum + failures, 0);
  return lessons.some(
    ({ failures }) => atLeast(Math.floor(failures), Math.ceil(all), 1 / lessons.length) * compared < surprising,
  );
}

function lessonsOf({ descriptor, current }: ProposalRequest, family: string, ways: readonly Way[]): Lesson[] {
  const { knobs, sharesSum = [] } = descriptor;
  const shares = new Set(sharesSum.flatMap(({ knobs: names }) => names));
  const teaching = knobs.filter(
    ({ name, family: of, teaches = [] }) => of === family && teaches.length > 0 && !shares.has(name),
  );
  const teachersOf = (failureClass: string): number =>
    teaching.filter(({ teaches = [] }) => teaches.includes(failureClass)).length;
  return teaching.flatMap((knob) => {
    const held = knobValue(current, knob);
    if (held === undefined) return [];
    const own = ways.filter(({ failureClass }) => knob.teaches?.includes(failureClass) === true);
    const failures = own.reduce((sum, way) => sum + (way.count ?? 0) / teachersOf(way.failureClass), 0);
    return [{ knob, held, ways: own, failures }];
  });
}

/** This lesson at its maximum and the others at their minimum. */
function alone(current: Configuration, lessons: readonly Lesson[], only: Lesson): Configuration {
  return lessons.reduce((result, lesson) => {
    const { range } = lesson.knob;
    return withKnob(result, lesson.knob, lesson === only ? range.max : range.min);
  }, current);
}

interface Practice {
  readonly belief: Belief;
  readonly shown: FamilyEvidence;
  readonly lessons: readonly Lesson[];
  readonly mastered: ReadonlyMap<Lesson, number>;
  /** Whether its failures say what to practise. */
  readonly isTelling: boolean;
}

/** The family's practice stays the same in total; where there is none, each knob gets a step of it on average. */
function divided(request: ProposalRequest, practice: Practice): Setting[] {
  const { belief, shown, lessons, mastered, isTelling } = practice;
  const weightOf = (lesson: Lesson): number =>
    ((isTelling ? lesson.failures : 0) + doubt) * (1 - (mastered.get(lesson) ?? 0));
  const sum = lessons.reduce((all, lesson) => all + weightOf(lesson), 0);
  const total = Math.max(
    lessons.reduce((all, { held }) => all + held, 0),
    lessons.reduce((all, { knob }) => all + knob.step, 0),
  );
  return lessons.flatMap((lesson) => {
    const { knob, held } = lesson;
    const to = sum === 0 ? held : settingOf(knob, (total * weightOf(lesson)) / sum);
    if (belief.works || Math.abs(to - held) < knob.step * (1 - 1e-9)) return keptAsItWorks(knob, belief) ?? [];
    const reason = reasonFor(practice, lesson, to > held);
    return vetoOn(request, { knob, from: held, to }, shown) ?? { knob, to, ...reason };
  });
}

function settingOf({ range: { min, max }, integer }: Knob, value: number): number {
  const clamped = Math.min(Math.max(value, min), max);
  return integer === true ? Math.round(clamped) : Number(clamped.toPrecision(6));
}

function reasonFor(
  { shown, mastered, isTelling }: Practice,
  lesson: Lesson,
  isMore: boolean,
): { readonly cites: readonly string[]; readonly reason: string } {
  const { knob } = lesson;
  const ways = isTelling ? lesson.ways : [];
  const part = ways.reduce((sum, { value }) => sum + value, 0);
  const classes = ways.length > 0 ? ways.map(({ failureClass }) => failureClass) : (knob.teaches ?? []);
  const rate = mastered.get(lesson);
  const seen = ways.flatMap(({ exemplars }) => exemplars);
  const words = [
    ...(isTelling ? [failuresWords(part, classes)] : []),
    ...(seen.length === 0 ? [] : [`as in ${seen.join(', ')}`]),
    ...(rate === undefined ? [] : [`the checkpoint expects to solve ${percent(rate)} of the tasks that practise it`]),
  ];
  // That a class is missing shows in those that are there.
  const facts = isTelling && ways.length === 0 ? shown.ways : ways;
  return {
    cites: [...facts.map(({ evidenceId }) => evidenceId), ...seen],
    reason: `${isMore ? 'more' : 'less'} practice: ${words.join('; ')}`,
  };
}
