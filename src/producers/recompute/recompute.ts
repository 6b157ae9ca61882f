// Recomputes everything in a run that follows from earlier events and compares it with the record. Hash chains and
// seals show whether the record is unchanged; this shows whether it is consistent. Events are processed one by one with
// the history before them; rollouts of a stage are never all in memory.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Descriptor } from '../../../schemas/environment.ts';
import { type RunSettings, runSettings } from '../../../schemas/run-file.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { AllowProgram } from '../../lab/programs/program.ts';
import type { Registry } from '../../lab/registry.ts';
import { placeOf } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { FindingsState } from '../../ledger/verify/findings.ts';
import { readSeals, type Seal } from '../../ledger/verify/seals.ts';
import { partNamed, trainingPart } from '../evidence/parts.ts';
import { ParentMissing, readHistory, withNext } from '../history/reading.ts';
import { emptyHistory, type RunHistory, stageAt, stageRun } from '../history/run-history.ts';
import { triedTasks } from '../run/pools.ts';
import { runActor } from '../run/steps/bounds.ts';
import { recomputeAblation } from './ablations.ts';
import { Account, type Part } from './account.ts';
import { recomputeAnswer } from './answers.ts';
import type { Conclude } from './arms.ts';
import {
  recomputeDecision,
  recomputeEvaluationSettings,
  recomputeProposal,
  recomputeStart,
  recomputeTrainingSettings,
} from './decisions.ts';
import { Environments } from './environments.ts';
import { recomputeEvaluation, type SealedPart } from './evaluations.ts';
import { type RejudgeOptions, rejudge, skipRollouts } from './rollouts.ts';
import { recomputeContext, recomputeSummary, type TextOf } from './summaries.ts';
import { type Audits, auditsOf, recomputeTraining } from './trainings.ts';

export interface RecomputeOptions {
  readonly ledger: Ledger;
  readonly textOf: TextOf;
  /** The identity of the run; null for all runs. */
  readonly run: string | null;
  /** Concludes an ablation; without it, conclusions are not recomputed. */
  readonly conclude?: Conclude;
  /** Null: no program may run. */
  readonly allow: AllowProgram | null;
  readonly registry: Registry;
  readonly signal: AbortSignal;
  /** Called for every event of evidence that is judged again, with the total. */
  readonly onProgress: (done: number, of: number) => Promise<void>;
}

export interface Recomputed {
  readonly runs: number;
  /** The numbers of recomputed items. */
  readonly counts: Readonly<Record<Part, number>>;
  /** The number of items that could not be recomputed. */
  readonly skipped: number;
  /** The number of figures whose rollouts are not recorded, not sealed, or not judged again. */
  readonly unsupported: number;
  readonly findings: FindingsState;
}

export async function recompute(of: RecomputeOptions): Promise<Recomputed> {
  const environments = new Environments(of);
  const { seals } = (await readSeals(of.ledger, of.run)).sealIndex;
  const again = new Again(of, { environments, seals, audits: await auditsOf(of.registry) });
  let runs = 0;
  try {
    for await (const run of runsIn(of)) {
      runs += 1;
      try {
        await again.run(run);
      } catch (fault) {
        if (!(fault instanceof ParentMissing)) throw fault;
        again.account.skipRun(run, fault.message);
      }
    }
    for await (const ablation of ablationsIn(of)) await again.ablation(ablation);
  } finally {
    await environments.close();
  }
  const findings = again.account.conclude();
  return {
    runs,
    counts: again.account.counts(),
    skipped: again.account.skipped,
    unsupported: again.account.unsupportedFigures,
    findings,
  };
}

async function* runsIn({ ledger, run }: RecomputeOptions): AsyncGenerator<string> {
  const streams = run === null ? {} : { streams: [streamOf.run(run)] };
  for await (const events of ledger.readAll({ types: ['RunStarted'], ...streams })) {
    for (const { envelope } of events) if (envelope.run !== null) yield envelope.run;
  }
}

/** None for a single run: ablations belong to several. */
async function* ablationsIn({ ledger, run }: RecomputeOptions): AsyncGenerator<string> {
  if (run !== null) return;
  for await (const events of ledger.readAll({ types: ['AblationStarted'] })) {
    for (const { stream } of events) {
      const name = parseStream(stream);
      if (name?.category === 'ablation') yield name.ablation;
    }
  }
}

/** The facts from a run's first event. */
interface RunStart {
  readonly settings: RunSettings;
  readonly descriptor: Descriptor;
}

/** A run whose events are being processed. */
interface RunInProgress {
  /** Before the event. */
  readonly history: RunHistory;
  readonly whole: RunHistory;
  readonly begun: RunStart;
}

type Sealed = EventData['EvidenceSealed'];

/** Shared by all runs. */
interface Shared {
  readonly environments: Environments;
  readonly seals: ReadonlyMap<string, Seal>;
  readonly audits: Audits;
}

class Again {
  readonly account = new Account();
  readonly #of: RecomputeOptions;
  readonly #environments: Environments;
  readonly #seals: ReadonlyMap<string, Seal>;
  readonly #audits: Audits;
  readonly #total: number;
  #done = 0;

  constructor(of: RecomputeOptions, { environments, seals, audits }: Shared) {
    this.#of = of;
    this.#environments = environments;
    this.#seals = seals;
    this.#audits = audits;
    this.#total = [...seals.values()].reduce((sum, { count }) => sum + count, 0);
  }

  async run(run: string): Promise<void> {
    const { ledger, signal } = this.#of;
    const whole = await readHistory(ledger, run);
    let history = emptyHistory(run);
    let begun: RunStart | null = null;
    for await (const events of ledger.read(streamOf.run(run))) {
      for (const event of events) {
        signal.throwIfAborted();
        if (begun !== null) await this.#event(event, { history, whole, begun });
        history = await withNext(ledger, history, event);
        if (begun === null) {
          begun = begunIn(history);
          if (begun === null) return this.#unreadable(run, event);
          await this.#start(event, begun);
        }
      }
    }
    this.account.settle();
  }

  async ablation(ablation: string): Promise<void> {
    const { ledger, registry, textOf, signal, onProgress, conclude = null } = this.#of;
    const onEvent = async (): Promise<void> => await onProgress(++this.#done, this.#total);
    const { account } = this;
    const shared = { environments: this.#environments, seals: this.#seals, audits: this.#audits, registry };
    const again = { ledger, ...shared, textOf, account, signal };
    await recomputeAblation({ ...again, onEvent, conclude }, ablation);
    this.account.settle();
  }

  /** Runs made by icecore have valid settings, otherwise they could not be resumed. */
  #unreadable(run: string, event: StoredEvent): void {
    const { reading, envelope } = event;
    const isOwn = envelope.actor === runActor && reading.known && reading.type === 'RunStarted';
    if (!isOwn || reading.data.options === undefined || reading.data.descriptor === undefined) {
      this.account.skipRun(run, 'it was not made by icecore run');
    } else this.account.fault(event, 'recomputed-decision', 'data.options: not valid settings of a run');
  }

  async #start(event: StoredEvent, { settings, descriptor }: RunStart): Promise<void> {
    const { reading } = event;
    if (!reading.known || reading.type !== 'RunStarted') return;
    const opened = await this.#environments.ofRun({ settings, descriptor });
    const today = 'why' in opened ? null : opened.environment.descriptor;
    recomputeStart({ event, settings, account: this.account }, reading.data, today);
  }

  async #event(event: StoredEvent, { history, whole, begun }: RunInProgress): Promise<void> {
    const { reading } = event;
    const stage = stageRun(event);
    if (!reading.known) return;
    const { account } = this;
    const { ledger, registry, textOf, signal } = this.#of;
    const at = { event, history, ledger, textOf, signal, account, stage, registry, audits: this.#audits };
    switch (reading.type) {
      case 'EvidenceSealed':
        return await this.#evidence(event, history, begun);
      case 'TrainingRecorded': {
        const configuration = stageAt(history, stage)?.started.data.configuration?.whole;
        const sealed = this.#sealedOf(whole, stage, trainingPart);
        const again = { ...at, configuration, sealed, data: reading.data };
        return await account.attempt(event, 'trainings', 'recomputed-training', async () => {
          recomputeTrainingSettings({ ...at, ...begun }, reading.data);
          await recomputeTraining(again);
        });
      }
      case 'EvaluationRecorded': {
        const sealed = this.#sealedOf(whole, stage, partNamed(reading.data.suite.name));
        const elsewhere = history.stages
          .filter((one) => one.stage < stage)
          .flatMap((one) => one.evaluations.map(({ data: { suite } }) => ({ stage: one.stage, suite })));
        const again = { ...at, ...begun, sealed, elsewhere, data: reading.data };
        return await account.attempt(event, 'evaluations', 'recomputed-evaluation', async () => {
          recomputeEvaluationSettings(again, reading.data);
          await recomputeEvaluation(again);
        });
      }
      case 'SummaryRecorded': {
        const environment = await this.#environments.ofRun(begun);
        const { exemplars } = begun.settings;
        const again = {
          ...at,
          exemplars,
          data: reading.data,
          environment: 'why' in environment ? null : environment.environment,
        };
        return await account.attempt(event, 'summaries', 'recomputed-summary', () => recomputeSummary(again));
      }
      case 'ContextRecorded': {
        const again = { ...at, data: reading.data };
        return await account.attempt(event, 'contexts', 'recomputed-context', () => recomputeContext(again));
      }
      case 'ProposalRecorded': {
        const again = { ...at, ...begun, data: reading.data };
        await account.attempt(event, 'proposals', 'recomputed-scores', () => recomputeProposal(again));
        const environments = this.#environments;
        return await account.attempt(event, 'answers', 'recomputed-decision', () =>
          recomputeAnswer({ ...again, environments }),
        );
      }
      default:
        return await account.attempt(event, 'decisions', 'recomputed-decision', () =>
          recomputeDecision({ ...at, ...begun }),
        );
    }
  }

  async #evidence(event: StoredEvent, history: RunHistory, begun: RunStart): Promise<void> {
    const { reading } = event;
    if (!reading.known || reading.type !== 'EvidenceSealed') return;
    const sealed = { ...reading.data, attempts: this.#countingIn(event, reading.data) };
    const { ledger, textOf, signal, onProgress } = this.#of;
    const { account } = this;
    const onEvent = async (): Promise<void> => await onProgress(++this.#done, this.#total);
    const { training } = stageAt(history, event.envelope.stage) ?? {};
    const trainerOf: RejudgeOptions['trainerOf'] = (stream) =>
      isOfTraining(stream) ? (training?.data.trainer ?? {}) : null;
    const again = { ledger, sealed, account, signal, onEvent };
    const opened = await this.#environments.ofRun(begun);
    if ('why' in opened) await skipRollouts(again, opened.why);
    else {
      const { environment } = opened;
      const tasks = this.#trainingTasks(environment, history, event.envelope.stage, begun);
      await rejudge({ ...again, audits: this.#audits, trainerOf, ...tasks, textOf, environment });
    }
  }

  #trainingTasks(
    environment: Environment,
    history: RunHistory,
    stage: number | null,
    { settings }: RunStart,
  ): Pick<RejudgeOptions, 'training'> {
    const configuration = stageAt(history, stage)?.started?.data.configuration?.whole;
    if (stage === null || configuration === undefined) return {};
    const count = async (): Promise<number> => {
      let tasks = 0;
      for await (const _ of triedTasks(environment, settings, { stage, configuration }, this.#of.signal)) tasks += 1;
      return tasks;
    };
    return { training: { requested: settings.trained, count } };
  }

  /** A second seal does not count. */
  #countingIn(event: StoredEvent, { attempts }: Sealed): Sealed['attempts'] {
    const by = placeOf(event);
    return attempts.filter(({ stream }) => this.#seals.get(stream)?.by === by);
  }

  /** The last stage may still be sealed when the run resumes. */
  #sealedOf(history: RunHistory, stage: number, named: string): SealedPart {
    const found = stageAt(history, stage);
    const isOpen = found?.sealed === null && found.summaries.length === 0 && found.completed === null;
    return { seals: this.#seals, run: history.run, stage, isPart: (part) => part === named, isOpen };
  }
}

function isOfTraining(stream: string): boolean {
  const name = parseStream(stream);
  return name?.category === 'evidence' && name.part === trainingPart;
}

/** Null if something else made the run: then nothing can be derived. */
function begunIn({ started }: RunHistory): RunStart | null {
  const settings = runSettings.safeParse(started?.data.options);
  const descriptor = started?.data.descriptor;
  return settings.success && descriptor !== undefined ? { settings: settings.data, descriptor } : null;
}
