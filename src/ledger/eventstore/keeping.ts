// Whether the server keeps all of a stream: it removes events where the settings of a stream say so, and a stream can be deleted.
// Nothing is written where that would be lost.
import { StreamDeletedError } from '@eventstore/db-client';
import { isChained } from '../../../schemas/streams.ts';
import { unlessAborted } from '../remote/unless-aborted.ts';
import type { Connection } from './connection.ts';
import { streamDeleted, WouldLoseHistory } from './errors.ts';
import type { Mirror } from './mirror/mirror.ts';
import type { StreamNames } from './streams.ts';

/** As many are remembered; beyond it, all are asked for again. */
const remembered = 10_000;

export class Keeping {
  readonly #connection: Connection;
  readonly #names: StreamNames;
  readonly #mirror: Mirror;
  readonly #kept = new Set<string>();

  constructor(connection: Connection, names: StreamNames, mirror: Mirror) {
    this.#connection = connection;
    this.#names = names;
    this.#mirror = mirror;
  }

  /** Asked once for each stream that is written; what comes later comes into the mirror. Throws WouldLoseHistory. */
  async require(stream: string, signal: AbortSignal): Promise<void> {
    const name = this.#names.onServer(stream);
    if (this.#kept.has(stream)) {
      const what = this.#mirror.losing(name);
      if (what !== null) throw losing(name, what, what.split(' ')[0] ?? '');
      return;
    }
    await this.#ask(name, signal);
    if (this.#kept.size >= remembered) this.#kept.clear();
    this.#kept.add(stream);
  }

  /** Half a history of decisions is none. */
  requireWhole(stream: string): void {
    if (!isChained(stream) || !this.#mirror.hasGap(stream)) return;
    const what = 'events of it were removed before they were read here';
    const remedy = 'Bring the ledger back from a copy, to another prefix: `icecore doctor` names what is gone.';
    throw new WouldLoseHistory(this.#names.onServer(stream), what, remedy);
  }

  async #ask(name: string, signal: AbortSignal): Promise<void> {
    try {
      const asked = this.#connection.ask((client) => client.getStreamMetadata(name, { requiresLeader: true }));
      const { metadata } = await unlessAborted(asked, signal);
      const { maxCount, maxAge, truncateBefore } = metadata ?? {};
      if (maxCount !== undefined) throw losing(name, `$maxCount is ${maxCount}`, '$maxCount');
      if (maxAge !== undefined) throw losing(name, `$maxAge is ${maxAge}`, '$maxAge');
      if (truncateBefore !== undefined) throw losing(name, `$tb is ${truncateBefore}`, '$tb');
    } catch (error) {
      if (error instanceof StreamDeletedError) throw streamDeleted(name);
      throw error;
    }
  }
}

function losing(name: string, what: string, setting: string): WouldLoseHistory {
  const remedy = `Set the metadata of ${name} without ${setting}, before the next scavenge of the server removes what it hides.`;
  return new WouldLoseHistory(name, what, remedy);
}
