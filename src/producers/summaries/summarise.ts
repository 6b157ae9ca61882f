// The summaries of a stage: its sealed evidence and its training added up, each as figures that can be cited and as the
// text that an engineer reads.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunHistory, StageHistory } from '../run/history.ts';
import { collapses, forgettings } from './alerts.ts';
import { Behaviour } from './behaviour.ts';
import { clippedSentence, drawingOf } from './drawing.ts';
import { rolloutsIn, type ShownSplit } from './evidence.ts';
import { Failures } from './failures.ts';
import { sheetText } from './sheet.ts';
import { sheetOf } from './sheets.ts';
import { Stats } from './stats.ts';
import type { Exemplar, Summariser, Summary } from './summary.ts';
import { trainingFacts } from './training.ts';

/** A text as events have it. */
type Text = NonNullable<EventData['RolloutRecorded']['completion']>;

/** Those that every stage has. */
export const summaryModules = ['stats', 'behaviour', 'failures', 'training'] as const;

export type SummaryModule = (typeof summaryModules)[number];

export interface Summarising {
  readonly ledger: Ledger;
  /** Null where it is no more. */
  readonly textOf: (text: Text) => Promise<string | null>;
  /** It draws, and describes itself where the run does not say. */
  readonly environment: Pick<Environment, 'descriptor' | 'draw'>;
  readonly history: RunHistory;
  readonly stage: number;
  /** How many rollouts are shown. */
  readonly exemplars: number;
  readonly signal?: AbortSignal;
}

/** What adds up, and what was asked for, is not there yet. */
export class NothingToSumUp extends IcecoreError {
  override readonly name = 'NothingToSumUp';

  constructor(run: string, stage: number, missing: string) {
    super('not-found', `stage ${stage} of run ${run} has no ${missing} yet: there is nothing to sum up`, {
      facts: { run, stage, missing },
      remedy: 'Go on with the run first: icecore run --resume.',
    });
  }
}

/** The version of what adds up. */
export const summaryVersion = '2';

/** Training rollouts tell of tasks, those of the shown part of the probe pool of the policy. */
const splits: Readonly<Record<Exclude<SummaryModule, 'training'>, ShownSplit>> = {
  stats: 'train',
  behaviour: 'probe',
  failures: 'probe',
};

export async function summarise(module: SummaryModule, of: Summarising): Promise<Summary> {
  const stage = stageOf(of.history, of.stage);
  if (stage === null) throw new NothingToSumUp(of.history.run, of.stage, 'beginning');
  switch (module) {
    case 'training':
      return trainingSummary(of, stage);
    case 'failures':
      return await failuresSummary(of, stage);
    default:
      return await factsSummary(module, of, stage);
  }
}

export function stageOf({ stages }: RunHistory, stage: number): StageHistory | null {
  return stages.find((one) => one.stage === stage) ?? null;
}

export function descriptorOf({ history, environment }: Pick<Summarising, 'history' | 'environment'>): Descriptor {
  return history.started?.data.descriptor ?? environment.descriptor;
}

async function factsSummary(module: 'stats' | 'behaviour', of: Summarising, stage: StageHistory): Promise<Summary> {
  const descriptor = descriptorOf(of);
  const summariser = module === 'stats' ? new Stats(descriptor) : new Behaviour(descriptor);
  const { judged, spoilt } = await addUp(summariser, splits[module], of, stage);
  const { facts } = summariser.sums();
  const alerts = module === 'stats' ? [] : forgettings(earlierBehaviour(of), facts);
  return recorded(descriptor, {
    module,
    splits: [splits[module]],
    ...(module === 'stats' ? { rollouts: judged + total(spoilt) } : { rollouts: judged, ...parameters({}, spoilt) }),
    facts: [...facts],
    exemplars: [],
    ...(alerts.length === 0 ? {} : { alerts }),
  });
}

async function failuresSummary(of: Summarising, stage: StageHistory): Promise<Summary> {
  const descriptor = descriptorOf(of);
  const { exemplars, environment, textOf, signal } = of;
  const failures = new Failures(descriptor, { exemplars });
  const { judged, spoilt } = await addUp(failures, splits.failures, of, stage);
  const sums = failures.sums();
  const drawn: Exemplar[] = [];
  for (const [i, seen] of failures.chosen().entries()) {
    signal?.throwIfAborted();
    const { says, ...exemplar } = sums.exemplars[i] as Exemplar;
    const drawing = await drawingOf(environment, seen, textOf);
    drawn.push({ ...exemplar, drawing, ...(says === undefined ? {} : { says: clippedSentence(says) }) });
  }
  return recorded(descriptor, {
    module: failures.module,
    ...parameters({ exemplars }, spoilt),
    splits: [splits.failures],
    rollouts: judged,
    facts: [...sums.facts],
    exemplars: drawn,
  });
}

function trainingSummary(of: Summarising, { stage, training }: StageHistory): Summary {
  if (training === null) throw new NothingToSumUp(of.history.run, stage, 'training');
  const before = stageOf(of.history, stage - 1)?.training?.data.signal ?? [];
  const alerts = collapses(before, training.data.signal ?? []);
  return recorded(descriptorOf(of), {
    module: 'training',
    facts: trainingFacts(stage, training.data),
    exemplars: [],
    ...(alerts.length === 0 ? {} : { alerts }),
  });
}

interface AddedUp {
  readonly judged: number;
  /** How many could not be judged, by what spoilt them. */
  readonly spoilt: Readonly<Record<string, number>>;
}

async function addUp(
  summariser: Summariser,
  split: ShownSplit,
  of: Summarising,
  { stage, sealed }: StageHistory,
): Promise<AddedUp> {
  if (sealed === null) throw new NothingToSumUp(of.history.run, stage, 'sealed evidence');
  const { ledger, signal } = of;
  let judged = 0;
  const spoilt = new Map<string, number>();
  for await (const seen of rolloutsIn({ ledger, sealed: sealed.data, descriptor: descriptorOf(of), split, signal })) {
    summariser.add(seen);
    const { error } = seen.data;
    if (error === undefined) judged += 1;
    else spoilt.set(error.kind, (spoilt.get(error.kind) ?? 0) + 1);
  }
  return { judged, spoilt: Object.fromEntries([...spoilt].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What could not be judged is no fact of the policy, and must be told all the same. */
function parameters(set: Readonly<Record<string, number>>, spoilt: AddedUp['spoilt']): Pick<Summary, 'parameters'> {
  const all = { ...set, ...(total(spoilt) === 0 ? {} : { spoilt }) };
  return Object.keys(all).length === 0 ? {} : { parameters: all };
}

/** The figures of earlier stages, oldest first. */
function earlierBehaviour({ history, stage }: Summarising): Summary['facts'][] {
  return history.stages
    .filter((one) => one.stage < stage)
    .flatMap(({ summaries }) => summaries.filter(({ data }) => data.module === 'behaviour'))
    .map(({ data }) => data.facts);
}

function recorded(descriptor: Descriptor, summary: Omit<Summary, 'text' | 'version'>): Summary {
  return { ...summary, version: summaryVersion, text: { text: sheetText(sheetOf(descriptor, summary)) } };
}
