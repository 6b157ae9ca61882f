// The client, with two calls of its own: to append bytes as they are, and to read the server's log as it comes. All else, such as
// finding the server that leads, connecting anew and saying who one is, is the client's.
import { EventStoreDBClient } from '@eventstore/db-client';
import grpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type AppendAnswer, type AppendStream, Appends } from './appends.ts';
import { logRequest, type Proposed } from './messages.ts';

const forever = { deadline: Number.POSITIVE_INFINITY } as const;
const leader = { requiresLeader: true } as const;

const nothing = (): void => undefined;

export type LogStream = ReturnType<grpc.StreamsClient['read']>;

export class SteadyClient extends EventStoreDBClient {
  /** As the base has made it, before it is replaced here. */
  readonly #connect = (this as EventStoreDBClient)['getChannel'];
  #channel: Promise<{ close(): void }> | null = null;
  #open: unknown = null;
  #generation = 0;
  #appends: Promise<Appends> | null = null;

  protected override getChannel = (): ReturnType<EventStoreDBClient['getChannel']> => {
    const channel = this.#connect();
    this.#channel = channel;
    channel.then((open) => {
      if (open !== this.#open) this.#generation++;
      this.#open = open;
    }, nothing);
    return channel;
  };

  /** Another number once it has connected anew, to whichever server: it does so by itself. */
  get generation(): number {
    return this.#generation;
  }

  /** Empty where the server does not say. */
  async serverVersion(): Promise<string> {
    return (await this.capabilities).serverVersion ?? '';
  }

  async appendBytes(stream: string, behind: number, events: readonly Proposed[]): Promise<AppendAnswer> {
    const appends = await this.#appending();
    return await appends.append(stream, behind, events);
  }

  async readLog(behind: number | null, prefixes: readonly string[]): Promise<LogStream> {
    const request = logRequest(behind, prefixes);
    const open = this.GRPCStreamCreator(grpc.StreamsClient, 'readLog', (client) =>
      client.read(request, ...this.callArguments(leader, forever)),
    );
    return await open();
  }

  /** Its own `dispose` waits for streams that say nothing any more, and leaves the connection open. */
  async end(): Promise<void> {
    void this.dispose();
    const channel = await this.#channel?.catch(() => null);
    channel?.close();
  }

  async #appending(): Promise<Appends> {
    const known = await this.#appends?.catch(() => null);
    if (known !== undefined && known !== null && !known.isOver) return known;
    this.#appends = this.#openAppends();
    return await this.#appends;
  }

  async #openAppends(): Promise<Appends> {
    const open = this.GRPCStreamCreator(
      grpc.StreamsClient,
      'appendBytes',
      (client): AppendStream => client.batchAppend(...this.callArguments(leader, forever)),
    );
    return new Appends(await open());
  }
}
