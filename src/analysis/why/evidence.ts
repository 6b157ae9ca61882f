// What a decision rests on. The events it names are found by their ids, one by one, and never a stream of rollouts; the
// context that was shown, by its event or by the digest of its bytes. Each evidence id that a reason cites is shown with what it
// means, what it has to do with the knob, the same figure after the next stage, and the rollouts it leads to.

import { isDeepStrictEqual } from 'node:util';
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import type { WhyEvent, WhyEvidence, WhyFigure } from '../../../schemas/why-output.ts';
import { isOwnModule } from '../../lab/context-modules.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { isModule } from '../../producers/contexts/forms.ts';
import { moduleNamed } from '../../producers/contexts/modules.ts';
import { textIn } from '../../producers/contexts/own-module.ts';
import { concernOf, contextNamed } from '../../producers/history/citing.ts';
import type { RunRead } from '../../producers/history/reading.ts';
import { type StageHistory, stageAt, stageRun } from '../../producers/history/run-history.ts';
import { type EvidenceIds, isEvidence } from '../../producers/proposals/scores.ts';
import type { Exemplar, Fact, Summary } from '../../producers/summaries/summary.ts';
import type { EventFinder } from '../../projections/finding.ts';

export class Events {
  readonly #finder: EventFinder;
  readonly #found = new Map<string, Promise<StoredEvent | null>>();

  constructor(finder: EventFinder) {
    this.#finder = finder;
  }

  /** Whether each that there is can be found here. */
  get canFind(): boolean {
    return this.#finder.findsAll;
  }

  /** Null where this ledger has none of that id. */
  at(id: string): Promise<StoredEvent | null> {
    const found = this.#found.get(id) ?? this.#find(id);
    this.#found.set(id, found);
    return found;
  }

  /** Its data; null where there is no such event, or it is of another type or a newer version. */
  async dataOf<Type extends TypeName>(id: string, type: Type): Promise<EventData[Type] | null> {
    const reading = (await this.at(id))?.reading;
    return reading?.known === true && reading.type === type ? (reading.data as EventData[Type]) : null;
  }

  async placed(id: string): Promise<WhyEvent> {
    const found = await this.at(id);
    return { event: id, stream: found?.stream ?? null, revision: found?.revision ?? null };
  }

  async #find(id: string): Promise<StoredEvent | null> {
    const [found] = await this.#finder.find(id, 1);
    return found ?? null;
  }
}

export interface ShownContext {
  readonly id: string;
  /** The stage it looks back on. */
  readonly stage: number;
  readonly data: EventData['ContextRecorded'];
}

type Named = EventData['ConfigAdopted']['context'];

/** Null where nothing was shown, where it is not here, or cannot be read. */
export async function contextShown(read: RunRead, events: Events, named: Named): Promise<ShownContext | null> {
  if (named === null) return null;
  const own = contextNamed(read, named);
  if (own !== null) return { id: own.id, stage: (own.envelope.stage ?? 0) - 1, data: own.data };
  if (named.event === undefined) return null;
  const data = await events.dataOf(named.event, 'ContextRecorded');
  const event = await events.at(named.event);
  return data === null || event === null ? null : { id: named.event, stage: stageRun(event), data };
}

type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

/** Null where a text was erased or its blob is missing. */
export type TextOf = (text: Text) => Promise<string | null>;

interface Meaning {
  readonly figure: WhyFigure | null;
  readonly text: string | null;
  /** The summary that has the figure; null if another source has it. */
  readonly summary: Summary | null;
  /** Null if it is not a single rollout. */
  readonly exemplar: Exemplar | null;
}

const nothing: Meaning = { figure: null, text: null, summary: null, exemplar: null };

export interface Source {
  readonly read: RunRead;
  readonly events: Events;
  readonly context: ShownContext;
  readonly textOf: TextOf;
}

/** `shown`: the evidence id as the context has it. */
export async function meaningOf(evidenceId: string, shown: EvidenceIds[string], of: Source): Promise<Meaning> {
  const summaries = summariesIn(of);
  const exemplar = exemplarOf(evidenceId, shown, summaries);
  if (exemplar !== null) return { ...nothing, exemplar };
  for (const id of shown.events) {
    const summary = summaries.get(id) ?? (await of.events.dataOf(id, 'SummaryRecorded'));
    const fact = summary?.facts.find((one) => one.evidenceId === evidenceId);
    if (summary !== null && fact !== undefined) return { ...nothing, figure: figureOf(fact, summary), summary };
  }
  const rollout = await rolloutAmong(evidenceId, shown, of.events);
  return rollout === null ? await rebuilt(evidenceId, shown, of) : { ...nothing, exemplar: rollout };
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
function summariesIn({ read, context }: Pick<Source, 'read' | 'context'>): ReadonlyMap<string, Summary> {
  return new Map(stageAt(read, context.stage)?.summaries.map(({ id, data }) => [id, data]));
}

function exemplarOf(
  evidenceId: string,
  { events }: Pick<EvidenceIds[string], 'events'>,
  summaries: ReadonlyMap<string, Summary>,
): Exemplar | null {
  const all = [...summaries.values()].toReversed().flatMap(({ exemplars }) => exemplars);
  return all.find((one) => one.evidenceId === evidenceId && events.includes(one.rollout)) ?? null;
}

function figureOf(
  { measure, about, value, count, of, low, high }: Fact,
  { splits = [] }: Partial<Pick<Summary, 'splits'>> = {},
): WhyFigure {
  return {
    measure,
    about: about ?? null,
    value: typeof value === 'number' ? value : { ...value },
    count: count ?? null,
    of: of ?? null,
    low: low ?? null,
    high: high ?? null,
    splits: [...splits],
  };
}

/** A figure of no summary is built as the context was, and used only if it has the same events. */
async function rebuilt(evidenceId: string, shown: EvidenceIds[string], of: Source): Promise<Meaning> {
  const { read, context, textOf } = of;
  const { descriptor } = read;
  const { contextForm: form, without = [] } = context.data;
  if (isOwnModule(shown.module)) {
    // Whoever only looks runs no code of a plugin: what it said is in the context as it was recorded.
    const text = await textOf(context.data.text);
    return { ...nothing, text: text === null ? null : textIn(text, evidenceId) };
  }
  if (descriptor === null || !isModule(shown.module)) return nothing;
  const building = { descriptor, history: read, stage: context.stage, form, budget: 0, without, textOf };
  const module = await moduleNamed(shown.module, building);
  const item = module.sheet.parts
    .flatMap(({ items }) => items)
    .find(({ evidenceIds }) => evidenceIds.includes(evidenceId));
  if (item === undefined || !isDeepStrictEqual([...module.events(evidenceId)], [...shown.events])) return nothing;
  const fact = module.facts.find((one) => one.evidenceId === evidenceId);
  if (fact !== undefined) return { ...nothing, figure: figureOf(fact) };
  return { ...nothing, text: (item.lines ?? item.cells ?? []).filter((line) => line !== evidenceId).join('\n') };
}

export interface Citing extends Omit<Source, 'context'> {
  /** Null where nobody knows what was shown. */
  readonly context: Source['context'] | null;
  /** The stage that was decided on; null where it has not begun. */
  readonly itself: StageHistory | null;
}

export async function evidenceOf(
  cited: readonly string[] | null,
  family: string | null,
  of: Citing,
): Promise<WhyEvidence[]> {
  const all: WhyEvidence[] = [];
  for (const evidenceId of new Set(cited)) all.push(await evidence(evidenceId, family, of));
  return all;
}

async function evidence(evidenceId: string, family: string | null, of: Citing): Promise<WhyEvidence> {
  const { context, itself } = of;
  if (context === null) return bare(evidenceId, 'no-context', 'the context is not recorded');
  const { evidenceIds, without = [] } = context.data;
  const shown = Object.hasOwn(evidenceIds, evidenceId) ? evidenceIds[evidenceId] : undefined;
  if (shown === undefined) {
    const isWithheld = without.includes(evidenceId);
    return bare(evidenceId, 'not-shown', isWithheld ? 'it was left out on purpose' : 'there was no such evidence id');
  }
  const source = { ...of, context };
  const meaning = await meaningOf(evidenceId, shown, source);
  const note = await whatIsMissing(shown, meaning, of);
  return {
    evidenceId,
    status: note === null ? 'shown' : 'unreadable',
    note,
    module: shown.module,
    family: shown.family,
    concerns: concernOf(shown.family, family),
    counts: countsAsEvidence(evidenceId, evidenceIds),
    events: await Promise.all(shown.events.map((id) => of.events.placed(id))),
    figure: meaning.figure,
    since: sinceThen(evidenceId, shown.module, meaning, itself),
    text: meaning.text,
    exemplars: exemplarsBehind(evidenceId, shown, meaning, source),
  };
}

function bare(evidenceId: string, status: WhyEvidence['status'], note: string): WhyEvidence {
  return {
    evidenceId,
    status,
    note,
    module: null,
    family: null,
    concerns: null,
    counts: null,
    events: [],
    figure: null,
    since: null,
    text: null,
    exemplars: [],
  };
}

/** Null where nothing is. */
async function whatIsMissing(
  { events }: Pick<EvidenceIds[string], 'events'>,
  { figure, text, exemplar }: Meaning,
  of: Citing,
): Promise<string | null> {
  if (figure !== null || text !== null) return null;
  const found = await Promise.all(events.map((id) => of.events.at(id)));
  const here = found.filter((event) => event !== null);
  if (here.length < events.length && of.events.canFind) {
    return exemplar === null ? 'the event behind it is not in this ledger' : 'its rollout is not in this ledger';
  }
  if (here.some(({ reading }) => !reading.known)) return 'the event behind it is one that this icecore cannot read';
  if (exemplar !== null || here.some(({ type }) => type === 'RolloutRecorded')) return null;
  return 'its meaning does not follow from the events behind it';
}

/** The same figure after the stage that the change was made for. */
function sinceThen(
  evidenceId: string,
  module: string,
  { summary, figure }: Meaning,
  itself: StageHistory | null,
): WhyFigure | null {
  if (summary === null || figure === null || itself === null) return null;
  const after = itself.summaries.findLast(({ data }) => data.module === module)?.data;
  const fact = after?.facts.find(
    (one) => one.evidenceId === evidenceId && one.measure === figure.measure && (one.about ?? null) === figure.about,
  );
  return fact === undefined ? null : figureOf(fact, after);
}

/** Itself; of a figure, the rollouts of its family that it was made from and that were shown, and of its way to fail. */
function exemplarsBehind(
  evidenceId: string,
  { family }: EvidenceIds[string],
  { exemplar, summary, figure }: Meaning,
  of: Source,
): string[] {
  if (exemplar !== null) return [evidenceId];
  if (summary === null || figure === null || family === null) return [];
  return exemplarsShown(of)
    .filter((one) => isMadeFromTheSame(one.summary, summary))
    .filter(({ exemplar: { class: failureClass }, summary: its }) => its !== summary || failureClass === figure.about)
    .filter(({ exemplar: one }) => one.family === family)
    .map(({ exemplar: one }) => one.evidenceId);
}

interface ExemplarShown {
  readonly exemplar: Exemplar;
  readonly summary: Summary;
}

/** In the order in which they were shown. */
export function exemplarsShown(of: Pick<Source, 'read' | 'context'>): readonly ExemplarShown[] {
  const summaries = summariesIn(of);
  return Object.entries(of.context.data.evidenceIds).flatMap(([evidenceId, shown]) => {
    const exemplar = exemplarOf(evidenceId, shown, summaries);
    const summary = [...summaries.values()].findLast(({ exemplars }) => exemplars.some((one) => one === exemplar));
    return exemplar === null || summary === undefined ? [] : [{ exemplar, summary }];
  });
}

function isMadeFromTheSame({ splits: a = [] }: Summary, { splits: b = [] }: Summary): boolean {
  return a.length > 0 && a.length === b.length && a.every((split) => b.includes(split));
}

/** Null where nobody knows what was shown. */
export function countsAsEvidence(evidenceId: string, evidenceIds: EvidenceIds | null): boolean | null {
  if (evidenceIds === null) return null;
  const shown = Object.hasOwn(evidenceIds, evidenceId) ? evidenceIds[evidenceId] : undefined;
  return shown === undefined ? null : isEvidence(evidenceId, shown);
}
