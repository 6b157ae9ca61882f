// One run of a training program: its lines are parsed, written to the journal and passed on.

import type { Configuration, Seed } from '../../environments/environment.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import { Child, type End, LastWords, type Launch, Silence, whyNotStarted } from '../../programs/child.ts';
import { Inbox } from '../../programs/lines.ts';
import { type Exit, nameOf, ProgramNotStarted, type Witness } from '../../programs/program.ts';
import type { Hyperparameters } from '../knobs.ts';
import {
  type Budget,
  type Progress,
  type RolloutsInCommon,
  rolloutBatch,
  type Trained,
  type TrainingRollout,
} from '../trainer.ts';
import {
  type Done,
  InvalidMessage,
  InvalidTrainingMessage,
  type Journal,
  type Message,
  messageIn,
  type Saved,
  savedFrom,
  TrainingDied,
  TrainingNotDone,
  TrainingSilent,
} from './messages.ts';
import type { TrainingProgress } from './progress.ts';

export interface Limits {
  /** How long a program may train without reporting progress. */
  readonly progressMs: number;
  /** How long a program may take to exit when it is asked to, or after it is done. */
  readonly graceMs: number;
}

/** The number of log lines to keep. */
const logLines = 200;

/** Longer lines are truncated and treated as log text. */
export const lineBytes = 16 * 2 ** 20;

export class Running {
  readonly #name: string;
  readonly #limits: Limits;
  readonly #stage: Stage;
  readonly #progress: TrainingProgress;
  readonly #journal: Journal;
  readonly #child: Child;
  readonly #silence: Silence;
  readonly #log = new LastWords(logLines);
  /** The curve is kept in memory anyway, so the program need not wait for the reader. */
  readonly #inbox = new Inbox<Progress, Trained>({ pause: () => {}, resume: () => {} });
  readonly #reader = new Reader();
  readonly #over = Promise.withResolvers<void>();
  #work: Promise<void> = Promise.resolve();
  /** Messages received and not yet processed. */
  #heard = 0;
  readonly #common: RolloutsInCommon | null;
  #pending: TrainingRollout[] = [];
  /** Rollouts since the reader last caught up; updates between them do not wait for it. */
  #untaken = { rollouts: 0, bytes: 0 };
  /** It reported completion: later lines are not messages. */
  #saidDone = false;
  #done: Done | undefined;
  #stopped: Error | undefined;
  /** It sent an invalid message: later messages are ignored. */
  #isInvalid = false;
  #fault: ((partial: Trained) => unknown) | undefined;

  constructor(
    launch: Pick<Launch, 'program' | 'variables'>,
    limits: Limits,
    stage: Stage,
    progress: TrainingProgress,
    journal: Journal,
    common: RolloutsInCommon | null,
  ) {
    this.#name = nameOf(launch.program.command);
    this.#limits = limits;
    this.#stage = stage;
    this.#progress = progress;
    this.#journal = journal;
    this.#common = common;
    this.#silence = new Silence((limitMs) => this.#fallenSilent(limitMs));
    const whole = { ...launch, lineBytes, protocol: 'reports' } as const;
    try {
      this.#child = new Child(whole, {
        line: (text) => this.#hear(text),
        aside: (text) => this.#log.hear(text),
        end: (end) => {
          this.#work = this.#work.then(() => this.#ended(end));
        },
      });
    } catch (error) {
      const fault = error as NodeJS.ErrnoException;
      throw new ProgramNotStarted(this.#witness(), whyNotStarted(fault, launch.program), fault.code);
    }
    this.#silence.expect(limits.progressMs);
    this.#child.write(JSON.stringify(stage));
    this.#child.endInput();
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The next progress message, and finally the result. */
  async next(): Promise<IteratorResult<Progress, Trained>> {
    if (this.#stopped !== undefined) await this.stop(this.#stopped);
    this.#reader.asks();
    return this.#inbox.next();
  }

  /** Asks it to exit; the reader gets this reason as an error. Resolves when it has exited. */
  stop(reason: Error): Promise<void> {
    this.#stopped ??= reason;
    this.#reader.leave();
    this.#end();
    return this.#over.promise.then(() => this.#inbox.abort(this.#stopped));
  }

  #hear(text: string): void {
    const message = this.#saidDone ? null : read(text);
    if (message === null) {
      this.#log.add(text);
      return;
    }
    this.#saidDone = !(message instanceof InvalidMessage) && message.kind === 'done';
    this.#silence.stop();
    this.#heard += 1;
    // Reading pauses while a file is checked.
    this.#child.pause();
    this.#work = this.#work.then(() => this.#take(message, text));
  }

  async #take(message: Message | InvalidMessage, text: string): Promise<void> {
    try {
      if (!this.#isInvalid) await this.#taken(message);
      if (this.#done === undefined) this.#silence.expect(this.#limits.progressMs);
    } catch (error) {
      this.#isInvalid = true;
      this.#fault ??= (partial) =>
        error instanceof InvalidMessage ? new InvalidTrainingMessage(this.#witness(), error, text, partial) : error;
      this.#end();
    }
    this.#heard -= 1;
    if (this.#heard === 0) this.#child.resume();
  }

  async #taken(message: Message | InvalidMessage): Promise<void> {
    if (message instanceof InvalidMessage) throw message;
    if (message.kind !== 'rollout') this.#flush();
    switch (message.kind) {
      case 'rollout':
        await this.#rollout(message);
        break;
      case 'step':
        this.#progress.add(message.point);
        await this.#journal.add({ kind: 'point', point: message.point });
        this.#tell({ kind: 'point', point: message.point });
        break;
      case 'saved':
        await this.#recordSave(await savedFrom(message.snapshot, this.#stage.folder, this.#progress.step));
        break;
      case 'done':
        await this.#finish(message.done);
    }
  }

  async #rollout({ rollout, bytes }: Message & { readonly kind: 'rollout' }): Promise<void> {
    if (this.#common === null) return;
    this.#progress.tried(rollout);
    this.#pending.push({ ...this.#common, ...rollout });
    this.#untaken.rollouts += 1;
    this.#untaken.bytes += bytes;
    if (this.#untaken.rollouts < rolloutBatch.rollouts && this.#untaken.bytes < rolloutBatch.bytes) return;
    this.#flush();
    await this.#reader.hasAll();
    this.#untaken = { rollouts: 0, bytes: 0 };
  }

  #flush(): void {
    const rollouts = this.#pending;
    if (rollouts.length === 0) return;
    this.#pending = [];
    this.#tell({ kind: 'rollouts', from: this.#progress.rollouts, rollouts, isBeforeSave: true });
    this.#progress.rollouts += rollouts.length;
  }

  /** Training resumes from here, so the reader must first have recorded everything before it. */
  async #recordSave(saved: Saved): Promise<void> {
    if (this.#progress.rollouts > 0 && !(await this.#reader.hasAll())) return;
    this.#progress.saved = saved;
    const { rollouts } = this.#progress;
    await this.#journal.add({ kind: 'saved', ...saved, ...(rollouts === 0 ? {} : { rollouts }) });
    this.#tell({ kind: 'saved', checkpoint: saved.checkpoint });
  }

  async #finish(done: Done): Promise<void> {
    const { checkpoint, spent } = done;
    if (checkpoint !== undefined && checkpoint !== null)
      await this.#recordSave(await savedFrom(checkpoint, this.#stage.folder, this.#progress.step));
    if (spent !== undefined) this.#progress.spend(spent);
    this.#done = done;
    this.#silence.expect(this.#limits.graceMs);
  }

  #tell(progress: Progress): void {
    this.#reader.give();
    this.#inbox.put(progress, 0);
  }

  #fallenSilent(limitMs: number): void {
    if (this.#done === undefined) this.#fault ??= (partial) => new TrainingSilent(this.#witness(), limitMs, partial);
    this.#end();
  }

  #end(): void {
    this.#silence.stop();
    this.#child.terminate(this.#limits.graceMs);
  }

  async #ended(end: End): Promise<void> {
    this.#silence.stop();
    try {
      if (end.kind === 'not-started') this.#inbox.fail(new ProgramNotStarted(this.#witness(), end.reason, end.code));
      else
        await this.#settle(end.kind === 'exit' ? { code: end.code, signal: end.signal } : { code: null, signal: null });
    } catch (error) {
      this.#inbox.fail(error);
    }
    this.#over.resolve();
  }

  async #settle(exit: Exit): Promise<void> {
    const trained = this.#trained(exit);
    const isDone = this.#fault === undefined && this.#done !== undefined;
    // A reader that left has not recorded everything: then training repeats from the last save.
    const isWhole = isDone && (this.#progress.rollouts === 0 || (await this.#reader.hasAll()));
    if (isWhole) await this.#journal.add({ kind: 'trained', trained });
    // A stopped program fails with the reason it was stopped for.
    if (this.#stopped !== undefined) return;
    if (isWhole) this.#inbox.finish(trained);
    else this.#inbox.fail(this.#fault === undefined ? this.#unfinished(exit, trained) : this.#fault(trained));
  }

  #unfinished(exit: Exit, partial: Trained): Error {
    return exit.code === 0
      ? new TrainingNotDone(this.#witness(), partial)
      : new TrainingDied(this.#witness(), exit, partial, this.#stage.budget);
  }

  /** The training so far, or the whole if it is done. */
  #trained(exit: Exit): Trained {
    const { curve, spent, saved, rollouts } = this.#progress;
    const { checkpoint, learningSignal: signal = [], sampled = [], results } = this.#done ?? {};
    const log = this.#log.lines().join('\n');
    return {
      checkpoint: checkpoint === null ? null : (saved?.checkpoint ?? null),
      spent,
      curve: [...curve],
      signal,
      sampled,
      ...(rollouts === 0 ? {} : { rollouts }),
      ...(results === undefined ? {} : { results }),
      exit,
      ...(log === '' ? {} : { log }),
    };
  }

  #witness(): Witness {
    return { role: 'training', program: this.#name, during: ['train'], lastWords: this.#child?.lastWords ?? [] };
  }
}

/** Tracks the reader: it has processed its items once it asks for more. */
class Reader {
  #given = 0;
  #asked = 0;
  #hasLeft = false;
  #wake: () => void = () => {};

  give(): void {
    this.#given += 1;
  }

  asks(): void {
    this.#asked += 1;
    this.#wake();
  }

  leave(): void {
    this.#hasLeft = true;
    this.#wake();
  }

  /** Resolves once it has processed everything; false if it left before. */
  async hasAll(): Promise<boolean> {
    while (this.#asked <= this.#given && !this.#hasLeft) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#asked > this.#given;
  }
}

/** Null for log text. */
function read(text: string): Message | InvalidMessage | null {
  try {
    return messageIn(text);
  } catch (error) {
    if (error instanceof InvalidMessage) return error;
    throw error;
  }
}

// The input of a training program: everything about one stage, as JSON. docs/trainers.md describes it.

/** Where training was interrupted: the last checkpoint and the spending until then. */
export interface Resume {
  readonly checkpoint: Checkpoint;
  readonly step: number;
  readonly spent: Budget;
}

export interface Stage {
  readonly protocol: 1;
  /** The environment's name from its descriptor. */
  readonly environment: string;
  readonly configuration: Configuration;
  /** The hyper-parameters that are knobs of the run, as set for this stage; absent if there are none. */
  readonly hyperparameters?: Hyperparameters;
  readonly budget: Budget;
  readonly seed: Seed;
  readonly from: Checkpoint | null;
  readonly folder: string;
  readonly resume: Resume | null;
}
