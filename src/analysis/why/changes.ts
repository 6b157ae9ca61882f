// The knobs that were turned or kept on purpose, each with its reasons; and of those that were asked for and stayed as they
// were, when they were turned last and when next.
import type { Change, Decision } from '../../../schemas/run-output.ts';
import type { WhyChange, WhyKept, WhyReasons, WhyUnchanged } from '../../../schemas/why-output.ts';
import { restsOn } from '../../producers/history/citing.ts';
import { configurationOf, type KnobDifference, knobDifferences } from '../../producers/history/configurations.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { NamedKnob } from './asked.ts';
import { type Citing, evidenceOf } from './evidence.ts';
import { groundOf, verdictOn } from './reasons.ts';

type Said = Pick<Change, 'family' | 'cites' | 'reason'>;

export interface Deciding extends Citing {
  /** The changes as the decision speaks of them. */
  readonly said: readonly Pick<Change, 'knob' | 'family'>[];
}

export async function changeTold(change: Change, decision: Decision, of: Deciding): Promise<WhyChange> {
  const { knob, family, from, to, steps } = change;
  const described = of.read.descriptor?.knobs.find(({ name }) => name === knob);
  const direction = directionOf(from, to);
  const said = of.said.find((one) => one.knob === knob);
  const harder = described?.harder ?? null;
  return {
    knob,
    meaning: described?.meaning ?? null,
    family,
    from,
    to,
    steps,
    direction,
    harder,
    makes:
      direction === null || harder === null ? null : (direction === 'up') === (harder === 'more') ? 'harder' : 'easier',
    clamps: decision.clamps
      .filter((one) => one.knob === knob)
      .map(({ proposed, used, rule }) => ({ proposed, used, rule })),
    ...(await reasonsTold({ ...change, family: said === undefined ? family : said.family }, of)),
  };
}

function directionOf(from: number | null, to: number | null): WhyChange['direction'] {
  if (from === null || to === null || from === to) return null;
  return to > from ? 'up' : 'down';
}

export async function keptTold(
  kept: NonNullable<Decision['kept']>[number],
  stage: number,
  of: Citing,
): Promise<WhyKept> {
  const { knob, family } = kept;
  const value = configurationOf(of.read, stage)?.knobs.find((one) => one.knob === knob)?.value ?? null;
  return { knob, family, value, ...(await reasonsTold(kept, of)) };
}

async function reasonsTold({ family, cites, reason: says }: Said, of: Citing): Promise<WhyReasons> {
  const evidenceIds = of.context?.data.evidenceIds ?? null;
  const cited = { family, cites };
  return {
    says,
    cites: cites === null ? null : [...cites],
    restsOn: restsOn(cited, evidenceIds),
    ground: groundOf(cited, evidenceIds),
    verdict: verdictOn(cited, evidenceIds),
    evidence: await evidenceOf(cites, family, of),
  };
}

/** By family, the one with the biggest change first, and so within it. */
export function byFamily(changes: readonly Change[]): Change[] {
  const families = [...new Set(changes.map(({ family }) => family))];
  return families.flatMap((family) => changes.filter((one) => one.family === family));
}

export function unchangedTold({ knob, family }: NamedKnob, read: RunRead, stage: number): WhyUnchanged {
  const stages = [...new Set([...read.history.stages.map((one) => one.stage), ...read.adoptions.keys()])];
  const turns = stages.toSorted((a, b) => a - b).flatMap((at) => turnAt(read, knob, at));
  const value = configurationOf(read, stage)?.knobs.find((one) => one.knob === knob)?.value ?? null;
  return {
    knob,
    family,
    value,
    last: turns.findLast((one) => one.stage < stage) ?? null,
    next: turns.find((one) => one.stage > stage) ?? null,
  };
}

function turnAt(read: RunRead, knob: string, stage: number): NonNullable<WhyUnchanged['last']>[] {
  const [was, is] = [configurationOf(read, stage - 1), configurationOf(read, stage)];
  if (was === null || is === null) return [];
  const turned = knobDifferences(read.descriptor, was, is).find((one: KnobDifference) => one.knob === knob);
  return turned?.isChanged === true ? [{ stage, from: turned.from, to: turned.to }] : [];
}
