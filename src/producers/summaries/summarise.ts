// The summaries of a stage: its sealed evidence and its training as citable figures, and as the text that an engineer
// reads.

import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
import { ProgramRefused } from '../../lab/environments/command/faults.ts';
import type { Environment, Judged, Drawing as Picture, Task } from '../../lab/environments/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { descriptorOf, type RunHistory, type StageHistory, stageAt } from '../history/run-history.ts';
import { type EvidenceSums, sumEvidence } from './evidence-sums.ts';
import { evidenceModules, type SummaryModule, sheetOf } from './modules.ts';
import { sheetText } from './sheet.ts';
import type { Exemplar, Seen, Summary } from './summary.ts';
import { collapses, forgettings, trainingFacts } from './training.ts';

/** A text as events store it. */
type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

export interface Summarising {
  readonly ledger: Ledger;
  /** Null if it no longer exists. */
  readonly textOf: (text: Text) => Promise<string | null>;
  /** Draws exemplars, and provides the descriptor if the run has none. */
  readonly environment: Pick<Environment, 'descriptor' | 'draw'>;
  readonly history: RunHistory;
  readonly stage: number;
  /** The number of exemplars to show. */
  readonly exemplars: number;
  readonly signal?: AbortSignal;
}

/** The data for the requested summary does not exist yet. */
export class NothingToSummarise extends IcecoreError {
  override readonly name = 'NothingToSummarise';

  constructor(run: string, stage: number, missing: string) {
    super('not-found', `stage ${stage} of run ${run} has no ${missing} yet: there is nothing to summarise`, {
      facts: { run, stage, missing },
      remedy: 'Continue the run first: icecore resume.',
    });
  }
}

/** The version of the summaries. */
export const summaryVersion = '2';

export async function summarise(module: SummaryModule, of: Summarising): Promise<Summary> {
  const stage = stageAt(of.history, of.stage);
  if (stage === null) throw new NothingToSummarise(of.history.run, of.stage, 'beginning');
  if (module === 'training') return trainingSummary(of, stage);
  const { ledger, exemplars, signal } = of;
  const sealed = sealOf(of.history, stage);
  const all = await sumEvidence([module], {
    ledger,
    sealed,
    descriptor: descriptorOf(of.history, of.environment),
    exemplars,
    signal,
  });
  return await summaryOf(all[0] as EvidenceSums, of);
}

/** The result of the evidence in its recorded form. */
export async function summaryOf(added: EvidenceSums, of: Omit<Summarising, 'ledger'>): Promise<Summary> {
  return added.chosen === null ? factsSummary(added, of) : await exemplarsSummary(added, added.chosen, of);
}

/** Throws NothingToSummarise. */
function sealOf({ run }: RunHistory, { stage, sealed }: StageHistory): EventData['EvidenceSealed'] {
  if (sealed === null) throw new NothingToSummarise(run, stage, 'sealed evidence');
  return sealed.data;
}

type Drawing = Omit<Summarising, 'ledger'>;

function factsSummary({ module, facts, judged, spoilt }: EvidenceSums, of: Drawing): Summary {
  const { split } = evidenceModules[module];
  const isOfTasks = split === 'train';
  const alerts = isOfTasks ? [] : forgettings(earlierBehaviour(of), facts);
  return recorded(descriptorOf(of.history, of.environment), {
    module,
    splits: [split],
    ...(isOfTasks ? { rollouts: judged + total(spoilt) } : { rollouts: judged, ...parameters({}, spoilt) }),
    facts: [...facts],
    exemplars: [],
    ...(alerts.length === 0 ? {} : { alerts }),
  });
}

async function exemplarsSummary(added: EvidenceSums, chosen: readonly Seen[], of: Drawing): Promise<Summary> {
  const { exemplars, environment, textOf, signal } = of;
  const { module, facts, judged, spoilt } = added;
  const drawn: Exemplar[] = [];
  for (const [i, seen] of chosen.entries()) {
    signal?.throwIfAborted();
    const { description, ...exemplar } = added.exemplars[i] as Exemplar;
    const drawing = await drawingOf(environment, seen, textOf);
    drawn.push({
      ...exemplar,
      drawing,
      ...(description === undefined ? {} : { description: clippedSentence(description) }),
    });
  }
  return recorded(descriptorOf(of.history, of.environment), {
    module,
    ...parameters({ exemplars }, spoilt),
    splits: [evidenceModules[module].split],
    rollouts: judged,
    facts: [...facts],
    exemplars: drawn,
  });
}

function trainingSummary(of: Drawing, { stage, training }: StageHistory): Summary {
  if (training === null) throw new NothingToSummarise(of.history.run, stage, 'training');
  const before = stageAt(of.history, stage - 1)?.training?.data.learningSignal ?? [];
  const alerts = collapses(before, training.data.learningSignal ?? []);
  return recorded(descriptorOf(of.history, of.environment), {
    module: 'training',
    facts: trainingFacts(stage, training.data),
    exemplars: [],
    ...(alerts.length === 0 ? {} : { alerts }),
  });
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Rollouts without a verdict say nothing about the policy, but their number must be shown. */
function parameters(
  set: Readonly<Record<string, number>>,
  spoilt: EvidenceSums['spoilt'],
): Pick<Summary, 'parameters'> {
  const all = { ...set, ...(total(spoilt) === 0 ? {} : { spoilt }) };
  return Object.keys(all).length === 0 ? {} : { parameters: all };
}

/** The figures of earlier stages, oldest first. */
function earlierBehaviour({ history, stage }: Pick<Summarising, 'history' | 'stage'>): Summary['facts'][] {
  return history.stages
    .filter((one) => one.stage < stage)
    .flatMap(({ summaries }) => summaries.filter(({ data }) => data.module === 'behaviour'))
    .map(({ data }) => data.facts);
}

function recorded(descriptor: Descriptor, summary: Omit<Summary, 'text' | 'version'>): Summary {
  return { ...summary, version: summaryVersion, text: { text: sheetText(sheetOf(descriptor, summary)) } };
}

// The picture of an exemplar: as its environment draws it, otherwise its task and answer.

/** The maximum length for an engineer; a picture may have any size. */
const mostLines = 60;
const mostColumns = 160;

type Completion = NonNullable<EventData['RolloutRecorded']['completion']>;

type TextOf = (text: Completion) => Promise<string | null>;

export async function drawingOf(environment: Pick<Environment, 'draw'>, seen: Seen, textOf: TextOf): Promise<string> {
  return clipped((await pictureOf(environment, seen))?.text ?? (await written(seen.data, textOf)));
}

/** Null if the environment has no picture; a missing picture does not stop a run. */
export async function pictureOf(
  environment: Pick<Environment, 'draw'>,
  { data, family, failure }: Seen,
): Promise<Picture | null> {
  const task = taskOfRollout(data, family);
  if (environment.draw === undefined || task === null) return null;
  const verdict: Judged = {
    outcome: data.outcome,
    success: data.success ?? false,
    failures: (failure?.data.failures ?? []) as Judged['failures'],
    metrics: data.metrics ?? {},
    ...(data.reward === undefined ? {} : { reward: data.reward }),
  };
  try {
    return await environment.draw(task, data.answer, verdict);
  } catch (error) {
    if (error instanceof ProgramRefused) return null;
    throw error;
  }
}

/** The task as an environment takes it; null if the event does not hold it. */
export function taskOfRollout({ task }: Seen['data'], family: string): Task | null {
  if (task?.inline === undefined) return null;
  const { id = task.digest ?? '', digest, facts = {}, inline } = task;
  return { id, family, instance: inline, facts, ...(digest === undefined ? {} : { digest }) };
}

async function written({ task, answer, completion, expected }: Seen['data'], textOf: TextOf): Promise<string> {
  const said = answer === undefined && completion !== undefined ? await textOf(completion) : null;
  const lines: readonly (readonly [string, unknown])[] = [
    ['task', task?.inline],
    ['answer', answer ?? said ?? undefined],
    ['expected', expected],
  ];
  return lines.flatMap(([what, value]) => (value === undefined ? [] : [`${what}: ${inWords(value)}`])).join('\n');
}

function inWords(value: unknown): string {
  return escapeControls(typeof value === 'string' ? value : canonicalJson(value));
}

/** The text without control characters, limited to a readable length and width. */
export function clipped(text: string): string {
  const lines = escapeControlsInLines(text).split('\n');
  const shown = lines.slice(0, mostLines).map((line) => clippedLine(line).trimEnd());
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more lines)`] : [])].join('\n');
}

function clippedLine(line: string): string {
  const characters = [...line];
  return characters.length <= mostColumns ? line : `${characters.slice(0, mostColumns - 1).join('')}…`;
}

/** A sentence on one line. */
export function clippedSentence(text: string): string {
  return clippedLine(escapeControls(text));
}
