// The way to the server: the client, made anew when one has stopped answering, and what went wrong in words of icecore. What
// may go well another time is tried again until the patience is over.
import { setTimeout as pause } from 'node:timers/promises';
import { readCertificates } from '../folders.ts';
import type { OnWait } from '../ledger.ts';
import { patiently, Waits } from '../remote/patience.ts';
import { Stumble } from '../remote/stumble.ts';
import { SteadyClient } from './client.ts';
import { EventStoreAway, EventStoreTooOld } from './errors.ts';
import { AnsweredStumble, failureOf, leaderIn, stumbleOf } from './failures.ts';
import { eventStoreLogin } from './login.ts';
import { type EventStorePlace, type Host, hostText } from './place.ts';

/** An answer that takes longer will not come any more. */
const answerMs = 10_000;

export class Connection {
  readonly #place: EventStorePlace;
  readonly #waits: Waits;
  readonly #ending = new AbortController();
  #client: SteadyClient | null = null;
  /** Whom a server named that does not lead. */
  #leader: Host | null = null;

  constructor(place: EventStorePlace, onWait: OnWait | undefined) {
    this.#place = place;
    this.#waits = new Waits((what) =>
      onWait?.({ store: 'ledger', away: what === null ? null : { what, seconds: place.patience } }),
    );
  }

  get hosts(): readonly string[] {
    return this.#place.hosts.map(hostText);
  }

  /** One call, tried again while the server stumbles. Throws EventStoreAway, or what is no stumble. */
  async ask<Result>(call: (client: SteadyClient) => Promise<Result>): Promise<Result> {
    return await this.patiently(() => this.once(call));
  }

  /** Throws EventStoreTooOld where the server says it is. */
  async requireVersion(): Promise<string> {
    const version = await this.ask((client) => client.serverVersion());
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (version !== '' && (major < 23 || (major === 23 && minor < 10))) throw new EventStoreTooOld(this.hosts);
    return version;
  }

  /** What has begun is finished; nothing is tried again once that is wanted no more. */
  async patiently<Result>(attempt: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const ended = signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]);
    const patience = { ms: this.#place.patience * 1_000, waits: this.#waits, signal: ended };
    return await patiently(patience, attempt, (last) => new EventStoreAway(this.hosts, last.message, last));
  }

  /** One try. Throws Stumble, or what will not go better another time. */
  async once<Result>(call: (client: SteadyClient) => Promise<Result>): Promise<Result> {
    const client = this.client();
    try {
      return await this.#answered(call(client));
    } catch (error) {
      throw this.failed(client, error);
    }
  }

  client(): SteadyClient {
    this.#client ??= makeClient(this.#place, this.#leader);
    return this.#client;
  }

  /** What went wrong, in words of icecore. Where the way is broken, the next call goes by another. */
  failed(client: SteadyClient, error: unknown): Error {
    const failure = failureOf(error);
    if (!(failure instanceof Stumble) || failure instanceof AnsweredStumble) return failure;
    if (this.#client === client) {
      this.#leader = leaderIn(error);
      this.#client = null;
      void client.end();
    }
    return failure;
  }

  /** From now on nothing is waited for. */
  end(reason: Error): void {
    this.#ending.abort(reason);
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  async #answered<Result>(answer: Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const most = Math.min(answerMs, this.#place.patience * 1_000);
    const silence = pause(most, undefined, { signal: over.signal }).then(() => {
      throw stumbleOf(`no answer within ${most / 1_000} s`);
    });
    try {
      return await Promise.race([answer, silence]);
    } finally {
      over.abort();
      silence.catch(() => {});
      answer.catch(() => {});
    }
  }
}

function makeClient(place: EventStorePlace, leader: Host | null): SteadyClient {
  const { hosts, discover, tls, ca } = place;
  const [first] = hosts;
  if (first === undefined) throw new TypeError('a place without hosts');
  const security = tls ? (ca === null ? {} : { rootCertificate: readCertificates(ca) }) : { insecure: true };
  const found = eventStoreLogin(place, process.env);
  const login = found === null ? undefined : { username: found.user, password: found.password };
  // The defaults of the client wait for seconds between two questions: whoever calls has patience of his own.
  const finding = { maxDiscoverAttempts: 3, discoveryInterval: 100, gossipTimeout: 3 } as const;
  if (leader !== null) return new SteadyClient({ endpoint: leader }, security, login);
  if (discover) return new SteadyClient({ discover: first, nodePreference: 'leader', ...finding }, security, login);
  if (hosts.length === 1) return new SteadyClient({ endpoint: first }, security, login);
  return new SteadyClient({ endpoints: [...hosts], nodePreference: 'leader', ...finding }, security, login);
}
