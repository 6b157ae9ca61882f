// What an evidence id stands for: a figure of a summary, a rollout that stands for many, what a history or an objective says, or
// words. Taken from the events that the recorded context names for it, and from nothing else.
import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { WhyFigure } from '../../../schemas/why-output.ts';
import { isModule } from '../../producers/contexts/forms.ts';
import { moduleNamed } from '../../producers/contexts/modules.ts';
import type { RunRead } from '../../producers/history/run-read.ts';
import type { EvidenceIds } from '../../producers/proposals/citation-score.ts';
import type { Exemplar, Fact, Summary } from '../../producers/summaries/summary.ts';
import type { Events } from './events.ts';
import type { ShownContext } from './shown.ts';

export type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

/** Null where a text was erased or its blob is missing. */
export type TextOf = (text: Text) => Promise<string | null>;

export interface Told {
  readonly figure: WhyFigure | null;
  readonly text: string | null;
  /** The summary a figure stands in; null where it stands elsewhere. */
  readonly summary: Summary | null;
  /** Null where it stands for no single rollout. */
  readonly exemplar: Exemplar | null;
}

const nothing: Told = { figure: null, text: null, summary: null, exemplar: null };

export interface Telling {
  readonly read: RunRead;
  readonly events: Events;
  readonly context: ShownContext;
  readonly textOf: TextOf;
}

/** `shown`: the evidence id as the context has it. */
export async function toldOf(evidenceId: string, shown: EvidenceIds[string], of: Telling): Promise<Told> {
  const summaries = summariesIn(of);
  const exemplar = exemplarOf(evidenceId, shown, summaries);
  if (exemplar !== null) return { ...nothing, exemplar };
  for (const id of shown.events) {
    const summary = summaries.get(id) ?? (await of.events.dataOf(id, 'SummaryRecorded'));
    const fact = summary?.facts.find((one) => one.evidenceId === evidenceId);
    if (summary !== null && fact !== undefined) return { ...nothing, figure: figureOf(fact), summary };
  }
  const rollout = await rolloutAmong(evidenceId, shown, of.events);
  return rollout === null ? await builtAgain(evidenceId, shown, of) : { ...nothing, exemplar: rollout };
}

/** Others may name rollouts that stand in no summary. */
async function rolloutAmong(
  evidenceId: string,
  { events: ids, family }: EvidenceIds[string],
  events: Events,
): Promise<Exemplar | null> {
  const found = await Promise.all(ids.map(async (id) => ({ id, type: (await events.at(id))?.type })));
  const rollout = found.find(({ type }) => type === 'RolloutRecorded')?.id;
  const failure = found.find(({ type }) => type === 'FailureRecorded')?.id;
  if (rollout === undefined) return null;
  return { evidenceId, rollout, family, ...(failure === undefined ? {} : { failure }) };
}

/** The summaries of the stage a context looks back on, by their events. */
export function summariesIn({ read, context }: Pick<Telling, 'read' | 'context'>): ReadonlyMap<string, Summary> {
  const stage = read.history.stages.find((one) => one.stage === context.stage);
  return new Map(stage?.summaries.map(({ id, data }) => [id, data]));
}

export function exemplarOf(
  evidenceId: string,
  { events }: Pick<EvidenceIds[string], 'events'>,
  summaries: ReadonlyMap<string, Summary>,
): Exemplar | null {
  const all = [...summaries.values()].toReversed().flatMap(({ exemplars }) => exemplars);
  return all.find((one) => one.evidenceId === evidenceId && events.includes(one.rollout)) ?? null;
}

export function figureOf({ measure, about, value, count, of, low, high }: Fact): WhyFigure {
  return {
    measure,
    about: about ?? null,
    value: typeof value === 'number' ? value : { ...value },
    count: count ?? null,
    of: of ?? null,
    low: low ?? null,
    high: high ?? null,
  };
}

/** What stands in no summary is built as the context was; it is told only where the same events stand behind it. */
async function builtAgain(evidenceId: string, shown: EvidenceIds[string], of: Telling): Promise<Told> {
  const { read, context, textOf } = of;
  const { descriptor, history } = read;
  const { contextForm: form, without = [] } = context.data;
  if (descriptor === null || !isModule(shown.module)) return nothing;
  const building = { descriptor, history, stage: context.stage, form, budget: 0, without, textOf };
  const module = await moduleNamed(shown.module, building);
  const item = module.sheet.parts
    .flatMap(({ items }) => items)
    .find(({ evidenceIds }) => evidenceIds.includes(evidenceId));
  if (item === undefined || !isDeepStrictEqual([...module.events(evidenceId)], [...shown.events])) return nothing;
  const fact = module.facts.find((one) => one.evidenceId === evidenceId);
  if (fact !== undefined) return { ...nothing, figure: figureOf(fact) };
  return { ...nothing, text: (item.lines ?? item.cells ?? []).filter((line) => line !== evidenceId).join('\n') };
}
