// A server for tests that speaks EventStoreDB's protocol, in this process: real revisions, real idempotence, real
// refusals, a file it comes back from, and faults on demand. The client does not know the difference.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { Access, type Users } from './access.ts';
import { type AppendCall, append } from './append-call.ts';
import { type BatchAppendCall, BatchAppends } from './batch-append-call.ts';
import { Connections } from './connections.ts';
import { Database, metastreamOf, systemEvent } from './database.ts';
import { softDelete, tombstone } from './delete-calls.ts';
import { clusterInfo, supportedMethods } from './directory.ts';
import { Faults } from './faults.ts';
import { type Call, type Node, requireLeader } from './node.ts';
import { type ReadCall, read, streamRead } from './read-call.ts';
import type { Recorded } from './recorded.ts';
import { type Endpoint, thrown } from './refusals.ts';

export interface TestServerOptions {
  /** Where it keeps its events; without one, in a file that goes with it. */
  readonly file?: string;
  /** Of 127.0.0.1; without one, any that is free. */
  readonly port?: number;
  /** The node of its cluster that keeps the log for both; it is stopped last, and stays while this one serves. */
  readonly beside?: TestServer;
  readonly maxAppendSize?: number;
  /** Old servers have only the call that appends once. */
  readonly hasBatchAppend?: boolean;
  /** In PEM. */
  readonly tls?: { readonly key: string; readonly certificate: string };
  /** Without any, everybody may do everything. */
  readonly users?: Users;
}

const mebibyte = 1024 * 1024;
/** What a client may send at once, and more than that of what it appends. */
const messageLimit = 17 * mebibyte;

export class TestServer implements Node {
  readonly access: Access;
  readonly faults = new Faults(() => this.#connections.cutAll());
  readonly maxAppendSize: number;
  readonly #file: string;
  readonly #temporary: string | null;
  readonly #server = new Server({ 'grpc.max_receive_message_length': messageLimit });
  readonly #connections: Connections;
  readonly #beside: TestServer | null;
  #own: Database | null = null;
  /** One restart after another. */
  #restarted: Promise<void> = Promise.resolve();
  #port: number;

  private constructor(options: TestServerOptions) {
    this.access = new Access(options.users ?? null);
    this.#port = options.port ?? 0;
    this.maxAppendSize = options.maxAppendSize ?? mebibyte;
    this.#temporary = options.file === undefined ? mkdtempSync(join(tmpdir(), 'icecore-esdb-')) : null;
    this.#file = options.file ?? join(this.#temporary ?? '', 'log');
    this.#beside = options.beside ?? null;
    this.#addServices(options.hasBatchAppend ?? true);
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

  get database(): Database {
    const database = this.#beside?.database ?? this.#own;
    if (database === null) throw new Error('the test server is down');
    return database;
  }

  /** What is stored of a stream, or of all, whether it is shown or not. */
  events(stream?: string): readonly Recorded[] {
    return stream === undefined ? this.database.all : this.database.all.filter((event) => event.stream === stream);
  }

  cut(peer: string): void {
    this.#connections.cut(peer);
  }

  /** On the same port, from its file; what was only in memory is forgotten. */
  restart(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    this.#restarted = this.#restarted.then(async () => {
      await this.#close();
      await meanwhile();
      await this.#listen();
    });
    return this.#restarted;
  }

  async stop(): Promise<void> {
    await this.#restarted;
    await this.#close();
    this.#server.forceShutdown();
    if (this.#temporary !== null) rmSync(this.#temporary, { recursive: true });
  }

  async #close(): Promise<void> {
    await this.#connections.close();
    this.#own?.close();
    this.#own = null;
  }

  async #listen(): Promise<void> {
    if (this.#beside === null) this.#own = new Database(this.#file);
    this.#port = await this.#connections.listen(this.#port);
    // A server writes down how it does, so that not all events are somebody's.
    const stats = `$stats-${this.address}`;
    if (this.database.stream(stats).last < 0) {
      this.database.append(metastreamOf(stats), 'any', [systemEvent('$metadata', '{"$maxAge":86400}')]);
    }
    this.database.append(stats, 'any', [systemEvent('$statsCollected', '{"proc-id":1}')]);
  }

  #addServices(hasBatchAppend: boolean): void {
    const { StreamsService } = streamsGrpc;
    const { batchAppend, ...oldService } = StreamsService;
    const service = { ...oldService, read: { ...StreamsService.read, responseSerialize: (answer: Buffer) => answer } };
    const calls = {
      read: (call: ReadCall) => void this.#read(call).catch((error: unknown) => call.emit('error', thrown(error))),
      append: (call: AppendCall, answer: Parameters<handleUnaryCall<unknown, streams.AppendResp>>[1]) =>
        void append(this, call).then(
          (response) => answer(null, response),
          (error: unknown) => answer(thrown(error)),
        ),
      delete: unary((call: Call & { request: streams.DeleteReq }) => softDelete(this, call)),
      tombstone: unary((call: Call & { request: streams.TombstoneReq }) => tombstone(this, call)),
    };
    this.#server.addService(service, calls);
    if (hasBatchAppend) {
      const take = (call: BatchAppendCall) => void new BatchAppends(this, call);
      this.#server.addService({ batchAppend }, { batchAppend: take });
    }
    const methods = supportedMethods(hasBatchAppend);
    this.#server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: unary((_: Call & { request: shared.Empty }) => methods),
    });
    this.#server.addService(gossipGrpc.GossipService, {
      read: unary((_: Call & { request: shared.Empty }) => clusterInfo(this.endpoint, this.faults.leader)),
    });
  }

  async #read(call: ReadCall): Promise<void> {
    this.access.require('read', streamRead(call.request) ?? '$all', this.database, call.metadata);
    requireLeader(this, call);
    const cut = () => this.cut(call.getPeer());
    const isSubscription = call.request.getOptions()?.hasSubscription() ?? false;
    await read(this.database, call, isSubscription ? this.faults.forSubscription(cut) : () => {});
  }
}

function unary<Request, Response>(
  respond: (call: Call & { request: Request }) => Response,
): handleUnaryCall<Request, Response> {
  return (call, answer) => {
    try {
      answer(null, respond(call));
    } catch (error) {
      answer(thrown(error));
    }
  };
}

function credentialsOf({ tls }: TestServerOptions): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) };
  return ServerCredentials.createSsl(null, [pair]);
}

export function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  return TestServer.start(options);
}
