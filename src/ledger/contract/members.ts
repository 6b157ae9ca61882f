// Members of a group, here or in processes of their own, and what each of them has as it stands.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../ledger.ts';

const program = fileURLToPath(new URL('./member-process.ts', import.meta.url));

export class Members {
  readonly #own = new Map<string, readonly string[]>();
  readonly #following: Promise<void>[] = [];
  readonly #stops: (() => Promise<unknown> | undefined)[] = [];
  #news = Promise.withResolvers<void>();

  /** Resolves with how it leaves. */
  join(name: string, ledger: Ledger, group: string): () => Promise<void> {
    const leaving = new AbortController();
    const following = this.#follow(name, ledger.shards().share(group, leaving.signal));
    const leave = async (): Promise<void> => {
      leaving.abort();
      await following;
    };
    this.#stops.push(leave);
    return leave;
  }

  /** Says how it is killed. */
  joinAsProcess(name: string, url: string, group: string): () => Promise<unknown> {
    const child = spawn(process.execPath, [program, url, group], { stdio: ['ignore', 'pipe', 'inherit'] });
    void this.#follow(name, assignmentsOf(child));
    const ended = once(child, 'exit');
    const kill = (): Promise<unknown> => {
      child.kill('SIGKILL');
      return ended;
    };
    this.#stops.push(kill);
    return kill;
  }

  of(name: string): readonly string[] {
    return this.#own.get(name) ?? [];
  }

  /** What they have together, sorted; a shard that two have stands there twice. */
  get all(): readonly string[] {
    return [...this.#own.values()].flat().sort();
  }

  /** Looks again at each change. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#news.promise;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await Promise.all(this.#following);
  }

  async #follow(name: string, assignments: AsyncIterable<readonly string[]>): Promise<void> {
    for await (const own of assignments) this.#tell(name, own);
    this.#own.delete(name);
    this.#tell(name, null);
  }

  #tell(name: string, own: readonly string[] | null): void {
    if (own !== null) this.#own.set(name, own);
    const news = this.#news;
    this.#news = Promise.withResolvers();
    news.resolve();
  }
}

async function* assignmentsOf({ stdout }: ChildProcess): AsyncGenerator<readonly string[]> {
  if (stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface(stdout)) yield JSON.parse(line);
}
