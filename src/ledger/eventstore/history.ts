// Whether the server still has what was read of it. One that was restored from a backup has forgotten what the mirror knows, and would
// put other events in its place. Looked at with each new connection, by the event up to which its log was read.

import { placeOf } from '../event.ts';
import type { SteadyClient } from './client.ts';
import type { Connection } from './connection.ts';
import { HistoryShrank } from './errors.ts';
import { isMisplaced } from './failures.ts';
import type { LogPlace } from './mirror/admitting.ts';
import type { Mirror } from './mirror/mirror.ts';
import { plainId } from './wire.ts';

export class History {
  readonly #connection: Connection;
  readonly #mirror: Mirror;
  #provenBy: SteadyClient | null = null;
  #generation = 0;

  constructor(connection: Connection, mirror: Mirror) {
    this.#connection = connection;
    this.#mirror = mirror;
  }

  /** Throws HistoryShrank, and Stumble. */
  async require(): Promise<void> {
    const client = this.#connection.client();
    if (this.#provenBy === client && this.#generation === client.generation) return;
    const { position, anchor } = this.#mirror.progress();
    if (position >= 0 && !(await this.#isThere({ position, serverId: anchor }))) await this.#goBack(position);
    this.#provenBy = client;
    this.#generation = client.generation;
  }

  /** It is to be looked at again. */
  doubt(): void {
    this.#provenBy = null;
  }

  /**
   * What the log was read up to may have been an event of others that was removed. The last of the ledger's own must be there, and
   * what lies behind it is read again.
   */
  async #goBack(from: number): Promise<void> {
    const last = this.#mirror.last();
    if (last !== null && !(await this.#isThere(last.place))) {
      throw new HistoryShrank(placeOf(last.event), this.#mirror.identity.path);
    }
    await this.#mirror.goBack(from, last?.place ?? { position: -1, serverId: '' });
  }

  async #isThere(place: LogPlace): Promise<boolean> {
    return await this.#connection.once((client) => isAt(client, place));
  }
}

async function isAt(client: SteadyClient, { position, serverId }: LogPlace): Promise<boolean> {
  const at = BigInt(position);
  try {
    const read = client.readAll({ fromPosition: { commit: at, prepare: at }, maxCount: 1, requiresLeader: true });
    for await (const { event } of read) {
      return Number(event?.position?.commit) === position && plainId(event?.id) === serverId;
    }
    return false;
  } catch (error) {
    if (isMisplaced(error)) return false;
    throw error;
  }
}
