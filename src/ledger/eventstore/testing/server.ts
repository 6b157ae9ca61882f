// A test server in this process that speaks EventStoreDB's protocol: real revisions, idempotence by ids, and faults on demand. The
// client notices no difference; whether a real server behaves the same needs tests with a real one.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerWritableStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Connections } from './connections.ts';
import { Database, type Expected, type Outcome, type Proposed, type Recorded, systemEvent } from './database.ts';
import { type Fate, Faults } from './faults.ts';
import {
  accessDenied,
  type Endpoint,
  invalidPosition,
  maximumAppendSizeExceeded,
  notLeader,
  streamDeleted,
  timedOut,
  unauthenticated,
  unavailable,
} from './refusals.ts';
import { type Filter, type Said, subscription } from './subscriptions.ts';

export interface TestServerOptions {
  /** A port of 127.0.0.1; absent: any free one. */
  readonly port?: number;
  /** The node of its cluster that has the log for both. */
  readonly beside?: TestServer;
  /** In PEM. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** Passwords by name. Without any, everyone may do everything. */
  readonly users?: Readonly<Record<string, string>>;
}

const protocol = loadSync(fileURLToPath(new URL('streams.proto', import.meta.url)), { longs: Number, enums: String });
const service = protocol['event_store.client.streams.Streams'] as ServiceDefinition;

// The messages of streams.proto.

interface Identifier {
  readonly streamName?: Buffer;
}
interface ReadOptions {
  readonly stream?: { readonly streamIdentifier?: Identifier; readonly revision?: number };
  readonly all?: { readonly position?: { readonly commitPosition?: number; readonly preparePosition?: number } };
  readonly readDirection?: 'FORWARDS' | 'BACKWARDS';
  readonly count?: number;
  readonly subscription?: object;
  readonly filter?: {
    readonly streamIdentifier?: { readonly prefix?: readonly string[] };
    readonly max?: number;
    readonly checkpointIntervalMultiplier?: number;
  };
}
interface AppendOptions {
  readonly streamIdentifier?: Identifier;
  readonly revision?: number;
  readonly noStream?: object;
}
interface ProposedMessage {
  readonly id?: { readonly string?: string };
  readonly metadata?: Readonly<Record<string, string>>;
  readonly customMetadata?: Buffer;
  readonly data?: Buffer;
}
interface AppendRequest {
  readonly options?: AppendOptions;
  readonly proposedMessage?: ProposedMessage;
}
/** An answer, which is encoded as the protocol defines it. */
type Response = Readonly<Record<string, object>>;

type AppendCall = ServerReadableStream<AppendRequest, Response>;
type ReadCall = ServerWritableStream<{ readonly options?: ReadOptions }, Response>;
type Answer = (error: Error | null, response?: Response) => void;
interface DeleteCall {
  readonly request: { readonly options?: { readonly streamIdentifier?: Identifier } };
  readonly metadata: Metadata;
}
/** Where an append belongs. */
interface Target {
  readonly stream: string;
  readonly expected: Expected;
}

const mebibyte = 2 ** 20;
/** The server's own streams are never in results filtered by other names. */
const deletedRevision = '9223372036854775807';

export class TestServer {
  readonly faults = new Faults(() => this.#connections.cutAll());
  readonly database: Database;
  /** The number of records and checkpoints sent to subscriptions. */
  said = 0;
  readonly #options: TestServerOptions;
  readonly #server = new Server({ 'grpc.max_receive_message_length': 17 * mebibyte });
  readonly #connections: Connections;
  /** The pending restarts, in sequence. */
  #restarted: Promise<void> = Promise.resolve();
  #port: number;

  private constructor(options: TestServerOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.database = options.beside?.database ?? new Database();
    this.#server.addService(service, {
      read: (call: ReadCall) => void this.#read(call).catch((error: unknown) => call.emit('error', error)),
      append: (call: AppendCall, answer: Answer) =>
        void this.#append(call).then((response) => answer(null, response), answer),
      delete: this.#deleting((stream) => this.database.softDelete(stream)),
      tombstone: this.#deleting((stream) => this.database.tombstone(stream)),
    });
    const injector = this.#server.createConnectionInjector(credentialsOf(options));
    this.#connections = new Connections((socket) => injector.injectConnection(socket));
  }

  static async start(options: TestServerOptions): Promise<TestServer> {
    const server = new TestServer(options);
    await server.#listen();
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get endpoint(): Endpoint {
    return { address: '127.0.0.1', port: this.#port };
  }

  /** On the same port, with the same events. */
  restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    this.#restarted = this.#restarted.then(async () => {
      await this.#connections.close();
      await meanwhile();
      await this.#listen();
    });
    return this.#restarted;
  }

  async stop(): Promise<void> {
    await this.#restarted;
    await this.#connections.close();
    this.#server.forceShutdown();
  }

  async #listen(): Promise<void> {
    this.#port = await this.#connections.listen(this.#port);
    // A server also writes its own statistics, so not all events are from clients.
    this.database.append(`$stats-${this.address}`, 'any', [systemEvent('$statsCollected', '{"proc-id":1}')]);
  }

  #deleting(remove: (stream: string) => void) {
    return (call: DeleteCall, answer: Answer): void => {
      try {
        this.#admit(call.metadata);
        remove(nameIn(call.request.options?.streamIdentifier));
        answer(null, { noPosition: {} });
      } catch (error) {
        answer(error as Error);
      }
    };
  }

  /** Throws for an unknown user, and if another node is the leader. */
  #admit(metadata: Metadata): void {
    const { users } = this.#options;
    if (users !== undefined) {
      const [header] = metadata.get('authorization');
      if (header === undefined) throw accessDenied();
      const [name = '', password] = Buffer.from(`${header}`.replace(/^Basic /iu, ''), 'base64')
        .toString()
        .split(':');
      if (users[name] === undefined || users[name] !== password) throw unauthenticated();
    }
    const { leader } = this.faults;
    if (leader !== null && `${metadata.get('requires-leader')[0]}` === 'true') throw notLeader(leader);
  }

  async #append(call: AppendCall): Promise<Response> {
    let target: Target | null = null;
    const events: Proposed[] = [];
    let size = 0;
    for await (const { options, proposedMessage } of call as AsyncIterable<AppendRequest>) {
      if (options !== undefined) {
        this.#admit(call.metadata);
        target = { stream: nameIn(options.streamIdentifier), expected: expectedIn(options) };
      } else if (proposedMessage !== undefined) {
        const event = proposedIn(proposedMessage);
        size += event.data.length + event.metadata.length + 2 * event.type.length;
        if (size > mebibyte) throw maximumAppendSizeExceeded(mebibyte);
        events.push(event);
      }
    }
    if (target === null) throw new TypeError('an append without a stream');
    return appendResponse(await this.#perform(call.getPeer(), target, events), target);
  }

  async #perform(peer: string, { stream, expected }: Target, events: readonly Proposed[]): Promise<Outcome> {
    const ids = events.map(({ id }) => id);
    const fate = this.faults.fateOf(stream, ids);
    if (fate !== null && 'refusal' in fate) throw fate.refusal;
    if (fate !== null && 'lost' in fate && fate.lost === 'before') return this.#lose(peer, fate);
    const outcome = this.database.append(stream, expected, events);
    if (fate !== null && 'heldUntil' in fate) await fate.heldUntil;
    return fate !== null && 'lost' in fate ? this.#lose(peer, fate) : outcome;
  }

  #lose(peer: string, { how }: Extract<Fate, { lost: string }>): Promise<Outcome> {
    if (how === 'timeout') throw timedOut();
    if (how === 'unavailable') throw unavailable();
    if (how === 'cut') this.#connections.cut(peer);
    if (how === 'restart') void this.restart();
    return new Promise(() => {});
  }

  async #read(call: ReadCall): Promise<void> {
    this.#admit(call.metadata);
    const { options = {} } = call.request;
    const ended = new AbortController();
    for (const end of ['cancelled', 'error', 'close']) call.on(end, () => ended.abort());
    const answers =
      options.subscription !== undefined ? this.#subscribed(call, options, ended.signal) : this.#once(options);
    for await (const answer of answers) {
      if (ended.signal.aborted) return;
      if (!call.write(answer)) await once(call, 'drain', { signal: ended.signal }).catch(() => {});
    }
    call.end();
  }

  *#once(options: ReadOptions): Generator<Response> {
    const { stream, count = 0 } = options;
    const events =
      stream === undefined ? this.#allEvents(options) : this.#streamEvents(nameIn(stream.streamIdentifier), options);
    if (events === null) return yield { streamNotFound: { streamIdentifier: stream?.streamIdentifier } };
    for (const event of events.slice(0, count)) yield eventAnswer(event);
  }

  #streamEvents(name: string, { stream, readDirection }: ReadOptions): readonly Recorded[] | null {
    if (this.database.isTombstoned(name)) throw streamDeleted(name);
    const shown = this.database.shown(name);
    if (shown === null) return null;
    const from = stream?.revision;
    if (readDirection !== 'BACKWARDS') return shown.filter(({ revision }) => revision >= (from ?? 0));
    return shown.filter(({ revision }) => revision <= (from ?? Number.POSITIVE_INFINITY)).toReversed();
  }

  #allEvents({ all, readDirection }: ReadOptions): readonly Recorded[] {
    const place = all?.position;
    const index = place === undefined ? null : this.database.indexFrom(place.commitPosition ?? 0);
    if (place !== undefined && index === null) throw invalidPosition();
    if (readDirection === 'BACKWARDS') return this.database.all.slice(0, index ?? undefined).reverse();
    return this.database.all.slice(index ?? 0);
  }

  async *#subscribed(call: ReadCall, options: ReadOptions, ended: AbortSignal): AsyncGenerator<Response> {
    yield { confirmation: { subscriptionId: randomUUID() } };
    const place = options.all?.position;
    const dropIfDue = this.faults.forSubscription(() => this.#connections.cut(call.getPeer()));
    const after =
      place === undefined ? null : { commit: place.commitPosition ?? 0, prepare: place.preparePosition ?? 0 };
    let sent = 0;
    for await (const said of subscription(this.database, after, filterIn(options), ended)) {
      if (said.kind !== 'caught-up') {
        dropIfDue(sent++);
        this.said++;
      }
      yield saidAnswer(said);
    }
  }
}

function filterIn({ filter = {} }: ReadOptions): Filter {
  const prefixes = filter.streamIdentifier?.prefix ?? [''];
  const { max: window = 32, checkpointIntervalMultiplier = 1 } = filter;
  const interval = checkpointIntervalMultiplier * window;
  return { matches: ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)), window, interval };
}

function saidAnswer(said: Said): Response {
  if (said.kind === 'event') return eventAnswer(said.event);
  if (said.kind === 'caught-up') return { caughtUp: {} };
  return { checkpoint: { commitPosition: said.place.commit, preparePosition: said.place.prepare } };
}

function eventAnswer({ id, stream, revision, position, type, created, isJson, metadata, data }: Recorded): Response {
  const event = {
    id: { string: id },
    streamIdentifier: { streamName: Buffer.from(stream) },
    streamRevision: Number.isFinite(revision) ? revision : deletedRevision,
    preparePosition: position,
    commitPosition: position,
    metadata: {
      type,
      created: `${created * 10_000}`,
      'content-type': isJson ? 'application/json' : 'application/octet-stream',
    },
    customMetadata: metadata,
    data,
  };
  return { event: { event, commitPosition: position } };
}

function appendResponse(outcome: Outcome, { stream, expected }: Target): Response {
  if (outcome.kind === 'deleted') throw streamDeleted(stream);
  if (outcome.kind === 'wrong-revision') {
    const isRevision = typeof expected === 'number' && expected >= 0;
    const wrongExpectedVersion = {
      ...(isRevision ? { expectedRevision: expected } : { expectedNoStream: {} }),
      ...(outcome.actual < 0 ? { currentNoStream: {} } : { currentRevision: outcome.actual }),
    };
    return { wrongExpectedVersion };
  }
  const { revision, position } = outcome;
  const place = { commitPosition: position, preparePosition: position };
  return { success: { currentRevision: revision, position: place } };
}

function expectedIn({ revision, noStream }: AppendOptions): Expected {
  return revision ?? (noStream === undefined ? 'any' : -1);
}

function proposedIn({ id, metadata = {}, data, customMetadata }: ProposedMessage): Proposed {
  return {
    id: id?.string?.toLowerCase() ?? '',
    type: metadata['type'] ?? '',
    isJson: metadata['content-type'] === 'application/json',
    data: data ?? Buffer.alloc(0),
    metadata: customMetadata ?? Buffer.alloc(0),
  };
}

function nameIn(identifier: Identifier | undefined): string {
  return identifier?.streamName?.toString() ?? '';
}

function credentialsOf({ tls }: TestServerOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) };
  return ServerCredentials.createSsl(null, [pair]);
}

export function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return TestServer.start(options);
}
