// Errors of requests, and the HTTP status of every error.
import { type ErrorKind, IcecoreError } from '../../schemas/errors.ts';
import { errorObject, icecoreErrorOf } from '../library/faults.ts';

/** An error with a status of its own. */
export class RequestRefused extends IcecoreError {
  override readonly name = 'RequestRefused';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    kind: ErrorKind,
    message: string,
    { remedy = '', facts = {}, headers = {} }: RefusedOptions = {},
  ) {
    super(kind, message, { remedy, facts });
    this.status = status;
    this.headers = headers;
  }
}

interface RefusedOptions {
  readonly remedy?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const statuses: Readonly<Record<ErrorKind, number>> = {
  usage: 400,
  'bad-input': 400,
  'not-found': 404,
  conflict: 409,
  unsupported: 501,
  'newer-format': 501,
  damaged: 500,
  storage: 507,
  unavailable: 503,
  untrusted: 403,
  interrupted: 503,
  internal: 500,
};

function statusOf(error: IcecoreError): number {
  return error instanceof RequestRefused ? error.status : statuses[error.kind];
}

/** The error of a request whose signal aborted with this reason, or that failed with it. */
export function requestError(fault: unknown, seconds: number): IcecoreError {
  if (fault instanceof DOMException && fault.name === 'TimeoutError')
    return new RequestRefused(503, 'unavailable', `the answer took longer than ${seconds} s`, {
      remedy: 'Ask for less, or use the command line, which has no limit of time.',
    });
  if (fault === stopping) return new IcecoreError('interrupted', 'the server is stopping');
  if (fault instanceof Error) return icecoreErrorOf(fault);
  return new IcecoreError('interrupted', String(fault));
}

/** The reason of signals that abort because the server stops. */
export const stopping = 'the server is stopping';

/** Errors of options that are parameters here name them as such. */
export function errorInAnswer(error: IcecoreError): Record<string, unknown> {
  const { message, facts, remedy } = error;
  const said = errorObject(error, remedy);
  const { field } = facts;
  if (typeof field !== 'string' || !field.startsWith('--')) return said;
  const parameter = field.slice(2);
  return { ...said, field: parameter, message: message.startsWith(field) ? message.slice(2) : message };
}

export function errorResponse(error: IcecoreError): Response {
  const headers = error instanceof RequestRefused ? error.headers : {};
  return Response.json({ error: errorInAnswer(error) }, { status: statusOf(error), headers: { ...headers } });
}
