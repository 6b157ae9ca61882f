// The list of streams with their ends, and the number of events in the ledger, without their content. It is kept up to date by
// following the ledger, and saved in the user's cache with the position reached, so that no process reads again what another
// has read. It may be deleted at any time, and is then rebuilt from the server.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJson } from '../../../schemas/json-text.ts';
import { cacheFolder, makeFolder } from '../../base/folders.ts';
import { temporaryPath } from '../../base/temporary.ts';
import { historyShrank } from '../remote/errors.ts';
import type { LogStream, Position } from '../remote/log.ts';
import { Turns } from '../turns.ts';
import { endOfAll, eventsAfter } from './all-stream.ts';
import { type Connection, isBadPosition } from './connection.ts';
import { type Arrived, compare, type StreamNames } from './wire.ts';

/** Files of other versions are left alone. */
const version = 2;
/** Saving a large directory is slow: at most this fraction of the time is spent on it. */
const savingShare = 20;

interface KnownStream extends LogStream {
  /** The revision of the last record, even if another program wrote it. */
  readonly seen: number;
  /** The number of records that are events of the ledger. */
  readonly count: number;
}

interface Saved {
  readonly version: typeof version;
  readonly position: Position | null;
  /** The last event of the ledger. */
  readonly last: LogStream | null;
  readonly streams: readonly KnownStream[];
  readonly losing: readonly (readonly [stream: string, what: string])[];
  readonly gaps: readonly (readonly [place: string, what: string])[];
  readonly foreign: readonly ForeignRecord[];
}

/** A record of another program in a stream of the ledger. */
export interface ForeignRecord {
  readonly stream: string;
  readonly revision: number;
  readonly why: string;
}

const empty: Saved = { version, position: null, last: null, streams: [], losing: [], gaps: [], foreign: [] };

/** `incarnation` identifies the ledger on this very server; `place` is the name by which it is reached. */
export function directoryPath(incarnation: string, place: string): string {
  const where = createHash('sha256').update(place).digest('hex').slice(0, 8);
  return join(cacheFolder(), 'eventstore', `${incarnation}-${where}`, `directory-${version}.json`);
}

/** Whether the server still has the last known event of a stream. */
type IsThere = (last: LogStream, signal: AbortSignal) => Promise<boolean>;

export class Directory {
  readonly #connection: Connection;
  readonly #names: StreamNames;
  readonly #path: string;
  readonly #isThere: IsThere;
  /** Null: it has to be read. */
  #state: State | null = null;
  readonly #turns = new Turns();
  /** Checks the saved directory against the server, since a restored server may end at the same place with another event. */
  #isProven = false;
  #isUnsaved = false;
  #nextSave = 0;

  constructor(connection: Connection, names: StreamNames, path: string, isThere: IsThere) {
    this.#connection = connection;
    this.#names = names;
    this.#path = path;
    this.#isThere = isThere;
  }

  /** The current state: everything acknowledged before this call is included. Throws HistoryShrank, TransientError. */
  async toNow(signal: AbortSignal): Promise<State> {
    // A pending update may have fetched the end before this call.
    return await this.#turns.take(() => this.#catchUp(signal), signal);
  }

  /** Why the server would remove events of a stream, as far as known; null: it keeps all. */
  losing(stream: string): string | null {
    return this.#state?.losing.get(stream) ?? null;
  }

  async #catchUp(signal: AbortSignal): Promise<State> {
    this.#state ??= new State(load(this.#path));
    const state = this.#state;
    const end = await endOfAll(this.#connection);
    const isBehind = end !== null && (state.position === null || compare(state.position, end) < 0);
    const isAhead = state.position !== null && (end === null || compare(state.position, end) > 0);
    if (!isBehind && !isAhead && this.#isProven) return state;
    if (state.last !== null && !(await this.#isThere(state.last, signal))) {
      throw historyShrank(`${state.last.stream}@${state.last.revision}`, this.#path);
    }
    this.#isProven = true;
    if (isAhead || end === null) return await this.#again(signal);
    if (!isBehind) return state;
    try {
      return await this.#read(state, end, signal);
    } catch (error) {
      // The saved position may belong to a removed event of another program.
      if (state.position === null || !isBadPosition(error)) throw error;
      return await this.#again(signal);
    }
  }

  async #again(signal: AbortSignal): Promise<State> {
    const state = new State(empty);
    this.#state = state;
    const end = await endOfAll(this.#connection);
    return end === null ? state : await this.#read(state, end, signal);
  }

  /** Data that was read stays, even if reading is interrupted. */
  async #read(state: State, end: Position, signal: AbortSignal): Promise<State> {
    try {
      const span = { after: state.position, end, live: false };
      for await (const page of eventsAfter(this.#connection, this.#names, span, signal)) {
        state.take(page.arrived, page.position);
        this.#isUnsaved = true;
        this.#saveIfDue(state);
      }
      return state;
    } finally {
      this.#saveIfDue(state);
    }
  }

  /** Saves what was read since the last time. */
  close(): void {
    if (this.#isUnsaved && this.#state !== null) this.#save(this.#state);
  }

  #saveIfDue(state: State): void {
    const started = performance.now();
    if (!this.#isUnsaved || started < this.#nextSave) return;
    this.#save(state);
    const now = performance.now();
    this.#nextSave = now + savingShare * (now - started);
  }

  /** A process that cannot write there only has to read more. */
  #save(state: State): void {
    this.#isUnsaved = false;
    const temporary = temporaryPath(dirname(this.#path));
    try {
      makeFolder(dirname(this.#path));
      writeFileSync(temporary, JSON.stringify(state.toJSON()), { mode: 0o600 });
      renameSync(temporary, this.#path);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

function load(path: string): Saved {
  try {
    const saved = parseJson(readFileSync(path, 'utf8')) as Saved;
    const isWhole = [saved.streams, saved.losing, saved.gaps, saved.foreign].every(Array.isArray);
    return saved.version === version && isWhole ? saved : empty;
  } catch {
    return empty;
  }
}

export class State {
  readonly #streams: Map<string, KnownStream>;
  readonly losing: Map<string, string>;
  /** Records whose predecessors were removed before they were read. */
  readonly gaps: Map<string, string>;
  readonly #foreign: Map<string, ForeignRecord[]>;
  position: Position | null;
  last: LogStream | null;
  events: number;

  constructor({ position, last, streams, losing, gaps, foreign }: Saved) {
    this.#streams = new Map(streams.map((known) => [known.stream, known]));
    this.losing = new Map(losing);
    this.gaps = new Map(gaps);
    this.#foreign = Map.groupBy(foreign, ({ stream }) => stream);
    this.position = position;
    this.last = last;
    this.events = streams.reduce((sum, { count }) => sum + count, 0);
  }

  take(arrived: readonly Arrived[], position: Position): void {
    for (const one of arrived) {
      if (one.kind !== 'settings') this.#record(one);
      else if (one.losing === null) this.losing.delete(one.of);
      else this.losing.set(one.of, one.losing);
    }
    this.position = position;
  }

  /** Streams with an event of the ledger, sorted by name. */
  streams(prefix: string): readonly LogStream[] {
    const found = [...this.#streams.values()].filter(({ stream, count }) => count > 0 && stream.startsWith(prefix));
    return found.sort((a, b) => (a.stream < b.stream ? -1 : 1));
  }

  /** For one stream, or for all. */
  foreign(stream?: string): readonly ForeignRecord[] {
    return stream === undefined ? [...this.#foreign.values()].flat() : (this.#foreign.get(stream) ?? []);
  }

  toJSON(): Saved {
    const { position, last, losing, gaps } = this;
    const [streams, foreign] = [[...this.#streams.values()], this.foreign()];
    return { version, position, last, streams, losing: [...losing], gaps: [...gaps], foreign };
  }

  #record(one: Exclude<Arrived, { kind: 'settings' }>): void {
    const { stream, revision } = one.kind === 'event' ? one.event : one;
    const before = this.#streams.get(stream);
    const seen = before?.seen ?? -1;
    // A reading that starts again may repeat records.
    if (revision <= seen) return;
    if (revision > seen + 1) {
      this.gaps.set(`${stream}@${revision}`, seen < 0 ? 'it has no predecessor' : `it follows revision ${seen}`);
    }
    if (one.kind === 'event') {
      const { digest, position } = one.event;
      this.last = { stream, revision, digest, position };
      this.#streams.set(stream, { ...this.last, seen: revision, count: (before?.count ?? 0) + 1 });
      this.events++;
    } else {
      const record = { stream, revision, why: one.why };
      const others = this.#foreign.get(stream)?.push(record);
      if (others === undefined) this.#foreign.set(stream, [record]);
      const end = before ?? { stream, revision: -1, digest: '', position: one.position, count: 0 };
      this.#streams.set(stream, { ...end, seen: revision });
    }
  }
}
