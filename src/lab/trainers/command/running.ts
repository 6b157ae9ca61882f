// One program that trains, from its start to its end: what it says is taken line by line, kept in the journal, and handed on.

import type { Configuration, Seed } from '../../environments/environment.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import { Child, type End, LastWords, type Launch, Silence, whyNotStarted } from '../../programs/child.ts';
import { Inbox } from '../../programs/lines.ts';
import { type Exit, nameOf, ProgramNotStarted, type Witness } from '../../programs/program.ts';
import type { Hyperparameters } from '../knobs.ts';
import type { Budget, Point, Progress, RolloutsInCommon, Trained, TrainingRollout } from '../trainer.ts';
import {
  type Done,
  type Journal,
  type Message,
  Misspoken,
  messageIn,
  type Saved,
  savedFrom,
  TrainingDied,
  TrainingNotDone,
  TrainingSilent,
  TrainingTalksNonsense,
} from './messages.ts';

export interface Limits {
  /** How long a program may train without telling of it. */
  readonly progressMs: number;
  /** How long a program may take to end when it is asked to, or is done. */
  readonly graceMs: number;
}

/** So many lines of the log are kept. */
const logLines = 200;

/** The program waits for the reader after this many rollouts, or after this many bytes of lines that say them. */
const batch = { rollouts: 256, bytes: 8 * 2 ** 20 } as const;

/** Longer lines are cut, and then are no message. */
const lineBytes = 16 * 2 ** 20;

export class Running {
  readonly #name: string;
  readonly #limits: Limits;
  readonly #stage: Stage;
  readonly #progress: TrainingProgress;
  readonly #journal: Journal;
  readonly #child: Child;
  readonly #silence: Silence;
  readonly #log = new LastWords(logLines);
  /** The curve is held anyway: the program need not wait for who reads. */
  readonly #inbox = new Inbox<Progress, Trained>({ pause: () => {}, resume: () => {} });
  readonly #reader = new Reader();
  readonly #over = Promise.withResolvers<void>();
  #work: Promise<void> = Promise.resolve();
  /** Messages that were heard and not yet taken. */
  #heard = 0;
  readonly #common: RolloutsInCommon | null;
  #pending: TrainingRollout[] = [];
  /** Of rollouts, since the reader last had all: updates that come between them do not wait for it. */
  #untaken = { rollouts: 0, bytes: 0 };
  /** It said that it is done: what it says afterwards is no message. */
  #saidDone = false;
  #done: Done | undefined;
  #stopped: Error | undefined;
  /** It said what cannot be meant: nothing it says afterwards is believed. */
  #misspoke = false;
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
    const whole = { ...launch, lineBytes, manner: 'reports' } as const;
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

  /** The next it tells, and at last what came of it. */
  async next(): Promise<IteratorResult<Progress, Trained>> {
    if (this.#stopped !== undefined) await this.stop(this.#stopped);
    this.#reader.asks();
    return this.#inbox.next();
  }

  /** Asks it to end for a reason, which is what whoever reads gets. Resolves when it has. */
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
    this.#saidDone = !(message instanceof Misspoken) && message.kind === 'done';
    this.#silence.stop();
    this.#heard += 1;
    // No more is read while a file is looked at.
    this.#child.pause();
    this.#work = this.#work.then(() => this.#take(message, text));
  }

  async #take(message: Message | Misspoken, text: string): Promise<void> {
    try {
      if (!this.#misspoke) await this.#taken(message);
      if (this.#done === undefined) this.#silence.expect(this.#limits.progressMs);
    } catch (error) {
      this.#misspoke = true;
      this.#fault ??= (partial) =>
        error instanceof Misspoken ? new TrainingTalksNonsense(this.#witness(), error, text, partial) : error;
      this.#end();
    }
    this.#heard -= 1;
    if (this.#heard === 0) this.#child.resume();
  }

  async #taken(message: Message | Misspoken): Promise<void> {
    if (message instanceof Misspoken) throw message;
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
        await this.#keep(await savedFrom(message.snapshot, this.#stage.folder, this.#progress.step));
        break;
      case 'done':
        await this.#finish(message.done);
    }
  }

  async #rollout({ rollout, bytes }: Message & { readonly kind: 'rollout' }): Promise<void> {
    if (this.#common === null) return;
    this.#pending.push({ ...this.#common, ...rollout });
    this.#untaken.rollouts += 1;
    this.#untaken.bytes += bytes;
    if (this.#untaken.rollouts < batch.rollouts && this.#untaken.bytes < batch.bytes) return;
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

  /** The reader has recorded what led to it before it counts as saved, because training resumes from here. */
  async #keep(saved: Saved): Promise<void> {
    if (this.#progress.rollouts > 0 && !(await this.#reader.hasAll())) return;
    this.#progress.saved = saved;
    const { rollouts } = this.#progress;
    await this.#journal.add({ kind: 'saved', ...saved, ...(rollouts === 0 ? {} : { rollouts }) });
    this.#tell({ kind: 'saved', checkpoint: saved.checkpoint });
  }

  async #finish(done: Done): Promise<void> {
    const { checkpoint, spent } = done;
    if (checkpoint !== undefined && checkpoint !== null)
      await this.#keep(await savedFrom(checkpoint, this.#stage.folder, this.#progress.step));
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
    // A reader that left has not recorded all: then it is trained again from what was saved.
    const isWhole = isDone && (this.#progress.rollouts === 0 || (await this.#reader.hasAll()));
    if (isWhole) await this.#journal.add({ kind: 'trained', trained });
    // Whoever had it stopped gets the reason for that.
    if (this.#stopped !== undefined) return;
    if (isWhole) this.#inbox.finish(trained);
    else this.#inbox.fail(this.#fault === undefined ? this.#unfinished(exit, trained) : this.#fault(trained));
  }

  #unfinished(exit: Exit, partial: Trained): Error {
    return exit.code === 0
      ? new TrainingNotDone(this.#witness(), partial)
      : new TrainingDied(this.#witness(), exit, partial);
  }

  /** What there is of the training: the whole where it is done. */
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

/** How far the reader is: it is done with what it has once it asks for more. */
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

  /** Resolves once it is done with everything; false where it left before. */
  async hasAll(): Promise<boolean> {
    while (this.#asked <= this.#given && !this.#hasLeft) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#asked > this.#given;
  }
}

/** Null for what belongs into the log. */
function read(text: string): Message | Misspoken | null {
  try {
    return messageIn(text);
  } catch (error) {
    if (error instanceof Misspoken) return error;
    throw error;
  }
}

// How far a training has come: its curve, what it spent, and what can be gone on from. Updates go up, and what was spent
// does not go down: a program that counts anew is told so at once.

export class TrainingProgress {
  readonly curve: Point[] = [];
  saved: Saved | null = null;
  spent: Budget = {};
  /** How many rollouts there were. */
  rollouts = 0;

  /** The last update there is a point of; 0 before the first. */
  get step(): number {
    return this.curve.at(-1)?.step ?? 0;
  }

  add(point: Point): void {
    const last = this.curve.at(-1);
    if (last !== undefined && point.step <= last.step) {
      throw new Misspoken(`step: found ${point.step}, allowed: more than ${last.step}, which was the last`);
    }
    if (point.spent !== undefined) this.spend(point.spent);
    this.curve.push(point);
  }

  spend(spent: Budget): void {
    for (const [unit, before] of Object.entries(this.spent)) {
      const now = spent[unit];
      if (now === undefined || now >= before) continue;
      throw new Misspoken(`spent.${unit}: found ${now}, allowed: at least ${before}, for that was spent before`);
    }
    this.spent = { ...this.spent, ...spent };
  }
}

// What a program that trains is told: everything about one stage, as JSON. docs/trainers.md is for who writes one.

/** Where training was stopped: what was saved last, and what had been spent by then. */
export interface Resume {
  readonly checkpoint: Checkpoint;
  readonly step: number;
  readonly spent: Budget;
}

export interface Stage {
  readonly protocol: 1;
  /** The name of the environment, as its descriptor says it. */
  readonly environment: string;
  readonly configuration: Configuration;
  /** Those that are knobs of the run, as they are set for this stage; absent where there are none. */
  readonly hyperparameters?: Hyperparameters;
  readonly budget: Budget;
  readonly seed: Seed;
  readonly from: Checkpoint | null;
  readonly folder: string;
  readonly resume: Resume | null;
}
