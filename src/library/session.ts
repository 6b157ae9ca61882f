// What every verb of the library is given: where it is called, which ledger its caller named, when to stop, and whom to tell
// what happens meanwhile. The command line makes one of its own streams and flags, `openWorkspace` one of its options.
import type { EngineerEntry, EnvironmentEntry, Registry } from '../lab/registry.ts';
import type { Waiting } from '../ledger/ledger.ts';
import type { UnknownEvents } from '../ledger/unknown-events.ts';
import type { Standing } from '../projections/current-tables.ts';

/** Where something happens, and what stops it. */
export interface StoppableSurroundings extends Surroundings {
  readonly signal?: AbortSignal;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** False where no settings file is looked at. */
  readonly config?: false;
}

/** How much of an input was read. */
export interface BytesRead {
  readonly bytes?: number;
  /** Null where it is not known. */
  readonly totalBytes?: number | null;
}

/** What a caller may want to show while a verb works. No result depends on who listens. */
export type Notice =
  /** The folder `.icecore` was created. */
  | { readonly kind: 'workspace-created'; readonly path: string }
  /** A store does not answer and is waited for, or is back. */
  | { readonly kind: 'waiting'; readonly waiting: Waiting; readonly ledger?: string }
  /** Another process holds the run or the ablation; this one waits this number of seconds to see whether it still works on it. */
  | {
      readonly kind: 'claim-held';
      readonly holder: string;
      readonly seconds: number;
      readonly subject: 'run' | 'ablation';
    }
  /** Events of types that this icecore does not know were left out of an answer. */
  | { readonly kind: 'unknown-events'; readonly unknown: readonly UnknownEvents[] }
  /** What the SQL tables know: events in them, events that they lack, and kinds that stand in table `events` alone. */
  | ({ readonly kind: 'tables' } & Standing)
  | ({
      readonly kind: 'progress';
      readonly subject: string;
      readonly done: number;
      readonly of: number | null;
    } & BytesRead)
  | { readonly kind: 'progress-ended'; readonly subject: string }
  /** Something worth a line, such as why tables are filled again. */
  | { readonly kind: 'note'; readonly text: string }
  /** What to type next on the command line. */
  | { readonly kind: 'hint'; readonly text: string };

/** What verbs that only look take of plugins: data. */
export type PluginData = Pick<Registry, 'eventTypes' | 'tables' | 'plugins'>;

/** A place with the ledger that the caller named, where one was named. */
export interface Caller extends Surroundings {
  /** A URL; left out, it is the one of the workspace. */
  readonly ledger?: string;
}

/** What a session knows of a plugin; what opens it is in the registry. */
interface PluginParts {
  readonly name: string;
  readonly environments?: readonly EnvironmentEntry[];
  readonly engineers?: readonly EngineerEntry[];
  readonly contextModules?: readonly { readonly name: string }[];
}

export interface LoadedPlugins<Plugin extends PluginParts = PluginParts> {
  readonly plugins: readonly Plugin[];
  readonly registry: Registry;
  /** The settings file whose code ran, and what it registers; those are the last of all. */
  readonly config: { readonly path: string; readonly plugins: readonly Plugin[] } | null;
}

/** Loaded by the first call that needs them. */
export interface SessionPlugins<Plugin extends PluginParts = PluginParts> {
  /** Of those that were loaded before, or else of those that the program itself handed over: nothing is loaded for it. */
  atHand(): Promise<PluginData>;
  /** For verbs that only look. Nothing that was found is executed: those of a settings file are there only if its code ran before. */
  current(): Promise<LoadedPlugins<Plugin>>;
  /** For verbs that work: with what the settings file registers, whose code runs. Throws Untrusted and BadConfig. */
  all(): Promise<LoadedPlugins<Plugin>>;
  /** Runs the code of the settings file, where it is code: what it says is known from then on. Throws Untrusted and BadConfig. */
  followConfig(): Promise<void>;
  /** The same of the settings elsewhere, as a person has just allowed; null where they have no code. */
  runConfigIn(surroundings: StoppableSurroundings): Promise<LoadedPlugins<Plugin> | null>;
}

export interface Session extends Caller {
  /** What is opened by its name comes from them. */
  readonly plugins: SessionPlugins;
  readonly signal: AbortSignal;
  notify(notice: Notice): Promise<void>;
}

/** Notices that a claim of somebody else has to be waited for. */
export function noticingHolder(
  session: Session,
  subject: 'run' | 'ablation' = 'run',
): (holder: string, seconds: number) => void {
  return (holder, seconds) => void session.notify({ kind: 'claim-held', holder, seconds, subject });
}

/** How far one long piece of work is. */
export class SessionProgress {
  readonly #session: Session;
  readonly #subject: string;

  constructor(session: Session, subject: string) {
    this.#session = session;
    this.#subject = subject;
    void this.update(0, null);
  }

  update(done: number, of: number | null, read: BytesRead = {}): Promise<void> {
    return this.#session.notify({ kind: 'progress', subject: this.#subject, done, of, ...read });
  }

  end(): Promise<void> {
    return this.#session.notify({ kind: 'progress-ended', subject: this.#subject });
  }
}

/** The same of work in several steps, each counted in its own unit. */
export class StepProgress<Doing extends string> {
  readonly #session: Session;
  readonly #subjects: Readonly<Record<Doing, string>>;
  #doing: Doing | null = null;
  #current: SessionProgress | null = null;

  constructor(session: Session, subjects: Readonly<Record<Doing, string>>) {
    this.#session = session;
    this.#subjects = subjects;
  }

  async update({ doing, done, of }: { doing: Doing; done: number; of: number | null }): Promise<void> {
    if (doing !== this.#doing) {
      await this.end();
      this.#doing = doing;
      this.#current = new SessionProgress(this.#session, this.#subjects[doing]);
    }
    await this.#current?.update(done, of);
  }

  async end(): Promise<void> {
    await this.#current?.end();
  }
}
