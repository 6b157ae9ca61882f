// What the calls of a server work on.
import type { Metadata } from '@grpc/grpc-js';
import type { Access } from './access.ts';
import type { Database } from './database.ts';
import type { Faults } from './faults.ts';
import { notLeader } from './refusals.ts';

export interface Node {
  /** Another one after a restart. */
  readonly database: Database;
  readonly access: Access;
  readonly faults: Faults;
  readonly maxAppendSize: number;
  /** Cuts the connection of a peer. */
  cut(peer: string): void;
  restart(): Promise<void>;
}

/** What is the same in all kinds of calls. */
export interface Call {
  readonly metadata: Metadata;
  getPeer(): string;
}

/** Throws a Refusal when the call is for a leader and this node is none. */
export function requireLeader({ faults: { leader } }: Node, { metadata }: Call): void {
  if (leader !== null && `${metadata.get('requires-leader')[0]}`.toLowerCase() === 'true') throw notLeader(leader);
}
