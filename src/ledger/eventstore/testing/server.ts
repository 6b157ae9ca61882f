// A test server in this process that speaks EventStoreDB's protocol: real revisions, idempotence by ids, and faults on demand. The
// client notices no difference; whether a real server behaves the same needs tests with a real one.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerWritableStream,
} from '@grpc/grpc-js';
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
  thrown,
  timedOut,
  unauthenticated,
  unavailable,
  unknownRefusal,
} from './refusals.ts';
import { type Filter, type Said, subscription } from './subscriptions.ts';

export interface TestServerOptions {
  /** A port of 127.0.0.1; absent: any free one. */
  readonly port?: number;
  /** The node of its cluster that has the log for both. */
  readonly beside?: TestServer;
  readonly maxAppendSize?: number;
  /** In PEM. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** Passwords by name. Without any, everyone may do everything. */
  readonly users?: Readonly<Record<string, string>>;
}

type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;
type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;
type Answer<Response> = (error: Error | null, response?: Response) => void;
interface Call<Request> {
  readonly request: Request;
  readonly metadata: Metadata;
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
    this.#server.addService(streamsGrpc.StreamsService, {
      read: (call: ReadCall) => void this.#read(call).catch((error: unknown) => call.emit('error', thrown(error))),
      append: (call: AppendCall, answer: Answer<streams.AppendResp>) =>
        void this.#append(call).then(
          (response) => answer(null, response),
          (error: unknown) => answer(thrown(error)),
        ),
      delete: this.#unary((call: Call<streams.DeleteReq>) => {
        this.database.softDelete(nameIn(call.request.getOptions()?.getStreamIdentifier()));
        return new streams.DeleteResp().setNoPosition(new shared.Empty());
      }),
      tombstone: this.#unary((call: Call<streams.TombstoneReq>) => {
        this.database.tombstone(nameIn(call.request.getOptions()?.getStreamIdentifier()));
        return new streams.TombstoneResp().setNoPosition(new shared.Empty());
      }),
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

  #unary<Request, Response>(respond: (call: Call<Request>) => Response) {
    return (call: Call<Request>, answer: Answer<Response>): void => {
      try {
        this.#admit(call.metadata);
        answer(null, respond(call));
      } catch (error) {
        answer(thrown(error));
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

  async #append(call: AppendCall): Promise<streams.AppendResp> {
    let target: { readonly stream: string; readonly expected: Expected } | null = null;
    const events: Proposed[] = [];
    let size = 0;
    for await (const request of call as AsyncIterable<streams.AppendReq>) {
      const options = request.getOptions();
      const message = request.getProposedMessage();
      if (options !== undefined) {
        this.#admit(call.metadata);
        target = { stream: nameIn(options.getStreamIdentifier()), expected: expectedIn(options) };
      } else if (message !== undefined) {
        const event = proposedIn(message);
        size += event.data.length + event.metadata.length + 2 * event.type.length;
        if (size > (this.#options.maxAppendSize ?? mebibyte)) {
          throw maximumAppendSizeExceeded(this.#options.maxAppendSize ?? mebibyte);
        }
        events.push(event);
      }
    }
    if (target === null) throw new TypeError('an append without a stream');
    return appendResponse(await this.#perform(call.getPeer(), target, events), target);
  }

  async #perform(
    peer: string,
    { stream, expected }: { readonly stream: string; readonly expected: Expected },
    events: readonly Proposed[],
  ): Promise<Outcome> {
    const ids = events.map(({ id }) => id);
    const fate = this.faults.fateOf(stream, ids);
    if (fate !== null && 'leader' in fate) throw notLeader(fate.leader);
    if (fate !== null && 'refused' in fate) throw unknownRefusal();
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
    const options = call.request.getOptions() as streams.ReadReq.Options;
    const ended = new AbortController();
    for (const end of ['cancelled', 'error', 'close']) call.on(end, () => ended.abort());
    const answers = options.hasSubscription() ? this.#subscribed(call, options, ended.signal) : this.#once(options);
    for await (const answer of answers) {
      if (ended.signal.aborted) return;
      if (!call.write(answer)) await once(call, 'drain', { signal: ended.signal }).catch(() => {});
    }
    call.end();
  }

  *#once(options: streams.ReadReq.Options): Generator<streams.ReadResp> {
    const identifier = options.getStream()?.getStreamIdentifier();
    const events =
      identifier === undefined ? this.#allEvents(options) : this.#streamEvents(nameIn(identifier), options);
    if (events === null) {
      const missing = new streams.ReadResp.StreamNotFound();
      missing.setStreamIdentifier(identifier);
      return yield new streams.ReadResp().setStreamNotFound(missing);
    }
    for (const event of events.slice(0, Number(options.getCount()))) yield eventAnswer(event);
  }

  #streamEvents(name: string, options: streams.ReadReq.Options): readonly Recorded[] | null {
    if (this.database.isTombstoned(name)) throw streamDeleted(name);
    const shown = this.database.shown(name);
    if (shown === null) return null;
    const stream = options.getStream();
    const from = stream?.hasRevision() ? Number(stream.getRevision()) : null;
    if (!isBackwards(options)) return shown.filter(({ revision }) => revision >= (from ?? 0));
    return shown.filter(({ revision }) => revision <= (from ?? Number.POSITIVE_INFINITY)).toReversed();
  }

  #allEvents(options: streams.ReadReq.Options): readonly Recorded[] {
    const position = options.getAll()?.getPosition()?.getCommitPosition();
    const index = position === undefined ? null : this.database.indexFrom(Number(position));
    if (position !== undefined && index === null) throw invalidPosition();
    if (isBackwards(options)) return this.database.all.slice(0, index ?? undefined).reverse();
    return this.database.all.slice(index ?? 0);
  }

  async *#subscribed(
    call: ReadCall,
    options: streams.ReadReq.Options,
    ended: AbortSignal,
  ): AsyncGenerator<streams.ReadResp> {
    const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
    yield new streams.ReadResp().setConfirmation(confirmation);
    const position = options.getAll()?.getPosition();
    const dropIfDue = this.faults.forSubscription(() => this.#connections.cut(call.getPeer()));
    const [commit, prepare] = [Number(position?.getCommitPosition()), Number(position?.getPreparePosition())];
    const after = position === undefined ? null : { commit, prepare };
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

function filterIn(options: streams.ReadReq.Options): Filter {
  const filter = options.getFilter();
  const prefixes = filter?.getStreamIdentifier()?.getPrefixList() ?? [''];
  const window = filter?.hasMax() ? filter.getMax() : 32;
  const interval = (filter?.getCheckpointintervalmultiplier() ?? 1) * window;
  return { matches: ({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)), window, interval };
}

function saidAnswer(said: Said): streams.ReadResp {
  if (said.kind === 'event') return eventAnswer(said.event);
  if (said.kind === 'caught-up') return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(`${said.place.commit}`).setPreparePosition(`${said.place.prepare}`);
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

function eventAnswer(event: Recorded): streams.ReadResp {
  const place = `${event.position}`;
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(Number.isFinite(event.revision) ? `${event.revision}` : deletedRevision)
    .setPreparePosition(place)
    .setCommitPosition(place)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', `${event.created * 10_000}`)
    .set('content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  const read = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(place);
  return new streams.ReadResp().setEvent(read);
}

function appendResponse(
  outcome: Outcome,
  { stream, expected }: { readonly stream: string; readonly expected: Expected },
): streams.AppendResp {
  if (outcome.kind === 'deleted') throw streamDeleted(stream);
  if (outcome.kind === 'wrong-revision') {
    const mismatch = new streams.AppendResp.WrongExpectedVersion();
    if (typeof expected === 'number' && expected >= 0) mismatch.setExpectedRevision(`${expected}`);
    else mismatch.setExpectedNoStream(new shared.Empty());
    if (outcome.actual < 0) mismatch.setCurrentNoStream(new shared.Empty());
    else mismatch.setCurrentRevision(`${outcome.actual}`);
    return new streams.AppendResp().setWrongExpectedVersion(mismatch);
  }
  const success = new streams.AppendResp.Success().setCurrentRevision(`${outcome.revision}`);
  const place = `${outcome.position}`;
  success.setPosition(new streams.AppendResp.Position().setCommitPosition(place).setPreparePosition(place));
  return new streams.AppendResp().setSuccess(success);
}

function expectedIn(options: streams.AppendReq.Options): Expected {
  if (options.hasRevision()) return Number(options.getRevision());
  if (options.hasNoStream()) return -1;
  return options.hasStreamExists() ? 'exists' : 'any';
}

function proposedIn(message: streams.AppendReq.ProposedMessage): Proposed {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString().toLowerCase() ?? '',
    type: metadata.get('type') ?? '',
    isJson: metadata.get('content-type') === 'application/json',
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
}

function nameIn(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
}

function isBackwards(options: streams.ReadReq.Options): boolean {
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
}

function credentialsOf({ tls }: TestServerOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) };
  return ServerCredentials.createSsl(null, [pair]);
}

export function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return TestServer.start(options);
}
