// Takes every arm through what is asked of it: arms decide, several at a time, and are trained or go on as they were asked to.
// What is in the record is not done again. An error of one arm is recorded and does not stop the others; what stops all of them
// leaves the record to go on from. What is recorded is the same however many work at a time.
import { type ErrorKind, IcecoreError } from '../../../schemas/errors.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import { ModelFault } from '../../lab/models/faults.ts';
import { TrainingFault } from '../../lab/trainers/command/messages.ts';
import { chosenEngineer } from '../engineers/choice.ts';
import { EngineerErrored } from '../proposals/errored.ts';
import { replayedIn, type Task, tasksOf } from './design.ts';
import { type Doing, erroredEntry, openErrors } from './errored.ts';
import { goOn } from './go-on.ts';
import type { Entry } from './journal.ts';
import { propose } from './propose.ts';
import { keyOf } from './record.ts';
import { repeat, repeatedIn } from './repeat.ts';
import { configurationOf, decidedAt, evaluate, suitesOf, train, trainedAt } from './train.ts';
import type { Working } from './working.ts';

/** So many questions to models are under way at once; their own limits hold beside. */
const questionsAtOnce = 16;

export class Conductor {
  readonly #working: Working;
  readonly #jobs: number;
  readonly #tasks: readonly Task[];
  /** What arms are at. */
  readonly #doing = new Map<Task, Doing>();
  /** Errors that the same ablation, typed again, tries to get past. */
  #resumable = 0;
  #done = 0;

  constructor(working: Working, jobs: number) {
    this.#working = working;
    this.#jobs = jobs;
    this.#tasks = tasksOf(working.design);
  }

  /** Whether everything was done that can be; else an error kept arms from it that need not come again. */
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
    const isAsked = ({ arm: { engineer } }: Task): boolean =>
      engineer !== null && chosenEngineer(engineer, entries).kind === 'model';
    const decided = async (task: Task): Promise<void> => await this.#decided(task);
    const own = this.#tasks.filter((task) => !isAsked(task));
    const asked = this.#tasks.filter(isAsked);
    // Nothing is under way any more when it is over, also where one of them broke off.
    const over = await Promise.allSettled([
      mapConcurrently(asked, Math.max(this.#jobs, questionsAtOnce), decided),
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

  /** Arms that decided the same follow each other, so that the first of them trains for all. Of an errored one nothing counts. */
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
      if (isTold(this.#working, task)) return;
      await this.#begin(task, 'run');
      await this.#append(await goOn(this.#working, task));
    });
    await this.#count(task);
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    for (const one of entries) await this.#working.journal.append(one);
  }

  async #begin(task: Task, doing: Doing): Promise<void> {
    this.#doing.set(task, doing);
    await this.#working.tell({ kind: 'begun', task, doing });
  }

  /** An error of another task of the same arm is of no matter: else it would matter which of them came first. */
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

/** What came of an arm that went on is told at the end, the evaluations of its last stage last. */
function isTold({ design, journal }: Working, task: Task): boolean {
  const { settings } = replayedIn(design, task.unit);
  const last = journal.record.evaluations.get(trainedAt({ ...task, stage: settings.stages - 1 })) ?? [];
  return last.length === suitesOf(design, task).length;
}

/** A store or a server that is away, or somebody else who was first: not the fault of one arm. */
const passing: readonly ErrorKind[] = ['storage', 'unavailable', 'interrupted', 'conflict'];

/** Where money is spent or a key does not fit, every question would come to the same. */
function isOfOneArm(fault: unknown): fault is IcecoreError {
  // A trainer may die of what one arm decided.
  if (fault instanceof EngineerErrored || fault instanceof TrainingFault) return true;
  const isHopeless = fault instanceof ModelFault && fault.isHopeless;
  return fault instanceof IcecoreError && !isHopeless && !passing.includes(fault.kind);
}
