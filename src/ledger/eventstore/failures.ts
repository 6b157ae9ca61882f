// What the client throws, in words of icecore.
import {
  AccessDeniedError,
  convertToCommandError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { IcecoreError } from '../../../schemas/errors.ts';
import { Stumble } from '../remote/stumble.ts';
import { EventStoreRefused, EventStoreRejected, ServerUntrusted, TlsMismatch } from './errors.ts';

/** What may go well another time; what was asked may have been done all the same. */
export function stumbleOf(what: string, cause?: unknown): Stumble {
  return new Stumble(what, { maybeDone: true, cause });
}

/** Answers that are no failure of the way, and are left as they are for whoever asked. */
const answers = [
  WrongExpectedVersionError,
  StreamNotFoundError,
  StreamDeletedError,
  MaxAppendSizeExceededError,
] as const;

/** The server says itself that it could not do it: the connection is as good as before. */
export class AnsweredStumble extends Stumble {
  override readonly name = 'AnsweredStumble';

  constructor(what: string) {
    super(what, { maybeDone: true });
  }
}

/** By gRPC. */
const codes = { invalidArgument: 3, permissionDenied: 7, outOfRange: 11, unimplemented: 12 } as const;
const lasting: readonly unknown[] = Object.values(codes);

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}

/** Whether what was asked for lies where no event begins. */
export function isMisplaced(error: unknown): boolean {
  return codeOf(error) === codes.invalidArgument || (error instanceof EventStoreRejected && error.isMisplaced);
}

/** One side is encrypted and the other is not, or the server is named by a number. */
const mismatch = /SSL routines|wrong version number|packet length too long|ServerName to an IP|EPROTO|bad record type/i;

const distrust = /certificate|self[- ]signed|unable to verify|altnames/i;

/** Whatever is not known for lasting may pass: a connection breaks in many ways, and the client names few of them. */
export function failureOf(thrown: unknown): Error {
  const error = thrown instanceof Error ? (convertToCommandError(thrown) ?? thrown) : thrown;
  if (error instanceof IcecoreError || error instanceof Stumble) return error;
  if (!(error instanceof Error)) return stumbleOf(String(error), error);
  if (answers.some((answer) => error instanceof answer)) return error;
  if (error instanceof AccessDeniedError) return new EventStoreRefused('access denied', error);
  if (error instanceof NotLeaderError) {
    const { address, port } = error.leader;
    return stumbleOf(`it does not lead, ${address}:${port} does`, error);
  }
  if (lasting.includes(codeOf(error))) return new EventStoreRejected(error.message, isMisplaced(error), error);
  if (mismatch.test(error.message)) return new TlsMismatch(oneLine(error.message), error);
  if (distrust.test(error.message)) return new ServerUntrusted(error.message, error);
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return stumbleOf(oneLine(error.message), error);
}

/** As gRPC says it, without its empty notes. */
function oneLine(message: string): string {
  return message
    .replace(/\.? *Resolution note:\s*/, '')
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '');
}

/** Null where the error names nobody. */
export function leaderIn(thrown: unknown): { readonly address: string; readonly port: number } | null {
  const error = thrown instanceof Error ? convertToCommandError(thrown) : null;
  return error instanceof NotLeaderError ? error.leader : null;
}
