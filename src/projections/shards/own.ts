// The shards that a member of a group has as it stands. One that it no longer has is stopped being filled at once: whoever has
// it now waits for its file.
import type { Cursor } from '../../ledger/event.ts';

export interface OwnShard {
  readonly name: string;
  /** Aborts when it is somebody else's. */
  readonly gone: AbortSignal;
}

/** How far a shard was filled since it was given to this member; undefined where it was not. */
type FilledTo = Cursor | null | undefined;

interface Own {
  readonly shard: OwnShard;
  readonly going: AbortController;
  readonly filledTo: FilledTo;
}

export class OwnShards {
  readonly #own = new Map<string, Own>();
  readonly #following: Promise<void>;
  #news = Promise.withResolvers<void>();
  #standing: 'joining' | 'joined' | 'left' = 'joining';

  constructor(assignments: AsyncIterable<readonly string[]>) {
    this.#following = this.#follow(assignments).finally(() => {
      this.#standing = 'left';
      this.#letGo([], new Error('the group was left'));
    });
    this.#following.catch(() => undefined);
  }

  get isLeft(): boolean {
    return this.#standing === 'left';
  }

  /** Those that were not filled for the longest time first. */
  get all(): readonly OwnShard[] {
    return [...this.#own.values()].map(({ shard }) => shard);
  }

  filledTo({ name }: OwnShard): FilledTo {
    return this.#own.get(name)?.filledTo;
  }

  /** Nothing is noted of one that is somebody else's by now. */
  noteFilled({ name, gone }: OwnShard, cursor: Cursor | null): void {
    const own = this.#own.get(name);
    if (own === undefined || gone.aborted) return;
    this.#own.delete(name);
    this.#own.set(name, { ...own, filledTo: cursor });
  }

  /** Resolves when this member was told for the first time what it has, be it nothing. */
  async joined(): Promise<void> {
    while (this.#standing === 'joining') await this.changed();
  }

  /** Resolves at the next change, and when the group was left. Throws when it was lost. */
  async changed(): Promise<void> {
    await Promise.race([this.#news.promise, this.#following]);
  }

  /** Resolves when the group was left. Throws when it was lost. */
  async left(): Promise<void> {
    await this.#following;
  }

  async #follow(assignments: AsyncIterable<readonly string[]>): Promise<void> {
    for await (const names of assignments) {
      this.#letGo(names, new Error('another member of the group has the shard now'));
      for (const name of names) {
        if (this.#own.has(name)) continue;
        const going = new AbortController();
        this.#own.set(name, { shard: { name, gone: going.signal }, going, filledTo: undefined });
      }
      this.#standing = 'joined';
      const news = this.#news;
      this.#news = Promise.withResolvers();
      news.resolve();
    }
  }

  #letGo(keeping: readonly string[], why: Error): void {
    for (const [name, { going }] of this.#own) {
      if (keeping.includes(name)) continue;
      this.#own.delete(name);
      going.abort(why);
    }
  }
}
