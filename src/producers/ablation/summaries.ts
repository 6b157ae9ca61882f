// The summaries that contexts need: recorded ones, or otherwise computed once per stage from the sealed evidence, on
// several threads if there is much of it. The result does not depend on the number of threads.
import { availableParallelism } from 'node:os';
import { IcecoreError } from '../../../schemas/errors.ts';
import { moduleBeside, Threads } from '../../base/threads.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { inStage, type Recorded, type RunHistory, type StageHistory, stageAt } from '../history/run-history.ts';
import { Texts } from '../recompute/summaries.ts';
import { type EvidenceSums, type SummingOptions, sumEvidence } from '../summaries/evidence-sums.ts';
import { type EvidenceModuleName, isEvidenceModule, summaryModules } from '../summaries/modules.ts';
import { type Summarising, summarise, summaryOf } from '../summaries/summarise.ts';
import type { Summary } from '../summaries/summary.ts';

/** The work for one stage. */
export interface StageSums extends Pick<SummingOptions, 'sealed' | 'descriptor' | 'exemplars'> {
  readonly modules: readonly EvidenceModuleName[];
}

export type SumsOutcome =
  | { readonly added: readonly EvidenceSums[] }
  | { readonly fault: Pick<IcecoreError, 'name' | 'kind' | 'message' | 'facts' | 'remedy'> };

interface Pooling {
  readonly ledger: Ledger;
  /** The maximum number of threads; the default is the number of processors, or fewer for little work. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Starting a thread takes as long as summarising this number of events. */
const eventsWorthAThread = 20_000;
/** Data lives for one page of events only; without limits, garbage would grow to the size of the machine's memory. */
const room = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

/** In the order of the stages. */
async function sumsOf(stages: readonly StageSums[], of: Pooling): Promise<(readonly EvidenceSums[])[]> {
  const { ledger, threads = threadsFor(stages), signal } = of;
  const count = Math.min(threads, stages.length);
  if (count > 1) return await byThreads(stages, count, of);
  const sums: EvidenceSums[][] = [];
  for (const { modules, ...evidence } of stages) sums.push(await sumEvidence(modules, { ledger, ...evidence, signal }));
  return sums;
}

function threadsFor(stages: readonly StageSums[]): number {
  const events = stages.flatMap(({ sealed }) => sealed.attempts).reduce((sum, { count }) => sum + count, 0);
  return Math.min(availableParallelism(), Math.floor(events / eventsWorthAThread));
}

async function byThreads(
  stages: readonly StageSums[],
  count: number,
  { ledger, signal }: Pooling,
): Promise<(readonly EvidenceSums[])[]> {
  signal?.throwIfAborted();
  const threads = new Threads<StageSums, SumsOutcome>(
    moduleBeside('summaries-thread', import.meta.url),
    ledger.url,
    count,
    room,
  );
  const stop = (): void => void threads.close(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.all(stages.map(async (stage) => addedIn(await threads.do(stage))));
  } finally {
    signal?.removeEventListener('abort', stop);
    await threads.close(new Error('all stages are summarised'));
  }
}

function addedIn(outcome: SumsOutcome): readonly EvidenceSums[] {
  if ('added' in outcome) return outcome.added;
  const { name, kind, message, facts, remedy } = outcome.fault;
  if (name === 'EvidenceMissing') throw new EvidenceMissing(message, facts);
  throw new IcecoreError(kind, message, { facts, remedy });
}

/** The summaries needed of a stage. */
export interface Needed {
  readonly stage: number;
  readonly modules: readonly string[];
}

export interface SummaryOptions extends Pooling {
  readonly textOf: Summarising['textOf'];
  /** Draws exemplars. */
  readonly environment: Pick<Environment, 'descriptor' | 'draw'>;
  /** The policy's self-summary after a stage; all other summaries are in the history. */
  readonly said?: (history: RunHistory, stage: number) => Promise<Summary>;
  /** The event id that a summary will be recorded with. */
  readonly idOf: (stage: number, module: string) => string;
}

interface SummedUp {
  readonly history: RunHistory;
  /** The summaries that were not recorded, in the order in which they were computed. */
  readonly added: readonly { readonly stage: number; readonly event: Recorded<'SummaryRecorded'> }[];
}

/** The history with all needed summaries. Throws SummaryMissing and EvidenceMissing. */
export async function withSummaries(
  history: RunHistory,
  needed: readonly Needed[],
  of: SummaryOptions,
): Promise<SummedUp> {
  const missing = missingIn(history, needed);
  const all: readonly Needed[] = [...missing].map(([stage, modules]) => ({ stage, modules: [...modules] }));
  if (all.length === 0) return { history, added: [] };
  const sums = await evidenceSums(history, all, of);
  let now = history;
  const added: { stage: number; event: Recorded<'SummaryRecorded'> }[] = [];
  // Earlier stages first, because forgetting shows only in comparison with them.
  for (const { stage, modules } of all) {
    for (const module of modules) {
      const data = await summaryFor(now, stage, module, sums, of);
      const event = asEvent(now, stage, data, of);
      now = withSummary(now, stage, event);
      added.push({ stage, event });
    }
  }
  return { history: now, added };
}

/** All summary modules, in the order in which a run computes them. */
export const summedModules: readonly string[] = [...summaryModules, 'self-summary'];

/** What a self-summary describes. */
const narrated = ['failures'];

/** The missing modules by stage, in order. */
function missingIn(history: RunHistory, needed: readonly Needed[]): Map<number, Set<string>> {
  const wanted = (stage: number): readonly string[] =>
    needed.flatMap((one) => (one.stage === stage ? one.modules : []));
  const lacks = ({ summaries }: StageHistory, module: string): boolean =>
    !summaries.some(({ data }) => data.module === module);
  const missing = new Map<number, Set<string>>();
  let laterBehaviour = false;
  for (const over of history.stages.toReversed()) {
    const asked = new Set(wanted(over.stage));
    if (asked.has('self-summary') && lacks(over, 'self-summary')) for (const module of narrated) asked.add(module);
    if (laterBehaviour && over.sealed !== null) asked.add('behaviour');
    const own = summedModules.filter((module) => asked.has(module) && lacks(over, module));
    laterBehaviour ||= own.includes('behaviour');
    if (own.length > 0) missing.set(over.stage, new Set(own));
  }
  return new Map([...missing].toReversed());
}

type Sums = ReadonlyMap<number, readonly EvidenceSums[]>;

async function evidenceSums(history: RunHistory, needed: readonly Needed[], of: SummaryOptions): Promise<Sums> {
  const descriptor = history.started?.data.descriptor ?? of.environment.descriptor;
  const exemplars = exemplarsOf(history);
  const asked = needed
    .map(({ stage, modules }) => ({ stage, modules: modules.filter(isEvidenceModule) }))
    .filter(({ modules }) => modules.length > 0);
  const jobs = asked.map(({ stage, modules }): StageSums => {
    const sealed = stageAt(history, stage)?.sealed ?? null;
    const [first = ''] = modules;
    if (sealed === null) throw new SummaryMissing(history.run, stage, first, 'the stage has no sealed evidence');
    return { modules, sealed: sealed.data, descriptor, exemplars };
  });
  const sums = await sumsOf(jobs, of);
  return new Map(asked.map(({ stage }, i) => [stage, sums[i] ?? []]));
}

async function summaryFor(
  history: RunHistory,
  stage: number,
  module: string,
  sums: Sums,
  of: SummaryOptions,
): Promise<Summary> {
  const { run } = history;
  if (module === 'self-summary') {
    if (of.said === undefined) throw new SummaryMissing(run, stage, module, 'it requires a model call');
    return await of.said(history, stage);
  }
  const texts = new Texts(of.textOf);
  const { ledger, signal, environment } = of;
  const common = { ledger, textOf: texts.of, environment, history, stage, exemplars: exemplarsOf(history) };
  const summing: Summarising = { ...common, ...(signal === undefined ? {} : { signal }) };
  if (module === 'training') {
    if (stageAt(history, stage)?.training === null) {
      throw new SummaryMissing(run, stage, module, 'the stage has no recorded training');
    }
    return await summarise('training', summing);
  }
  const added = sums.get(stage)?.find((one) => one.module === module);
  if (added === undefined) throw new Error(`${module} of stage ${stage} was not computed`);
  const summary = await summaryOf(added, summing);
  if (texts.isLost) throw new SummaryMissing(run, stage, module, 'a text of its rollouts was erased');
  return summary;
}

const defaultExemplars = 8;

/** The run's setting, or the number that another stage shows. */
function exemplarsOf({ started, stages }: RunHistory): number {
  const shown = stages.flatMap(({ summaries }) => summaries.map(({ data }) => data.parameters?.['exemplars']));
  const known = [started?.data.options?.['exemplars'], ...shown].find((one) => typeof one === 'number');
  return known ?? defaultExemplars;
}

function asEvent(
  history: RunHistory,
  stage: number,
  data: Summary,
  { idOf }: SummaryOptions,
): Recorded<'SummaryRecorded'> {
  const over = stageAt(history, stage);
  const basis = (data.module === 'training' ? over?.training : over?.sealed) ?? over?.started;
  if (basis === undefined) throw new Error(`stage ${stage} has not started`);
  const { revision, digest, envelope } = basis;
  return { id: idOf(stage, data.module), revision, digest, envelope, data };
}

export function withSummary(history: RunHistory, stage: number, event: Recorded<'SummaryRecorded'>): RunHistory {
  return inStage(history, stage, ({ summaries }) => ({ summaries: [...summaries, event] }));
}

/** The summary is not recorded and cannot be computed. */
export class SummaryMissing extends IcecoreError {
  override readonly name = 'SummaryMissing';

  constructor(run: string, stage: number, module: string, why: string) {
    super('not-found', `stage ${stage} of ${run} has no summary for ${module}, and it cannot be computed: ${why}`, {
      facts: { run, stage, module, why },
      remedy: `Use forms without ${module}, or stages that have it.`,
    });
  }
}

/** A context needs a text that no longer exists. */
export class ErasedText extends IcecoreError {
  override readonly name = 'ErasedText';

  constructor(run: string, stage: number, form: string) {
    super('not-found', `a text of the context ${form} of stage ${stage} of ${run} was erased, or its blob is missing`, {
      facts: { run, stage, form },
      remedy: 'Use a form without self-summary, or restore the blob with the text.',
    });
  }
}

/** Without a descriptor nothing can interpret the rollouts of a run. */
export class NoDescriptor extends IcecoreError {
  override readonly name = 'NoDescriptor';

  constructor(run: string) {
    super('not-found', `run ${run} did not record the descriptor of its environment, which every context starts with`, {
      facts: { run },
      remedy: 'Name its environment, so that it can provide its descriptor.',
    });
  }
}
