// Why a stage was configured as it was: from each knob that changed to the evidence it rests on, down to single rollouts, and on
// to what its family did then. Only decisions are read, and single events by their ids: what it costs does not grow with the
// number of rollouts.

import { IcecoreError, UnknownName } from '../../../schemas/errors.ts';
import { didYouMean, nearestNames } from '../../../schemas/nearest.ts';
import type { Decision, NoteRow, Rate } from '../../../schemas/run-output.ts';
import type {
  Why,
  WhyChange,
  WhyCourse,
  WhyEffect,
  WhyEvidence,
  WhyExemplar,
  WhyKept,
  WhyUncited,
} from '../../../schemas/why-output.ts';
import { listNames } from '../../base/name-lists.ts';
import { counted } from '../../base/quantity.ts';
import { shellWord } from '../../base/shell-word.ts';
import { wilson } from '../../lab/statistics/distributions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { configurationOf } from '../../producers/history/configurations.ts';
import { decisionFor } from '../../producers/history/decisions.ts';
import { numberIn, overlap, rateOf, unknownRate, validationOf } from '../../producers/history/figures.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { type StageHistory, stageAt } from '../../producers/history/run-history.ts';
import { EventFinder } from '../../projections/finding.ts';
import { notesOf, unknownShown } from '../history/notes.ts';
import { stageRow } from '../history/stages.ts';
import {
  byFamily,
  type ChangeSource,
  changeShown,
  decisionShown,
  keptShown,
  type NamedKnob,
  passedOver,
  unchangedShown,
} from './decision.ts';
import { classToFind, drawnFor } from './drawn.ts';
import { contextShown, Events, meaningOf, type TextOf } from './evidence.ts';
import { Drawer, exemplarSeen, type RegistryToDraw } from './rollouts.ts';
import { failureBehind, uncitedFailure } from './uncited.ts';

export interface WhyOptions {
  /** A knob or a family; all, where it is missing. */
  readonly knob?: string | null;
  /** 4, where it is missing: down to the rollouts. */
  readonly depth?: Depth;
  /** Reads texts that are kept as blobs; without it, these count as not there. */
  readonly textOf?: TextOf;
  /** Without it, only what the ledger itself can find by id is found. */
  readonly finder?: EventFinder;
  /** Has the environments that draw rollouts; without it, only recorded drawings are shown. */
  readonly registry?: RegistryToDraw;
  /** Whether to find a failed rollout for a change that leads to none, or to none of the failure class it cites (default: false). */
  readonly findsUncited?: boolean;
}

/** Throws NotDecidedYet and UnknownKnob. */
export async function whyOf(ledger: Ledger, read: RunRead, stage: number, options: WhyOptions = {}): Promise<Why> {
  const { knob = null, depth = 4, textOf = inEvents, finder = new EventFinder(ledger), registry = null } = options;
  const { before, itself } = stagesAbout(read, stage);
  const meant = knob === null ? null : knobsMeant(knob, read, stage);
  const isMeant = (one: { readonly knob: string }): boolean =>
    meant === null || meant.some((known) => known.knob === one.knob);
  const events = new Events(finder);
  const decision = decisionFor(read, stage);
  const said = saidIn(read, before, decision);
  const context = await contextShown(read, events, said?.context ?? null);
  const citing: ChangeSource = { read, events, context, textOf, itself, said: said?.changes ?? [] };
  const changed = byFamily(decision.changes.filter(isMeant));
  const changes: WhyChange[] = [];
  for (const change of changed) changes.push(await changeShown(change, decision, citing));
  const kept: WhyKept[] = [];
  for (const one of decision.kept?.filter(isMeant) ?? []) kept.push(await keptShown(one, stage, citing));
  const families = familiesOf(read, [...changed, ...kept, ...(meant ?? [])]);
  const exemplars = depth < 4 ? [] : await exemplarsOf([...changes, ...kept], citing, registry);
  const finds = depth === 4 && options.findsUncited === true;
  const uncited = finds ? await uncitedOf(changes[0], exemplars, { ...citing, ledger, before, registry }) : null;
  const why: Why = {
    ledger: ledger.url,
    run: read.run,
    name: read.name,
    environment: read.descriptor?.environment ?? read.started?.data.environment?.name ?? null,
    stage,
    isBegun: itself !== null,
    isOver: itself !== null && itself.completed !== null,
    isShared: read.parent !== null && stage <= read.parent.stage,
    asked: knob,
    depth,
    decision: await decisionShown({ read, events, decision, before, context }),
    changes,
    changed: decision.changes.length,
    unchanged: notChanged(meant, decision).map((one) => unchangedShown(one, read, stage)),
    kept: decision.kept === null ? null : kept,
    effects: [null, ...families].map((family) => effectOn(family, { stage, before, itself })),
    alerts: alertsIn(read, [before, itself], meant === null ? null : families),
    exemplars,
    uncited,
    legend: [...exemplars, uncited].some((one) => (one?.drawing ?? null) !== null)
      ? await legendOf(read, registry)
      : null,
    rejections: decision.rejections,
    errors: decision.errors,
    passedOver: passedOver({ decision, before }),
    notes: [],
    opaque: [],
  };
  const { notes, opaque } = await notesOf(ledger, read.run);
  const beside = { notes: notesOn(notes, why), opaque: unknownShown([...read.opaque, ...opaque]) };
  return asDeepAs(depth, { ...why, ...beside });
}

const inEvents: TextOf = async (text) => ('text' in text ? text.text : null);

/** What the decision says, or the proposal where nothing was decided. */
function saidIn(read: RunRead, before: StageHistory | null, { stage, proposal }: Decision) {
  return read.adoptions.get(stage)?.data ?? before?.proposals.find(({ id }) => id === proposal)?.data ?? null;
}

function notChanged(meant: readonly NamedKnob[] | null, { changes }: Decision): readonly NamedKnob[] {
  return (meant ?? []).filter(({ knob }) => !changes.some((one) => one.knob === knob));
}

/** In the order of the descriptor. */
function familiesOf({ descriptor }: RunRead, knobs: readonly Pick<NamedKnob, 'family'>[]): readonly string[] {
  const order = descriptor?.families.map(({ family }) => family) ?? [];
  const met = [...new Set(knobs.flatMap(({ family }) => family ?? []))];
  return [...order.filter((family) => met.includes(family)), ...met.filter((family) => !order.includes(family))];
}

/** Of these families, and what is of all of them; null: everything. */
function alertsIn(
  read: RunRead,
  stages: readonly (StageHistory | null)[],
  families: readonly string[] | null,
): Why['alerts'] {
  const raised = stages.flatMap((one) =>
    one === null ? [] : stageRow(read, one).alerts.map((alert) => ({ stage: one.stage, ...alert })),
  );
  return raised.filter(({ family }) => families === null || family === null || families.includes(family));
}

/** Each that something leads to, once. */
async function exemplarsOf(
  reasons: readonly Pick<WhyChange, 'evidence'>[],
  citing: ChangeSource,
  registry: RegistryToDraw | null,
): Promise<WhyExemplar[]> {
  const { read, events, context, textOf } = citing;
  if (context === null) return [];
  const drawer = new Drawer(read, textOf, registry);
  try {
    const evidenceIds = new Set(reasons.flatMap(({ evidence }) => evidence.flatMap(({ exemplars }) => exemplars)));
    const seen: WhyExemplar[] = [];
    for (const evidenceId of evidenceIds) {
      const shown = context.data.evidenceIds[evidenceId];
      const meaning =
        shown === undefined ? null : await meaningOf(evidenceId, shown, { read, events, context, textOf });
      if (meaning?.exemplar) seen.push(await exemplarSeen(meaning.exemplar, { events, textOf, drawer }));
    }
    return seen;
  } finally {
    await drawer.close();
  }
}

interface UncitedSearch extends ChangeSource, Pick<Stages, 'before'> {
  readonly ledger: Ledger;
  readonly registry: RegistryToDraw | null;
}

/** Null if there is no change, if an exemplar is drawn for it, or if no rollout of its family failed. */
async function uncitedOf(
  change: WhyChange | undefined,
  exemplars: readonly WhyExemplar[],
  { read, events, context, textOf, ledger, before, registry }: UncitedSearch,
): Promise<WhyUncited | null> {
  if (change === undefined || before === null) return null;
  const failureClass = classToFind(change, exemplars);
  const isDrawn = drawnFor(change, exemplars) !== null;
  if (isDrawn && failureClass === null) return null;
  const drawer = new Drawer(read, textOf, registry);
  const source = { ledger, read, before, events, context, textOf, drawer };
  try {
    const behind = failureClass === null ? null : await failureBehind(failureClass, source);
    return behind ?? (isDrawn ? null : await uncitedFailure(change.family, source));
  } finally {
    await drawer.close();
  }
}

/** Short if the environment is known here; otherwise as engineers are shown it. */
async function legendOf({ descriptor }: RunRead, registry: RegistryToDraw | null): Promise<string | null> {
  if (descriptor === null) return null;
  const short = (await registry?.())?.environments.get(descriptor.environment)?.legend;
  return short ?? (descriptor.drawings === undefined ? null : `${descriptor.drawings}.`);
}

/** About the stage, its decision, or one of the knobs that are shown. */
function notesOn(all: readonly NoteRow[], { stage, changes, unchanged, decision, asked }: Why): Why['notes'] {
  const about = [decision.adopted, decision.proposal, decision.context?.event].flatMap((one) => one?.event ?? []);
  const knobs = [...changes, ...unchanged].map(({ knob }) => knob);
  const notes = all.filter((note) => {
    if (note.knob !== null && !knobs.includes(note.knob)) return false;
    if (note.about !== null && about.includes(note.about)) return true;
    return note.stage === stage && (note.knob !== null || asked === null);
  });
  return notes.map(({ event, at, actor, knob, says }) => ({ event, at, actor, knob, says }));
}

/** Stages that have begun, and the next one once it is decided or proposed. */
export function decidedStages({ stages, adoptions }: RunRead): readonly number[] {
  const begun = stages.map(({ stage }) => stage);
  const next = (begun.at(-1) ?? 0) + 1;
  const isProposed = (stages.at(-1)?.proposals ?? []).length > 0;
  return begun.length > 0 && (adoptions.has(next) || isProposed) ? [...begun, next] : begun;
}

/** The last stage that was decided on; where no decision was recorded, the last there is. Throws NothingDecided. */
export function lastDecided(read: RunRead): number {
  const last = Math.max(0, ...read.adoptions.keys()) || (read.stages.at(-1)?.stage ?? 0);
  if (last === 0) throw new NothingDecided(read);
  return last;
}

/** The stage before the one that is asked about, and itself; null where they have not begun. Throws NotDecidedYet. */
function stagesAbout(read: RunRead, stage: number): Record<'before' | 'itself', StageHistory | null> {
  const [before, itself] = [stage - 1, stage].map((at) => stageAt(read, at));
  const isDecided = read.adoptions.has(stage) || (before?.proposals ?? []).length > 0;
  if (itself === null && !isDecided) throw new NotDecidedYet(read, stage);
  return { before: before ?? null, itself: itself ?? null };
}

/** All knobs that a run speaks of, as far as this stage; those of its descriptor first. */
function knobsOf(read: RunRead, stage: number): readonly NamedKnob[] {
  const described = read.descriptor?.knobs.map(({ name, family }) => ({ knob: name, family })) ?? [];
  const set = [stage - 1, stage].flatMap((at) => configurationOf(read, at)?.knobs ?? []);
  const adopted = [...(read.adoptions.get(stage)?.data.changes ?? [])];
  const known = new Map<string, NamedKnob>();
  for (const { knob, family } of [...described, ...set, ...adopted]) {
    if (!known.has(knob)) known.set(knob, { knob, family });
  }
  return [...known.values()];
}

/** Those that are meant by a knob's name or by a family's; a knob's own name comes first. Throws UnknownKnob. */
function knobsMeant(asked: string, read: RunRead, stage: number): readonly NamedKnob[] {
  const known = knobsOf(read, stage);
  const own = known.filter(({ knob }) => knob === asked);
  if (own.length > 0) return own;
  const ofFamily = known.filter(({ family }) => family === asked);
  if (ofFamily.length > 0) return ofFamily;
  throw new UnknownKnob(asked, read, known);
}

/** The number of knobs named in an error. */
const mostKnobs = 12;

class UnknownKnob extends UnknownName {
  override readonly name = 'UnknownKnob';

  constructor(asked: string, { name: run, stages }: Pick<RunRead, 'name' | 'stages'>, known: readonly NamedKnob[]) {
    const families = [...new Set(known.flatMap(({ family }) => family ?? []))];
    const names = known.map(({ knob }) => knob);
    const near = nearestNames(asked, [...names, ...families]);
    const isStage = stages.some(({ stage }) => String(stage) === asked);
    super(asked, `run ${run} has no knob and no task family named "${asked}"`, {
      facts: { asked, run, nearest: near, families },
      remedy: isStage
        ? `For stage ${asked}: icecore why ${shellWord(`${run}@${asked}`)}`
        : didYouMean(
            near,
            known.length === 0
              ? 'Nothing was recorded of its configurations.'
              : `There are ${listNames(names, mostKnobs)}.`,
          ),
    });
  }
}

class NothingDecided extends IcecoreError {
  override readonly name = 'NothingDecided';

  constructor({ run, name }: RunRead) {
    super('not-found', `run ${name} has no decision yet: nothing of its configurations was recorded`, {
      facts: { run },
      remedy: 'icecore show shows what there is of it.',
    });
  }
}

class NotDecidedYet extends IcecoreError {
  override readonly name = 'NotDecidedYet';

  constructor({ run, name, completed, stages }: RunRead, stage: number) {
    const decision = shellWord(`${name}@${stage}`);
    const message =
      completed === null
        ? `the configuration of stage ${stage} of ${name} is not decided yet`
        : `${name} is complete with ${counted(stages.length, 'stage')}: no stage ${stage} was decided`;
    super('not-found', message, {
      facts: { run, stage },
      remedy: `icecore context ${decision} shows what an engineer would see; icecore propose ${decision} asks one.`,
    });
  }
}

const depths = [1, 2, 3, 4] as const;

export type Depth = (typeof depths)[number];

/** Without deeper details. */
function asDeepAs(depth: Depth, why: Why): Why {
  const shallow = <Reasons extends { evidence: WhyEvidence[] }>(one: Reasons): Reasons => ({
    ...one,
    evidence: depth < 2 ? [] : one.evidence.map((evidenceId) => evidenceTo(depth, evidenceId)),
  });
  return {
    ...why,
    depth,
    changes: why.changes.map(shallow),
    kept: why.kept?.map(shallow) ?? null,
    exemplars: depth < 4 ? [] : why.exemplars,
    uncited: depth < 4 ? null : why.uncited,
  };
}

function evidenceTo(depth: Depth, evidence: WhyEvidence): WhyEvidence {
  return depth < 3 ? { ...evidence, figure: null, since: null, text: null } : evidence;
}

interface Stages {
  readonly stage: number;
  readonly before: StageHistory | null;
  readonly itself: StageHistory | null;
}

function effectOn(family: string | null, stages: Stages): WhyEffect {
  return {
    family,
    validation: course(stages, (one) => rateOf(validationOf(one)?.data ?? null, 'valid', family)),
    probe: course(stages, (one) => probeRate(one, family)),
    signal: course(stages, (one) => signalRate(one, family)),
  };
}

function course(stages: Stages, rateIn: (stage: StageHistory) => Rate): WhyCourse {
  const [before, after] = [stages.before, stages.itself].map((one) => (one === null ? unknownRate : rateIn(one)));
  const [from, to] = [before ?? unknownRate, after ?? unknownRate];
  return {
    before: from,
    after: to,
    gain: from.value === null || to.value === null ? null : to.value - from.value,
    overlap: overlap(from, to),
    missing: from.value === null || to.value === null ? missingIn(stages, to.value === null) : null,
  };
}

function missingIn({ stage, itself }: Stages, isAfter: boolean): string {
  if (isAfter && itself === null) return `stage ${stage} has not begun`;
  if (isAfter && itself?.completed === null) return `stage ${stage} is not complete`;
  if (isAfter) return `not recorded in stage ${stage}`;
  if (stage === 1) return 'there is no stage before the first';
  return `not recorded in stage ${stage - 1}`;
}

/** As it was summed up for engineers. Over all families it has no interval: the number of tasks is known by family only. */
function probeRate({ summaries }: StageHistory, family: string | null): Rate {
  const facts = summaries.findLast(({ data }) => data.module === 'behaviour')?.data.facts ?? [];
  const rates = facts.filter(({ measure, about }) => measure === 'valid' && about === undefined);
  const own = rates.find((one) => one.family === family);
  if (own !== undefined) {
    const { value, count, of, low, high } = own;
    return { value: numberIn(value), count: count ?? null, of: of ?? null, low: low ?? null, high: high ?? null };
  }
  let [count, of] = [0, 0];
  for (const rate of rates) {
    if (family !== null || rate.count === undefined || rate.of === undefined) return unknownRate;
    count += rate.count;
    of += rate.of;
  }
  return of === 0 ? unknownRate : { value: count / of, count, of, low: null, high: null };
}

/** How many of its sample groups had something to teach. */
export function signalRate({ training }: StageHistory, family: string | null): Rate {
  const signals = training?.data.learningSignal ?? [];
  const own = signals.find((one) => one.family === family);
  if (own !== undefined) return signalFrom(own.sampleGroups, own.withVariance, numberIn(own.share));
  if (family !== null || signals.length === 0) return unknownRate;
  const groups = signals.reduce((sum, one) => sum + one.sampleGroups, 0);
  const withVariance = signals.reduce((sum, one) => sum + one.withVariance, 0);
  return signalFrom(groups, withVariance, groups === 0 ? null : withVariance / groups);
}

function signalFrom(of: number, count: number, value: number | null): Rate {
  const interval = of === 0 ? { low: null, high: null } : wilson(Math.min(count, of), of);
  return { value, count, of, ...interval };
}
