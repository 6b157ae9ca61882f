// Conducts an ablation from where it is to its end: arms decide, several at a time, and are trained or go on as they were
// asked to. What is in the record is not done again. One arm that comes to grief does not stop the others; what stops all of
// them leaves the record to go on from.
import type { EventData } from '../../../schemas/catalogue.ts';
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import { entry } from '../../base/entry.ts';
import { ModelFault } from '../../lab/models/faults/fault.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { together } from '../../ledger/blobs/together.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { chosenEngineer } from '../engineers/choice.ts';
import { Claim } from '../run/claim.ts';
import type { Surroundings } from '../run/opening.ts';
import type { About } from '../run/steps/start.ts';
import { Shown } from './contexts.ts';
import { type Design, replayedIn, type Task, tasksOf } from './design.ts';
import { goOn } from './go-on.ts';
import { AblationJournal, type Entry } from './journal.ts';
import { propose } from './propose.ts';
import { AblationRecord } from './record.ts';
import { repeat, repeatedIn } from './repeat.ts';
import { Snapshots } from './snapshots.ts';
import { startedOf } from './start.ts';
import { Station } from './stations.ts';
import { configurationOf, decidedAt, evaluate, suitesOf, train, trainedAt } from './train.ts';
import type { AblationProgress, Working } from './working.ts';

/** Arms that came to no end, and why. */
export type Unfinished = EventData['AblationCompleted']['unfinished'];

export interface Ablating {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly design: Design;
  readonly surroundings: Surroundings;
  readonly folder: string;
  readonly about: About;
  /** How many arms work at a time. */
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly tell: (progress: AblationProgress) => Promise<void>;
  /** What all of it comes to. */
  readonly conclude: (record: AblationRecord, unfinished: Unfinished) => EventData['AblationCompleted'];
  /** Told when somebody else's lease has to be waited for. */
  readonly onWait?: (holder: string, seconds: number) => void;
}

const actor = 'producer/ablation';
const usualLease = 60;

/** Throws RunHeld where somebody else has it in hand, NotReproduced, what broke it off, or the signal's reason. */
export async function ablate(ablating: Ablating): Promise<AblationRecord> {
  const { ledger, blobs, design, signal, onWait } = ablating;
  const before = await AblationRecord.read(ledger, design.ablation);
  if (before.completed !== null) return before;
  const claim = await Claim.take({
    ...{ ledger, run: design.ablation, actor, leaseSeconds: usualLease, signal },
    ...(design.name === null ? {} : { name: design.name }),
    ...(onWait === undefined ? {} : { onWait }),
  });
  try {
    const journal = await AblationJournal.open(design.ablation, { ledger, blobs, check: () => claim.check() });
    if (journal.record.completed !== null) return journal.record;
    return await conducted(ablating, journal, () => claim.check());
  } finally {
    await claim.release();
  }
}

async function conducted(
  ablating: Ablating,
  journal: AblationJournal,
  check: () => Promise<void>,
): Promise<AblationRecord> {
  const { design, surroundings, conclude } = ablating;
  const snapshots = new Snapshots();
  const stations = new Map<number, Promise<Station>>();
  const stationOf: Working['stationOf'] = ({ unit }) =>
    entry(stations, unit.history, () => Station.open(replayedIn(design, unit), surroundings, snapshots));
  const contexts = new Shown({ ...ablating, journal, stationOf });
  const working = { ...ablating, journal, check, stationOf, contexts };
  try {
    // What cannot be opened is known before anything is written.
    for (const unit of design.units) await stationOf({ unit });
    if (journal.record.started === null) await journal.append(startedOf(design, ablating.about));
    const unfinished = await new Conductor(working, ablating.jobs).all();
    const data = conclude(journal.record, unfinished);
    await journal.append({ type: 'AblationCompleted', run: null, stage: null, index: 0, actor, data });
    return journal.record;
  } finally {
    await snapshots.close();
    for (const station of await Promise.allSettled(stations.values())) {
      if (station.status === 'fulfilled') await station.value.close();
    }
  }
}

/** So many questions to models are under way at once; their own limits hold beside. */
const questionsAtOnce = 16;

/** A store or a server that is away, or somebody else who was first: not the fault of one arm. */
const passing: readonly ErrorKind[] = ['storage', 'unavailable', 'interrupted', 'conflict'];

class Conductor {
  readonly #working: Working;
  readonly #jobs: number;
  readonly #unfinished = new Map<string, string>();
  readonly #of: number;
  #done = 0;

  constructor(working: Working, jobs: number) {
    this.#working = working;
    this.#jobs = jobs;
    this.#of = tasksOf(working.design).length;
  }

  async all(): Promise<Unfinished> {
    const { design } = this.#working;
    const tasks = tasksOf(design);
    if (design.depth !== 'propose') await this.#repeatAll();
    if (design.depth === 'run') await together(tasks, this.#jobs, async (task) => await this.#wentOn(task));
    else await this.#proposeAll(tasks);
    if (design.depth === 'train') await this.#trainAll(tasks);
    return Array.from(this.#unfinished, ([arm, why]) => ({ arm, why }));
  }

  async #repeatAll(): Promise<void> {
    const { journal, signal } = this.#working;
    await together(repeatedIn(this.#working), this.#jobs, async (one) => {
      signal.throwIfAborted();
      const repeated = await repeat(this.#working, one);
      if (repeated !== null) await journal.append(repeated);
    });
  }

  async #proposeAll(tasks: readonly Task[]): Promise<void> {
    const { entries } = this.#working.surroundings;
    const isAsked = ({ arm: { engineer } }: Task): boolean =>
      engineer !== null && chosenEngineer(engineer, entries).kind === 'model';
    const decided = async (task: Task): Promise<void> => await this.#decided(task);
    const own = tasks.filter((task) => !isAsked(task));
    const asked = tasks.filter(isAsked);
    // Nothing is under way any more when it is over, also where one of them broke off.
    const over = await Promise.allSettled([
      together(asked, Math.max(this.#jobs, questionsAtOnce), decided),
      together(own, this.#jobs, decided),
    ]);
    for (const one of over) if (one.status === 'rejected') throw one.reason;
  }

  async #decided(task: Task): Promise<void> {
    const { record } = this.#working.journal;
    const key = decidedAt(task);
    await this.#attempt(task, async () => {
      if (record.proposals.has(key) || record.rejections.has(key)) return;
      await this.#working.tell({ kind: 'begun', task, doing: 'propose' });
      await this.#append([await propose(this.#working, task)]);
    });
    if (this.#working.design.depth === 'propose') await this.#count(task);
  }

  /** Arms that decided the same follow each other, so that the first of them trains for all. */
  async #trainAll(tasks: readonly Task[]): Promise<void> {
    const alike = Map.groupBy(
      tasks.filter(({ arm }) => !this.#unfinished.has(arm.arm)),
      (task) => JSON.stringify([task.unit.unit, task.stage, configurationOf(this.#working, task).digest]),
    );
    await together([...alike.values()], this.#jobs, async (group) => {
      for (const task of group) await this.#trained(task);
    });
  }

  async #trained(task: Task): Promise<void> {
    const { journal, design } = this.#working;
    await this.#attempt(task, async () => {
      if (!journal.record.trainings.has(trainedAt(task))) {
        await this.#working.tell({ kind: 'begun', task, doing: 'train' });
        await this.#append([await train(this.#working, task)]);
      }
      const there = new Set(journal.record.evaluations.get(trainedAt(task))?.map(({ data }) => data.suite.name));
      const missing = suitesOf(design, task).filter((suite) => !there.has(suite));
      if (missing.length > 0) await this.#working.tell({ kind: 'begun', task, doing: 'evaluate' });
      for (const suite of missing) await this.#append([await evaluate(this.#working, task, suite)]);
    });
    await this.#count(task);
  }

  async #wentOn(task: Task): Promise<void> {
    await this.#attempt(task, async () => {
      if (isTold(this.#working, task)) return;
      await this.#working.tell({ kind: 'begun', task, doing: 'run' });
      await this.#append(await goOn(this.#working, task));
    });
    await this.#count(task);
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    for (const one of entries) await this.#working.journal.append(one);
  }

  async #attempt(task: Task, work: () => Promise<void>): Promise<void> {
    const { signal, tell } = this.#working;
    const { arm } = task.arm;
    if (this.#unfinished.has(arm)) return;
    try {
      signal.throwIfAborted();
      await work();
    } catch (fault) {
      if (signal.aborted || !isOfOneArm(fault)) throw fault;
      const why = (fault as Error).message;
      this.#unfinished.set(arm, why);
      await tell({ kind: 'failed', task, why });
    }
  }

  async #count(task: Task): Promise<void> {
    this.#done += 1;
    await this.#working.tell({ kind: 'done', task, done: this.#done, of: this.#of });
  }
}

/** What came of an arm that went on is told at the end, the evaluations of its last stage last. */
function isTold({ design, journal }: Working, task: Task): boolean {
  const { settings } = replayedIn(design, task.unit);
  const last = journal.record.evaluations.get(trainedAt({ ...task, stage: settings.stages - 1 })) ?? [];
  return last.length === suitesOf(design, task).length;
}

/** Where money is spent or a key does not fit, every question would come to the same. */
function isOfOneArm(fault: unknown): boolean {
  const isHopeless = fault instanceof ModelFault && fault.isHopeless;
  return fault instanceof IcecoreError && !isHopeless && !passing.includes(fault.kind);
}
