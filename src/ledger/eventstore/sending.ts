// Sending events to a stream: always behind an exact revision, so that of two who send at once the server says who was first,
// and so that what is sent again because no answer came is stored once: of exact revisions the server knows for ever what
// stands there. What is more than one append may hold goes in several, one behind the other.
import { MaxAppendSizeExceededError, StreamDeletedError, StreamNotFoundError } from '@eventstore/db-client';
import { unlessAborted } from '../remote/unless-aborted.ts';
import type { Connection } from './connection.ts';
import { AppendTooLarge, streamDeleted } from './errors.ts';
import type { Proposed } from './messages.ts';
import type { StreamNames } from './streams.ts';
import { bytesOf, type Outgoing, proposedOf } from './wire.ts';

/** The server takes 1 MiB in one append unless it is told otherwise. */
const mostBytes = 2 ** 20 - 4096;

interface Piece {
  readonly events: readonly Proposed[];
  readonly bytes: number;
}

export interface Sent {
  /** Of the last event; null where the server does not say it. */
  readonly position: number | null;
}

/** Somebody else's event stands where the next one was to come. */
export interface Overtaken {
  /** So many were stored before it. */
  readonly refusedBehind: number;
}

export class Sending {
  readonly #connection: Connection;
  readonly #names: StreamNames;

  constructor(connection: Connection, names: StreamNames) {
    this.#connection = connection;
    this.#names = names;
  }

  /** Stores the events behind a revision (-1: as the first of the stream). */
  async send(
    stream: string,
    behind: number,
    outgoing: readonly Outgoing[],
    signal: AbortSignal,
  ): Promise<Sent | Overtaken> {
    let stored = 0;
    let last: Sent = { position: null };
    for (const piece of piecesOf(outgoing)) {
      const sent = await this.#sendPiece(stream, behind + stored, piece, signal);
      if (sent === null) return { refusedBehind: stored };
      last = sent;
      stored += piece.events.length;
    }
    return last;
  }

  /** The revision that the stream goes on with, as the server says. */
  async nextOf(stream: string, signal: AbortSignal): Promise<number> {
    const name = this.#names.onServer(stream);
    const backwards = { direction: 'backwards', fromRevision: 'end', maxCount: 1, requiresLeader: true } as const;
    const asked = this.#connection.ask(async (client) => {
      try {
        for await (const { event } of client.readStream(name, backwards)) return Number(event?.revision ?? -1) + 1;
      } catch (error) {
        if (error instanceof StreamDeletedError) throw streamDeleted(name);
        if (!(error instanceof StreamNotFoundError)) throw error;
      }
      return 0;
    });
    return await unlessAborted(asked, signal);
  }

  async #sendPiece(
    stream: string,
    behind: number,
    { events, bytes }: Piece,
    signal: AbortSignal,
  ): Promise<Sent | null> {
    const name = this.#names.onServer(stream);
    let tries = 0;
    try {
      const asked = this.#connection.ask((client) => {
        tries++;
        return client.appendBytes(name, behind, events);
      });
      // Who stops does not wait for a server that is away: what was sent may arrive, and is found by whoever appends next.
      const answer = await unlessAborted(asked, signal);
      if (answer === 'wrong-revision') return null;
      // Of what was stored before, the server may answer the position of its first event.
      return tries > 1 ? { position: null } : answer;
    } catch (error) {
      if (error instanceof StreamDeletedError) throw streamDeleted(name);
      if (error instanceof MaxAppendSizeExceededError) throw new AppendTooLarge(name, bytes, error);
      throw error;
    }
  }
}

function* piecesOf(outgoing: readonly Outgoing[]): Generator<Piece> {
  let events: Proposed[] = [];
  let bytes = 0;
  for (const one of outgoing) {
    const event = proposedOf(one);
    const size = bytesOf(event);
    if (events.length > 0 && bytes + size > mostBytes) {
      yield { events, bytes };
      events = [];
      bytes = 0;
    }
    events.push(event);
    bytes += size;
  }
  if (events.length > 0) yield { events, bytes };
}
