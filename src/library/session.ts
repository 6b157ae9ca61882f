// The session of every verb of the library: its folder, the chosen ledger, the signal that stops it, and the receiver of notices.
// The command line creates one from its streams and flags, `openWorkspace` from its options.
import type { EngineerEntry, EnvironmentEntry, Registry } from '../lab/registry.ts';
import type { Waiting } from '../ledger/ledger.ts';
import type { UnknownEvents } from '../ledger/unknown-events.ts';
import type { Standing } from '../projections/current-tables.ts';

/** The surroundings of an operation, with a signal that stops it. */
export interface StoppableSurroundings extends Surroundings {
  readonly signal?: AbortSignal;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** False to ignore settings files. */
  readonly config?: false;
}

/** The part of an input that was read. */
export interface BytesRead {
  readonly bytes?: number;
  /** Null if unknown. */
  readonly totalBytes?: number | null;
}

/** What a caller may show while a verb works. Results do not depend on who listens. */
export type Notice =
  /** The folder `.icecore` was created. */
  | { readonly kind: 'workspace-created'; readonly path: string }
  /** A store does not answer and is waited for, or is back. */
  | { readonly kind: 'waiting'; readonly waiting: Waiting; readonly ledger?: string }
  /** Another process holds the claim of the run or the ablation; this process waits this number of seconds to see if it is still active. */
  | {
      readonly kind: 'claim-held';
      readonly holder: string;
      readonly seconds: number;
      readonly subject: 'run' | 'ablation';
    }
  /** Events of unknown types were left out of an answer. */
  | { readonly kind: 'unknown-events'; readonly unknown: readonly UnknownEvents[] }
  /** The state of the SQL tables: events in them, events they lack, and types that only table `events` has. */
  | ({ readonly kind: 'tables' } & Standing)
  | ({
      readonly kind: 'progress';
      readonly subject: string;
      readonly done: number;
      readonly of: number | null;
    } & BytesRead)
  | { readonly kind: 'progress-ended'; readonly subject: string }
  /** A remark, such as why tables are filled again. */
  | { readonly kind: 'note'; readonly text: string }
  /** What to type next on the command line. */
  | { readonly kind: 'hint'; readonly text: string };

/** What read-only verbs need of plugins: data. */
export type PluginData = Pick<Registry, 'eventTypes' | 'tables' | 'plugins'>;

/** Surroundings, with the ledger that the caller named, if any. */
export interface Caller extends Surroundings {
  /** A URL (default: the ledger of the workspace). */
  readonly ledger?: string;
}

/** What a session knows of a plugin; the registry can open its parts. */
interface PluginParts {
  readonly name: string;
  readonly environments?: readonly EnvironmentEntry[];
  readonly engineers?: readonly EngineerEntry[];
  readonly contextModules?: readonly { readonly name: string }[];
}

export interface LoadedPlugins<Plugin extends PluginParts = PluginParts> {
  readonly plugins: readonly Plugin[];
  readonly registry: Registry;
  /** The settings file whose code ran, and the plugins it registers, which come last. */
  readonly config: { readonly path: string; readonly plugins: readonly Plugin[] } | null;
}

/** Loaded by the first call that needs them. */
export interface SessionPlugins<Plugin extends PluginParts = PluginParts> {
  /** Data of the plugins loaded so far, or else of those passed in by the program. Loads nothing. */
  atHand(): Promise<PluginData>;
  /** For read-only verbs. Executes no code that was found: plugins of a settings file are present only if its code ran before. */
  current(): Promise<LoadedPlugins<Plugin>>;
  /** For verbs that work: runs the code of the settings file and includes its plugins. Throws Untrusted and BadConfig. */
  all(): Promise<LoadedPlugins<Plugin>>;
  /** Runs the code of the settings file, if it is code, and remembers its result. Throws Untrusted and BadConfig. */
  followConfig(): Promise<void>;
  /** The same for settings at another path that a user has just allowed; null if they contain no code. */
  runConfigIn(surroundings: StoppableSurroundings): Promise<LoadedPlugins<Plugin> | null>;
}

export interface Session extends Caller {
  /** A command asks the server of its workspace, if one runs. The server itself does not. */
  readonly asksServer?: true;
  /** The source of everything that is opened by name. */
  readonly plugins: SessionPlugins;
  readonly signal: AbortSignal;
  notify(notice: Notice): Promise<void>;
}

/** Reports that a claim of another process has to be waited for. */
export function noticingHolder(
  session: Session,
  subject: 'run' | 'ablation' = 'run',
): (holder: string, seconds: number) => void {
  return (holder, seconds) => void session.notify({ kind: 'claim-held', holder, seconds, subject });
}

/** The progress of one long piece of work. */
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

/** The progress of work in several steps, each counted in its own unit. */
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
