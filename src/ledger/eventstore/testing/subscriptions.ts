// Subscriptions: first what is there, page by page, then what is committed from then on. One to all events through a
// filter is told now and then how far the filter has looked.
import type { Database } from './database.ts';
import { type Matches, visible } from './filters.ts';
import { pageFrom, pageSize } from './pages.ts';
import { at, compare, laterOf, logStart, type Position } from './positions.ts';
import { type Recorded, tombstoneType } from './recorded.ts';
import { invalidPosition, streamDeleted } from './refusals.ts';

export type Told =
  | { readonly kind: 'event'; readonly event: Recorded }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' };

export interface Filter {
  readonly matches: Matches;
  /** How many events are looked at in one go, and how many between two checkpoints. */
  readonly window: number;
  readonly interval: number;
}

/** More events than these at once, and the subscription has fallen behind: it catches up again, and says so again. */
const liveEvents = 32;

/** What is behind a place; nothing of what is there already for a place of null. */
export function subscriptionToAll(
  database: Database,
  after: Position | null,
  filter: Filter | null,
  ended: AbortSignal,
): AsyncGenerator<Told, void> {
  // The end is the one at the time of the call, however late somebody asks for what follows.
  return followed(database, new Following(database, after, filter), ended);
}

async function* followed(database: Database, following: Following, ended: AbortSignal): AsyncGenerator<Told, void> {
  if (following.startsAtEnd) yield { kind: 'caught-up' };
  else yield* following.catchUp();
  while (await newsOrEnd(database, () => following.hasNews, ended)) {
    if (following.newEvents <= liveEvents) yield* following.live();
    else yield* following.fallenBehind();
  }
}

class Following {
  readonly #database: Database;
  readonly #filter: Filter | null;
  readonly #matches: Matches;
  readonly startsAtEnd: boolean;
  /** The place that was told last, as an event's or a checkpoint. */
  #place: Position;
  #lastCheckpoint: Position | null = null;
  /** What was looked at since the last checkpoint, once it is live. */
  #looked = 0;
  /** Of the events that were there, the last it looked at. */
  #seen: Position;

  constructor(database: Database, after: Position | null, filter: Filter | null) {
    this.#database = database;
    this.#filter = filter;
    this.#matches = filter?.matches ?? visible;
    const end = endOf(database);
    this.#place = after ?? end;
    this.startsAtEnd = compare(this.#place, end) >= 0;
    this.#seen = end;
  }

  get hasNews(): boolean {
    return compare(this.#seen, endOf(this.#database)) < 0;
  }

  get newEvents(): number {
    return this.#database.all.length - this.#indexBehind(this.#seen);
  }

  *catchUp(): Generator<Told> {
    let looked = 0;
    for (let from = laterOf(this.#place, at(0)); ; ) {
      const window = this.#filter?.window ?? Number.POSITIVE_INFINITY;
      const page = pageFrom(this.#database, from, { matches: this.#matches, count: pageSize, window });
      if (page === null) throw invalidPosition();
      this.#seen = endOf(this.#database);
      for (const event of page.events) yield* this.#tell(event);
      looked += page.considered;
      if (page.isEnd) {
        yield* this.#checkpoint(laterOf(this.#place, from));
        return yield { kind: 'caught-up' };
      }
      const interval = this.#filter?.interval ?? Number.POSITIVE_INFINITY;
      if (looked >= interval) {
        looked %= interval;
        yield* this.#checkpoint(laterOf(this.#place, from));
      }
      from = page.next;
    }
  }

  *live(): Generator<Told> {
    const events = this.#database.all.slice(this.#indexBehind(this.#seen));
    for (const event of events) {
      this.#seen = at(event.position);
      if (this.#matches(event)) yield* this.#tell(event);
      this.#looked++;
      if (this.#looked < (this.#filter?.interval ?? Number.POSITIVE_INFINITY)) continue;
      this.#looked = 0;
      if (compare(this.#place, this.#seen) <= 0) yield* this.#checkpoint(this.#seen);
    }
  }

  *fallenBehind(): Generator<Told> {
    yield* this.#checkpoint(this.#place);
    yield* this.catchUp();
  }

  /** Not what was told before, and not what is before the place that was asked for. */
  *#tell(event: Recorded): Generator<Told> {
    if (compare(at(event.position), this.#place) <= 0) return;
    this.#place = at(event.position);
    yield { kind: 'event', event };
  }

  *#checkpoint(position: Position): Generator<Told> {
    const isNew = this.#lastCheckpoint === null || compare(this.#lastCheckpoint, position) < 0;
    this.#place = laterOf(this.#place, position);
    if (this.#filter === null || !isNew || position.commit < 0) return;
    this.#lastCheckpoint = position;
    yield { kind: 'checkpoint', position };
  }

  #indexBehind(place: Position): number {
    return this.#database.indexFrom({ commit: place.commit, prepare: place.prepare + 1 }) ?? 0;
  }
}

/** What is behind a revision; nothing of what is there already for a revision of null. */
export function subscriptionToStream(
  database: Database,
  name: string,
  after: number | null,
  ended: AbortSignal,
): AsyncGenerator<Told, void> {
  if (database.isTombstoned(name)) throw streamDeleted(name);
  return followedStream(database, name, after ?? database.stream(name).last, ended);
}

async function* followedStream(
  database: Database,
  name: string,
  after: number,
  ended: AbortSignal,
): AsyncGenerator<Told, void> {
  let told = after;
  yield* catchUp();
  const hasNews = () => database.isTombstoned(name) || database.stream(name).last > told;
  while (await newsOrEnd(database, hasNews, ended)) {
    if (database.stream(name).last - told > liveEvents) yield* catchUp();
    else yield* live();
    if (database.isTombstoned(name)) {
      yield* tombstone();
      throw streamDeleted(name);
    }
  }

  function* catchUp(): Generator<Told> {
    const stream = database.stream(name);
    const { last } = stream;
    const shown = stream.isSoftDeleted ? [] : stream.forwards(told + 1, Number.POSITIVE_INFINITY, Date.now());
    for (const event of shown) {
      told = event.revision;
      yield { kind: 'event', event };
    }
    told = Math.max(told, last);
    yield { kind: 'caught-up' };
  }

  /** As it was committed, whatever is shown of it to who comes later. */
  function* live(): Generator<Told> {
    const stream = database.stream(name);
    while (told < stream.last) {
      told++;
      const event = stream.stored(told);
      if (event !== null) yield { kind: 'event', event };
    }
  }

  function* tombstone(): Generator<Told> {
    const event = database.all.findLast(({ stream, type }) => stream === name && type === tombstoneType);
    if (event !== undefined) yield { kind: 'event', event };
  }
}

function endOf(database: Database): Position {
  const last = database.all.at(-1);
  return last === undefined ? logStart : at(last.position);
}

/** False when nobody listens any more. */
async function newsOrEnd(database: Database, isNews: () => boolean, ended: AbortSignal): Promise<boolean> {
  while (!ended.aborted && !isNews()) {
    const { arrived, forget } = database.news();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const stop = () => resolve();
    ended.addEventListener('abort', stop);
    await Promise.race([arrived, over]);
    ended.removeEventListener('abort', stop);
    forget();
  }
  return !ended.aborted;
}
