// The inner parts of kafkajs that the transport stands on, with their types. Its public consumer reads only as a member of
// a consumer group, and its public producer can lose a batch or store one twice when several are under way. The package
// names its files freely, and is pinned to a version that no longer changes.

import { createRequire } from 'node:module';
import type { Logger } from 'kafkajs';
import type { SocketFactory } from './frames.ts';

const require = createRequire(import.meta.url);

/** Bytes of a request, put together. */
export interface Encoder {
  writeInt8(value: number): Encoder;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeString(value: string | null): Encoder;
  writeBuffer(value: Buffer): Encoder;
}

/** A request of Kafka's protocol, and how its answer is read. */
export interface Exchange<Answer> {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    encode(): Promise<Encoder>;
  };
  readonly response: {
    decode(raw: Buffer): Promise<Answer>;
    parse(answer: Answer): Promise<Answer>;
  };
}

export interface Socket {
  destroy(error: Error): void;
}

interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly clientId: string;
  readonly ssl: object | null;
  readonly sasl: object | null;
  readonly logger: Logger;
  readonly socketFactory: SocketFactory;
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
}

export interface Connection {
  readonly socket?: Socket;
}

export interface ConnectionPool {
  pool: Connection[];
  send<Answer>(exchange: Exchange<Answer>): Promise<Answer>;
  getConnection(index?: number): Promise<Connection>;
  getConnectionByRequest(exchange: Exchange<unknown>): Promise<Connection>;
}

/** Knows a broker's versions, and tells it who asks. */
export interface Broker {
  readonly connectionPool: ConnectionPool;
  connect(): Promise<void>;
  isConnected(): boolean;
}

interface BrokerOptions {
  readonly connectionPool: ConnectionPool;
  readonly logger: Logger;
  readonly authenticationTimeout: number;
}

/** What kafkajs makes of a number in an answer. */
export interface ProtocolError extends Error {
  readonly type: string;
  readonly code: number;
  readonly retriable: boolean;
}

interface Definition {
  protocol(version: { readonly version: number }): (asked: object) => Exchange<unknown>;
}

type Defined =
  | 'Fetch'
  | 'ListOffsets'
  | 'Metadata'
  | 'CreateTopics'
  | 'DeleteTopics'
  | 'DescribeConfigs'
  | 'InitProducerId'
  | 'GroupCoordinator'
  | 'JoinGroup'
  | 'SyncGroup'
  | 'Heartbeat'
  | 'LeaveGroup';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

export const ConnectionPool: new (
  options: ConnectionOptions,
) => ConnectionPool = require('kafkajs/src/network/connectionPool');
export const Broker: new (options: BrokerOptions) => Broker = require('kafkajs/src/broker');
export const Encoder: new (size?: number) => Encoder = require('kafkajs/src/protocol/encoder');
export const crc32c: (bytes: Buffer) => number = require('kafkajs/src/protocol/recordBatch/crc32C');
export const socketFactory: () => SocketFactory = require('kafkajs/src/network/socketFactory');
export const createErrorFromCode: (code: number) => ProtocolError =
  require('kafkajs/src/protocol/error').createErrorFromCode;
export const createLogger: (options: { level: number; logCreator: () => () => void }) => Logger =
  require('kafkajs/src/loggers').createLogger;

const definitions: Readonly<Record<Defined, Definition>> = require('kafkajs/src/protocol/requests').requests;

/**
 * A request as kafkajs writes it, and its answer as it stands: what kafkajs makes of the errors in an answer no longer says
 * which topic they are of.
 */
export function exchange<Answer>(name: Defined, version: number, asked: object): Exchange<Answer> {
  const { request, response } = definitions[name].protocol({ version })(asked) as Exchange<Answer>;
  return { request, response: { decode: response.decode, parse: async (answer) => answer } };
}

// kafkajs sets a timer for requests that wait even where none does, to a time long past, of which Node warns.
const queue: RequestQueue = require('kafkajs/src/network/requestQueue').prototype;
const { scheduleCheckPendingRequests } = queue;
queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
};
