// Runs an ablation from its recorded state to its end: claims it, lets every arm decide and train, concludes, and
// releases it. An error of one arm is recorded and does not stop the others.

import type { EventData } from '../../../schemas/catalogue.ts';
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import type { OnError } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { Clock } from '../../lab/models/clock.ts';
import { ModelFault } from '../../lab/models/faults.ts';
import { TrainingFault } from '../../lab/trainers/command/messages.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { modelAsked } from '../engineers/engineers.ts';
import { EngineerErrored } from '../proposals/asking.ts';
import { Claim } from '../run/claim.ts';
import type { Surroundings } from '../run/opening.ts';
import { reportsOf } from '../run/orchestrate.ts';
import type { RunFacts } from '../run/steps/bounds.ts';
import { ContextBuilder } from './contexts.ts';
import {
  type Declared,
  type Design,
  replayedIn,
  replayedRevision,
  type Started,
  type Task,
  tasksOf,
} from './design.ts';
import { erroredEntry, erroredIn, openErrors, type TaskActivity, type Unfinished } from './errored.ts';
import { AblationJournal, type Entry } from './journal.ts';
import { propose } from './propose.ts';
import { AblationRecord, keyOf } from './record.ts';
import { repeat, repeatedIn } from './repeat.ts';
import { Snapshots, Station } from './stations.ts';
import { configurationOf, continueAsRun, decidedAt, evaluate, suitesOf, train, trainedAt } from './train.ts';
import { type AblationProgress, ablationActor, type Working } from './working.ts';

function startedOf(design: Design, { code, measured }: RunFacts): Entry {
  return {
    type: 'AblationStarted',
    run: null,
    stage: null,
    index: 0,
    actor: 'producer/ablation',
    data: {
      ...startedData(design),
      ...(code === undefined ? {} : { code }),
      ...(measured === undefined ? {} : { measured }),
    },
  };
}

function startedData(design: Design): Started {
  const { name, depth, histories, arms, units, declared, level, margin, preset, budget, options, tags, says } = design;
  const [first] = histories;
  const primary = declared.find(({ factor }) => factor === null) ?? null;
  const began = first?.history.started?.data;
  return {
    ...(name === null ? {} : { name }),
    histories: histories.map((one) => ({
      run: one.run,
      decisions: one.stages.map((stage) => stage + 1),
      ...replayedRevision(one, depth),
    })),
    depth,
    arms: arms.map(({ arm, identity, form, without, baseline, notApplicable }) => ({
      arm,
      engineer: identity,
      contextForm: form,
      ...(without.length === 0 ? {} : { without: [...without] }),
      baseline,
      ...(notApplicable.length === 0 ? {} : { notApplicable: [...notApplicable] }),
    })),
    seeds: [...new Set(units.map(({ seed }) => seed))],
    primary: primary === null ? null : withoutFactor(primary),
    ...(declared.every((one) => one === primary) ? {} : { contrasts: declared.map(withoutFactor) }),
    level,
    ...(margin === null ? {} : { margin }),
    ...(preset === null ? {} : { preset }),
    ...(began?.suites === undefined ? {} : { suites: [...began.suites] }),
    ...(began?.environment === undefined ? {} : { environment: began.environment }),
    ...(began?.policy === undefined ? {} : { policy: began.policy }),
    ...(depth === 'propose' || began?.trainer === undefined ? {} : { trainer: began.trainer }),
    ...(budget === null ? {} : { budget: { ...budget } }),
    options: { ...options },
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(says === null ? {} : { notes: says }),
  };
}

function withoutFactor({ factor, ...sides }: Declared): NonNullable<Started['contrasts']>[number] {
  return { ...sides, ...(factor === null ? {} : { factor }) };
}

/** The maximum number of concurrent questions to models, in addition to each model's own limit. */
const questionsAtOnce = 16;

class AblationRunner {
  readonly #working: Working;
  readonly #jobs: number;
  readonly #tasks: readonly Task[];
  /** The current activity of each task. */
  readonly #doing = new Map<Task, TaskActivity>();
  /** The number of errors that running the same command again would retry. */
  #resumable = 0;
  #done = 0;

  constructor(working: Working, jobs: number) {
    this.#working = working;
    this.#jobs = jobs;
    this.#tasks = tasksOf(working.design);
  }

  /** Returns whether everything possible is done; otherwise an error that may not recur stopped some arms. */
  async all(): Promise<boolean> {
    const { depth } = this.#working.design;
    if (depth !== 'propose') await this.#repeatAll();
    if (depth === 'run') await mapConcurrently(this.#tasks, this.#jobs, async (task) => await this.#wentOn(task));
    else await this.#proposeAll();
    if (depth === 'train') await this.#trainAll();
    return this.#resumable === 0;
  }

  async #repeatAll(): Promise<void> {
    const { journal, signal, check } = this.#working;
    const all = repeatedIn(this.#working);
    await mapConcurrently(all, this.#jobs, async (one) => {
      signal.throwIfAborted();
      await check();
      const repeated = await repeat(this.#working, one, all.length === 1);
      for (const entry of repeated) await journal.append(entry);
    });
  }

  async #proposeAll(): Promise<void> {
    const { entries } = this.#working.surroundings;
    const isAsked = ({ arm: { engineer } }: Task): boolean => modelAsked(engineer, entries) !== null;
    const decided = async (task: Task): Promise<void> => await this.#decided(task);
    const own = this.#tasks.filter((task) => !isAsked(task));
    const startedOf = this.#tasks.filter(isAsked);
    // Waits for all of them, even if one fails, so that nothing is left running.
    const over = await Promise.allSettled([
      mapConcurrently(startedOf, Math.max(this.#jobs, questionsAtOnce), decided),
      mapConcurrently(own, this.#jobs, decided),
    ]);
    for (const one of over) if (one.status === 'rejected') throw one.reason;
  }

  async #decided(task: Task): Promise<void> {
    const { record } = this.#working.journal;
    const key = decidedAt(task);
    await this.#attempt(task, async () => {
      const isLost = openErrors(record).some(({ place, data }) => keyOf(place) === key && !data.resumable);
      if (record.proposals.has(key) || record.rejections.has(key) || isLost) return;
      await this.#begin(task, 'propose');
      await this.#append([await propose(this.#working, task)]);
    });
    if (this.#working.design.depth === 'propose') await this.#count(task);
  }

  /**
   * Arms with the same decision are adjacent, so that the first one trains for all. Decisions of errored arms are
   * skipped.
   */
  async #trainAll(): Promise<void> {
    const open = openErrors(this.#working.journal.record).filter(({ data }) => data.during === 'propose');
    const errored = new Set(open.map(({ place }) => place.arm));
    const alike = Map.groupBy(
      this.#tasks.filter(({ arm }) => !errored.has(arm.arm)),
      (task) => JSON.stringify([task.unit.unit, task.stage, configurationOf(this.#working, task).digest]),
    );
    await mapConcurrently([...alike.values()], this.#jobs, async (group) => {
      for (const task of group) await this.#trained(task);
    });
  }

  async #trained(task: Task): Promise<void> {
    const { journal, design } = this.#working;
    await this.#attempt(task, async () => {
      if (!journal.record.trainings.has(trainedAt(task))) {
        await this.#begin(task, 'train');
        await this.#append(await train(this.#working, task));
      }
      const there = new Set(journal.record.evaluations.get(trainedAt(task))?.map(({ data }) => data.suite.name));
      const missing = suitesOf(design, task).filter((suite) => !there.has(suite));
      if (missing.length > 0) await this.#begin(task, 'evaluate');
      for (const suite of missing) await this.#append(await evaluate(this.#working, task, suite));
    });
    await this.#count(task);
  }

  async #wentOn(task: Task): Promise<void> {
    await this.#attempt(task, async () => {
      if (reportsWholeRun(this.#working, task)) return;
      await this.#begin(task, 'run');
      await this.#append(await continueAsRun(this.#working, task));
    });
    await this.#count(task);
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    for (const one of entries) await this.#working.journal.append(one);
  }

  async #begin(task: Task, doing: TaskActivity): Promise<void> {
    this.#doing.set(task, doing);
    await this.#working.tell({ kind: 'begun', task, doing });
  }

  /** Only an error of the same task counts: otherwise the result would depend on which task came first. */
  async #attempt(task: Task, work: () => Promise<void>): Promise<void> {
    const { signal, check, tell, onError } = this.#working;
    try {
      signal.throwIfAborted();
      await check();
      await work();
    } catch (fault) {
      if (signal.aborted || !isOfOneArm(fault)) throw fault;
      const entry = erroredEntry(this.#working, task, this.#doing.get(task) ?? 'propose', fault);
      if (entry.data.resumable) this.#resumable += 1;
      await this.#append([entry]);
      await tell({ kind: 'errored', task, why: fault.message });
      if (onError === 'stop') throw fault;
    }
  }

  async #count(task: Task): Promise<void> {
    this.#done += 1;
    await this.#working.tell({ kind: 'done', task, done: this.#done, of: this.#tasks.length });
  }
}

/** The results of an arm that trains on are reported at the end, the evaluations of its last stage last. */
function reportsWholeRun({ design, journal }: Working, task: Task): boolean {
  const { settings } = replayedIn(design, task.unit);
  const last = journal.record.evaluations.get(trainedAt({ ...task, stage: settings.stages - 1 })) ?? [];
  return last.length === suitesOf(design, task).length;
}

/** An unavailable store or server, or a conflict with another process, is not the fault of one arm. */
const passing: readonly ErrorKind[] = ['storage', 'unavailable', 'interrupted', 'conflict'];

/** If the account is empty or a key is wrong, every question fails. */
function isOfOneArm(fault: unknown): fault is IcecoreError {
  // A trainer may crash because of one arm's decision.
  if (fault instanceof EngineerErrored || fault instanceof TrainingFault) return true;
  const isHopeless = fault instanceof ModelFault && fault.isHopeless;
  return fault instanceof IcecoreError && !isHopeless && !passing.includes(fault.kind);
}

export interface AblateOptions {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly design: Design;
  readonly surroundings: Surroundings;
  readonly folder: string;
  readonly about: RunFacts;
  /** How many arms run concurrently. */
  readonly jobs: number;
  /**
   * What to do when an arm has an error: stop all arms, retry repeatedly, or finish without the arm. Null: the others
   * continue, and the ablation completes once the arm does.
   */
  readonly onError?: OnError | null;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
  readonly tell: (progress: AblationProgress) => Promise<void>;
  /** Computes the conclusion. */
  readonly conclude: (record: AblationRecord, unfinished: Unfinished) => EventData['AblationCompleted'];
  /** Called when another process's lease has to be waited for. */
  readonly onWait?: (holder: string, seconds: number) => void;
}

const usualLease = 60;

/**
 * The result is incomplete if arms errored: running it again retries only those. Throws RunHeld if another process
 * holds it, NotReproduced, the error that stopped it, or the signal's reason.
 */
export async function ablate(ablating: AblateOptions): Promise<AblationRecord> {
  const { ledger, blobs, design, signal, onWait } = ablating;
  const before = await AblationRecord.read(ledger, design.ablation);
  if (before.completed !== null) return before;
  const claim = await Claim.take({
    ...{ ledger, run: design.ablation, stream: streamOf.ablation(design.ablation), actor: ablationActor },
    ...{ leaseSeconds: usualLease, signal },
    ...(design.name === null ? {} : { name: design.name }),
    ...(onWait === undefined ? {} : { onWait }),
  });
  try {
    const journal = await AblationJournal.open(design.ablation, { ledger, blobs, check: () => claim.check() });
    if (journal.record.completed !== null) return journal.record;
    return await runClaimed(ablating, journal, claim);
  } finally {
    await claim.release();
  }
}

async function runClaimed(ablating: AblateOptions, journal: AblationJournal, claim: Claim): Promise<AblationRecord> {
  const { ledger, design, surroundings, conclude } = ablating;
  const snapshots = new Snapshots();
  const stations = new Map<number, Promise<Station>>();
  const stationOf: Working['stationOf'] = ({ unit }) =>
    getOrCreate(stations, unit.history, () => Station.open(replayedIn(design, unit), surroundings, snapshots));
  const contexts = new ContextBuilder({ ...ablating, journal, stationOf });
  const { onError = null } = ablating;
  const check = (): Promise<void> => claim.check();
  const reports = reportsOf(claim, ledger, design.ablation);
  const working = { ...ablating, onError, journal, check, reports, stationOf, contexts };
  try {
    // Opens everything before the first event is written, so that errors come early.
    for (const unit of design.units) await stationOf({ unit });
    if (journal.record.started === null) await journal.append(startedOf(design, ablating.about));
    const isDone = await new AblationRunner(working, ablating.jobs).all();
    if (!isDone && onError !== 'keep') return journal.record;
    const data = conclude(journal.record, erroredIn(journal.record));
    await journal.append({ type: 'AblationCompleted', run: null, stage: null, index: 0, actor: ablationActor, data });
    return journal.record;
  } finally {
    await snapshots.close();
    for (const station of await Promise.allSettled(stations.values())) {
      if (station.status === 'fulfilled') await station.value.close();
    }
  }
}
