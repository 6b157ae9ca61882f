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
import { type ArrivedPage, endOfAll, eventsAfter } from './all-stream.ts';
import type { Connection } from './connection.ts';
import { type Arrived, compare } from './wire.ts';

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

/** A record of another program in a stream of the ledger. */
type ForeignRecord = Pick<Extract<Arrived, { kind: 'foreign' }>, 'stream' | 'revision' | 'why'>;

/** `incarnation` identifies the ledger on this very server; `place` is the name by which it is reached. */
export function directoryPath(incarnation: string, place: string): string {
  const where = createHash('sha256').update(place).digest('hex').slice(0, 8);
  return join(cacheFolder(), 'eventstore', `${incarnation}-${where}`, `directory-${version}.json`);
}

/** Whether the server still has the last known event of a stream. */
type IsThere = (last: LogStream, signal: AbortSignal) => Promise<boolean>;

export class Directory {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #isThere: IsThere;
  /** Null: it has to be read. */
  #state: State | null = null;
  readonly #turns = new Turns();
  /** Checks the saved directory against the server, since a restored server may end at the same place with another event. */
  #isProven = false;
  #isUnsaved = false;
  #nextSave = 0;

  constructor(connection: Connection, path: string, isThere: IsThere) {
    this.#connection = connection;
    this.#path = path;
    this.#isThere = isThere;
  }

  /** The current state: everything acknowledged before this call is included. Throws HistoryShrank, TransientError. */
  async toNow(signal: AbortSignal): Promise<State> {
    // A pending update may have fetched the end before this call.
    return await this.#turns.take(() => this.#catchUp(signal), signal);
  }

  async #catchUp(signal: AbortSignal): Promise<State> {
    this.#state ??= load(this.#path);
    const end = await endOfAll(this.#connection);
    const { last, position } = this.#state;
    const reached = compare(position ?? '0', end);
    if (reached === 0 && this.#isProven) return this.#state;
    if (last !== null && !(await this.#isThere(last, signal))) {
      throw historyShrank(`${last.stream}@${last.revision}`, this.#path);
    }
    this.#isProven = true;
    if (reached === 0) return this.#state;
    // A server that was restored ends earlier.
    if (reached > 0) this.#state = new State();
    const state = this.#state;
    // Data that was read stays, even if reading is interrupted.
    for await (const page of eventsAfter(this.#connection, { after: state.position, end, live: false }, signal)) {
      state.take(page);
      this.#isUnsaved = true;
      if (performance.now() >= this.#nextSave) this.#save(state);
    }
    return state;
  }

  /** Saves what was read since the last time. */
  close(): void {
    if (this.#isUnsaved && this.#state !== null) this.#save(this.#state);
  }

  /** A process that cannot write there only has to read more. */
  #save(state: State): void {
    const started = performance.now();
    const temporary = temporaryPath(dirname(this.#path));
    try {
      makeFolder(dirname(this.#path));
      writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
      renameSync(temporary, this.#path);
    } catch {
      rmSync(temporary, { force: true });
    }
    const now = performance.now();
    this.#nextSave = now + savingShare * (now - started);
    this.#isUnsaved = false;
  }
}

function load(path: string): State {
  try {
    const saved = parseJson(readFileSync(path, 'utf8')) as Saved;
    if (saved.version === version) return new State(saved);
  } catch {
    // It is missing or damaged.
  }
  return new State();
}

type Saved = ReturnType<State['toJSON']>;

export class State {
  position: Position | null;
  /** The last event of the ledger. */
  last: LogStream | null;
  /** The number of events. */
  events: number;
  readonly #streams: Map<string, KnownStream>;
  /** Why the server would remove events of a stream, by its name there. */
  readonly losing: Map<string, string>;
  /** Records whose predecessors were removed before they were read. */
  readonly gaps: Map<string, string>;
  readonly foreign: ForeignRecord[];

  constructor(saved: Partial<Saved> = {}) {
    const { position = null, last = null, streams = [], losing, gaps, foreign = [] } = saved;
    this.position = position;
    this.last = last;
    this.events = streams.reduce((sum, { count }) => sum + count, 0);
    this.#streams = new Map(streams.map((known) => [known.stream, known]));
    this.losing = new Map(losing);
    this.gaps = new Map(gaps);
    this.foreign = foreign;
  }

  toJSON() {
    const { position, last, losing, gaps, foreign } = this;
    const streams = [...this.#streams.values()];
    return { version, position, last, streams, losing: [...losing], gaps: [...gaps], foreign };
  }

  take({ arrived, position }: ArrivedPage): void {
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
      this.foreign.push({ stream, revision, why: one.why });
      const end = before ?? { stream, revision: -1, digest: '', position: one.position, count: 0 };
      this.#streams.set(stream, { ...end, seen: revision });
    }
  }
}
