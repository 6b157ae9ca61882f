// Who decided, when, on whose proposal and from which context; the knobs that were changed or kept on purpose, each with its
// reasons; and for unchanged knobs, when they changed last and when next.

import type { Change, Decision } from '../../../schemas/run-output.ts';
import type { Why, WhyChange, WhyDecision, WhyKept, WhyReasons, WhyUnchanged } from '../../../schemas/why-output.ts';

import { concernOf, recordedContext, restsOn } from '../../producers/history/citing.ts';
import { configurationOf, type KnobDifference, knobDifferences } from '../../producers/history/configurations.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import type { Recorded, StageHistory } from '../../producers/history/run-history.ts';
import { bearingOf, type Cited, type EvidenceIds } from '../../producers/proposals/scores.ts';
import { type Citing, countsAsEvidence, type Events, evidenceOf, type ShownContext } from './evidence.ts';
import { otherModelsIn } from './models.ts';

type Proposal = Recorded<'ProposalRecorded'>;

interface DecisionSource {
  readonly read: RunRead;
  readonly events: Events;
  readonly decision: Decision;
  readonly before: StageHistory | null;
  readonly context: ShownContext | null;
}

export async function decisionShown(of: DecisionSource): Promise<WhyDecision> {
  const { read, events, decision, before } = of;
  const { by, who, adopted, rationale: says, proposal: proposed, edited, ownReasons, scores } = decision;
  const proposal = before?.proposals.find(({ id }) => id === proposed) ?? null;
  const stored = adopted === null ? null : await events.at(adopted);
  return {
    by,
    who,
    engineer: engineerOf(proposal),
    otherModels: await otherModelsIn(proposal, events),
    actor: read.adoptions.get(decision.stage)?.envelope.actor ?? null,
    at: stored?.envelope.at ?? null,
    adopted: adopted === null ? null : await events.placed(adopted),
    recordedBy: nameOf(read, stored?.envelope.run ?? null),
    proposal: proposed === null ? null : await events.placed(proposed),
    edited,
    ownReasons,
    context: await contextOf(decision.context, of),
    clamps: decision.clamps.map((one) => ({ ...one })),
    says,
    citation: scores?.citation ?? null,
    preservation: scores?.preservation ?? null,
  };
}

// Events are read-only all the way down, which the types of what is printed need not be.
function engineerOf(proposal: Proposal | null): WhyDecision['engineer'] {
  return proposal === null ? null : (structuredClone(proposal.data.engineer) as WhyDecision['engineer']);
}

/** Of a run further back than its parent nobody was asked for the name. */
function nameOf({ run, name, parent }: RunRead, recorder: string | null): string | null {
  if (recorder === run) return name;
  return recorder !== null && recorder === parent?.run ? parent.name : recorder;
}

async function contextOf(
  named: Decision['context'],
  { read, context, events, before }: DecisionSource,
): Promise<WhyDecision['context']> {
  if (named === null) return null;
  const id = context?.id ?? named.event;
  return {
    digest: named.digest,
    form: named.form,
    event: id === null ? null : await events.placed(id),
    isKnown: context !== null,
    isUsual: context !== null && before !== null && context.id === usualContext(read, before.stage),
    evidenceIds: Object.keys(context?.data.evidenceIds ?? {}).length,
  };
}

/** In the form and the length of the run; null where none was recorded. */
function usualContext(history: RunRead, stage: number): string | null {
  const { contextForm: form, options } = history.started?.data ?? {};
  const tokens = options?.['contextTokens'];
  if (form === undefined) return null;
  const budget = typeof tokens === 'number' ? tokens : 0;
  return recordedContext({ history, stage, form, budget })?.id ?? null;
}

/** What was proposed for the stage and is not what was adopted, nor what is shown where nothing was. */
export function passedOver({ decision, before }: Pick<DecisionSource, 'decision' | 'before'>): Why['passedOver'] {
  const others = (before?.proposals ?? []).filter(({ id }) => id !== decision.proposal);
  return others.map(({ id, data }) => ({
    event: id,
    engineer: data.engineer.name,
    changes: data.changes.length,
    says: data.rationale,
  }));
}

type Reasoned = Pick<Change, 'family' | 'cites' | 'reason'>;

export interface ChangeSource extends Citing {
  /** The changes as the decision speaks of them. */
  readonly said: readonly Pick<Change, 'knob' | 'family'>[];
}

export async function changeShown(change: Change, decision: Decision, of: ChangeSource): Promise<WhyChange> {
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
    ...(await reasonsOf({ ...change, family: said === undefined ? family : said.family }, of)),
  };
}

function directionOf(from: number | null, to: number | null): WhyChange['direction'] {
  if (from === null || to === null || from === to) return null;
  return to > from ? 'up' : 'down';
}

export async function keptShown(
  kept: NonNullable<Decision['kept']>[number],
  stage: number,
  of: Citing,
): Promise<WhyKept> {
  const { knob, family } = kept;
  const value = configurationOf(of.read, stage)?.knobs.find((one) => one.knob === knob)?.value ?? null;
  return { knob, family, value, ...(await reasonsOf(kept, of)) };
}

async function reasonsOf({ family, cites, reason: says }: Reasoned, of: Citing): Promise<WhyReasons> {
  const evidenceIds = of.context?.data.evidenceIds ?? null;
  const cited = { family, cites };
  return {
    says,
    cites: cites === null ? null : [...cites],
    restsOn: restsOn(cited, evidenceIds),
    ground: bearingOf(cited, evidenceIds),
    verdict: verdictOn(cited, evidenceIds),
    evidence: await evidenceOf(cites, family, of),
  };
}

/** By family, the one with the biggest change first, and so within it. */
export function byFamily(changes: readonly Change[]): Change[] {
  const families = [...new Set(changes.map(({ family }) => family))];
  return families.flatMap((family) => changes.filter((one) => one.family === family));
}

export function unchangedShown({ knob, family }: NamedKnob, read: RunRead, stage: number): WhyUnchanged {
  const stages = [...new Set([...read.stages.map((one) => one.stage), ...read.adoptions.keys()])];
  const turns = stages.toSorted((a, b) => a - b).flatMap((at) => changeAt(read, knob, at));
  const value = configurationOf(read, stage)?.knobs.find((one) => one.knob === knob)?.value ?? null;
  return {
    knob,
    family,
    value,
    last: turns.findLast((one) => one.stage < stage) ?? null,
    next: turns.find((one) => one.stage > stage) ?? null,
  };
}

function changeAt(read: RunRead, knob: string, stage: number): NonNullable<WhyUnchanged['last']>[] {
  const [was, is] = [configurationOf(read, stage - 1), configurationOf(read, stage)];
  if (was === null || is === null) return [];
  const moved = knobDifferences(read.descriptor, was, is).find((one: KnobDifference) => one.knob === knob);
  return moved?.isChanged === true ? [{ stage, from: moved.from, to: moved.to }] : [];
}

export interface NamedKnob {
  readonly knob: string;
  readonly family: string | null;
}

/** How well the cited evidence supports a change, in words: as the view knob_changes and the citation score judge it. */
function verdictOn({ family, cites }: Cited, evidenceIds: EvidenceIds | null): string {
  const cited = [...new Set(cites ?? [])];
  if (cited.length === 0) return 'no evidence cited';
  if (evidenceIds === null) return `cites ${cited.join(', ')}, but the context is not recorded`;
  const known = cited.filter((evidenceId) => Object.hasOwn(evidenceIds, evidenceId));
  const strange = cited.filter((evidenceId) => !known.includes(evidenceId));
  const telling = known.filter((evidenceId) => countsAsEvidence(evidenceId, evidenceIds) === true);
  const idle = known.filter((evidenceId) => !telling.includes(evidenceId));
  const concerning = (concern: ReturnType<typeof concernOf>): string[] =>
    telling.filter((evidenceId) => concernOf(evidenceIds[evidenceId]?.family ?? null, family) === concern);
  const [own, part, other] = [concerning('its family'), concerning('in part'), concerning('another family')];
  const inWords: readonly (readonly [evidenceIds: readonly string[], words: string])[] = [
    [own, `rests on ${evidence(own)} about ${family === null ? 'all families' : 'its family'}`],
    [part, `rests in part on ${evidence(part)} about ${family === null ? 'single families' : 'all families'}`],
    [other, `cites ${evidence(other)} about another family`],
    [idle, `cites ${idle.join(', ')}, not about what the policy did`],
    [strange, `cites ${strange.join(', ')}, which was not shown`],
  ];
  const found = inWords.flatMap(([which, words]) => (which.length === 0 ? [] : [words]));
  const isBare = own.length + part.length === 0;
  return `${found.join('; ')}${isBare ? '; nothing supports it' : ''}`;
}

function evidence(evidenceIds: readonly string[]): string {
  return evidenceIds.length === 1 ? 'evidence' : `${evidenceIds.length} pieces of evidence`;
}
