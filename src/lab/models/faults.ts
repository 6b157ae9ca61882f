// Errors between icecore and a model. Each kind has a class with its facts, and says whether a retry may help and
// whether the endpoint may charge for it.
import { type ErrorKind, type Facts, IcecoreError } from '../../../schemas/errors.ts';

export type FaultKind =
  | 'unreachable'
  | 'timeout'
  | 'cut-short'
  | 'too-large'
  | 'redirected'
  | 'not-http'
  | 'rate-limited'
  | 'quota'
  | 'unauthorised'
  | 'bad-request'
  | 'server-error'
  | 'not-json'
  | 'no-answer'
  | 'refusal'
  | 'content-filter'
  | 'tool-calls'
  | 'spending-cap';

/** Which model failed: part of every message. Contains nothing secret. */
export interface Place {
  /** The entry in the configuration file. */
  readonly entry: string;
  readonly url: string;
  /** The name of the variable with the key. */
  readonly key: string | null;
}

interface FaultDetails {
  readonly kind?: ErrorKind;
  readonly facts?: Facts;
  readonly remedy?: string;
  readonly cause?: unknown;
}

export abstract class ModelFault extends IcecoreError {
  abstract readonly fault: FaultKind;
  /** Whether a retry may succeed. */
  readonly isPassing: boolean = false;
  /** Whether every other question would fail too, so that there is no point in asking. */
  readonly isHopeless: boolean = false;
  /** Whether the endpoint may have done the work and may charge for it. */
  readonly mayBePaid: boolean = false;
  readonly place: Place;

  constructor(place: Place, words: string, { kind = 'unavailable', facts = {}, remedy, cause }: FaultDetails = {}) {
    super(kind, `the model ${place.entry} at ${place.url}: ${words}`, {
      facts: { model: place.entry, url: place.url, ...facts },
      ...(remedy === undefined ? {} : { remedy }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.place = place;
  }

  /** The same fault after this number of attempts. */
  after(attempts: number): this {
    if (attempts > 1) this.message += ` (${attempts} attempts)`;
    return this;
  }
}

// Transport errors: no connection, a timeout, an incomplete or oversized response.

/** No connection, or a connection that closed before the response. */
export class Unreachable extends ModelFault {
  override readonly name = 'Unreachable';
  override readonly fault: FaultKind = 'unreachable';
  override readonly isPassing: boolean;
  override readonly mayBePaid: boolean;

  constructor(place: Place, code: string, words: string, wasSent: boolean, cause?: unknown) {
    super(place, words, { facts: { code }, cause, remedy: 'Check that it runs, and the address in "url".' });
    this.mayBePaid = wasSent;
    this.isPassing = !isLasting(code);
  }
}

/** A retry does not help against a bad certificate, a server without TLS or a host that does not exist. */
function isLasting(code: string): boolean {
  return /CERT|SIGNATURE|SELF_SIGNED|ERR_TLS|EPROTO|ERR_SSL|ENOTFOUND/.test(code);
}

export type Waited = 'connect' | 'firstByte' | 'whole';

const waitedFor: Readonly<Record<Waited, string>> = {
  connect: 'could not connect',
  firstByte: 'no response began',
  whole: 'the response was not complete',
};

export class TimedOut extends ModelFault {
  override readonly name = 'TimedOut';
  override readonly fault: FaultKind = 'timeout';
  override readonly isPassing: boolean;
  override readonly mayBePaid: boolean;

  constructor(place: Place, waited: Waited, ms: number) {
    const seconds = ms / 1000;
    super(place, `${waitedFor[waited]} within ${seconds} s`, {
      facts: { waited, seconds },
      remedy: `Give it more time, "timeout": {"${waited}": ${2 * seconds}}, or let it say less with max_tokens.`,
    });
    // A slow endpoint is likely to be slow again, and would charge each time.
    this.isPassing = waited === 'connect';
    this.mayBePaid = waited !== 'connect';
  }
}

/** The connection closed during the response, or the response was incomplete. */
export class CutShort extends ModelFault {
  override readonly name = 'CutShort';
  override readonly fault: FaultKind = 'cut-short';
  override readonly isPassing = true;
  override readonly mayBePaid = true;

  constructor(place: Place, bytes: number, cause?: unknown) {
    super(place, `its response ended early after ${bytes} bytes`, {
      facts: { bytes },
      cause,
      remedy: 'Check the server and what is between; for a gateway that cuts silent connections, set "stream": true.',
    });
  }
}

export class TooLarge extends ModelFault {
  override readonly name = 'TooLarge';
  override readonly fault: FaultKind = 'too-large';
  override readonly mayBePaid = true;

  constructor(place: Place, what: 'answer' | 'head of its answer', most: number) {
    super(place, `the ${what} is larger than ${most} bytes`, {
      facts: { most },
      remedy: 'Limit its answers with "max_tokens" in "parameters", and check that "url" is that of the model.',
    });
  }
}

/** The other address is not trusted, so the key is not sent there. */
export class Redirected extends ModelFault {
  override readonly name = 'Redirected';
  override readonly fault: FaultKind = 'redirected';
  override readonly isHopeless = true;

  constructor(place: Place, status: number, location: string) {
    super(place, `it redirects to ${location}; redirects are not followed (status ${status})`, {
      kind: 'bad-input',
      facts: { status, location },
      remedy: 'If that is the right address, set it as "url", without /chat/completions.',
    });
  }
}

/** The server does not speak HTTP. */
export class NotHttp extends ModelFault {
  override readonly name = 'NotHttp';
  override readonly fault: FaultKind = 'not-http';

  constructor(place: Place, code: string, cause: unknown) {
    super(place, `its response is not HTTP (${code})`, {
      facts: { code },
      cause,
      remedy: 'Check the port in "url", and whether it is http or https.',
    });
  }
}

// Error responses of endpoints: refused, unavailable, or an invalid question.

/** The status and message of an endpoint, as far as they may be shown. */
export interface Said {
  readonly status: number;
  readonly says: string;
}

const quoted = ({ status, says }: Said): string => (says === '' ? `status ${status}` : `status ${status}: ${says}`);

/** Its message is not shown, because some endpoints quote the key. */
export class Unauthorised extends ModelFault {
  override readonly name = 'Unauthorised';
  override readonly fault: FaultKind = 'unauthorised';
  override readonly isHopeless = true;

  constructor(place: Place, status: number) {
    const { entry, key } = place;
    const words = key === null ? 'it requires a key' : `it does not accept the key in ${key}`;
    super(place, `${words} (status ${status})`, {
      kind: 'bad-input',
      facts: { status, key },
      remedy:
        key === null
          ? `Name the variable that has it: "${entry}": {"key": "NAME_OF_VARIABLE"}.`
          : `Check the value of ${key}.`,
    });
  }
}

/** The key is valid, but not for this country, model or organisation. */
export class Forbidden extends ModelFault {
  override readonly name = 'Forbidden';
  override readonly fault: FaultKind = 'unauthorised';
  override readonly isHopeless = true;

  constructor(place: Place, said: Said) {
    const key = place.key ?? 'none';
    super(place, `it forbids this (key: ${key}; ${quoted(said)})`, {
      kind: 'bad-input',
      facts: { ...said, key: place.key },
      remedy: 'Check that the account may use this "model", from where you are.',
    });
  }
}

/** A longer requested delay is treated as a failure. */
export const longestWaitMs = 5 * 60_000;

export class RateLimited extends ModelFault {
  override readonly name = 'RateLimited';
  override readonly fault: FaultKind = 'rate-limited';
  override readonly isPassing = true;
  /** The requested delay; null if there is none. */
  readonly waitMs: number | null;

  constructor(place: Place, said: Said, waitMs: number | null) {
    const wait = waitMs === null ? '' : `; retry after ${Math.ceil(waitMs / 1000)} s`;
    super(place, `too many requests (${quoted(said)})${wait}`, {
      facts: { ...said, waitSeconds: waitMs === null ? null : waitMs / 1000 },
      remedy: `${waitMs !== null && waitMs > longestWaitMs ? 'Wait that long' : 'Lower "concurrency" or set "tokensPerMinute"'}, and run the same command again: recorded answers are reused.`,
    });
    this.waitMs = waitMs;
  }
}

/** The account has no money or quota left: a short wait does not help. */
export class QuotaSpent extends ModelFault {
  override readonly name = 'QuotaSpent';
  override readonly fault: FaultKind = 'quota';
  override readonly isHopeless = true;

  constructor(place: Place, said: Said, code: string) {
    super(place, `the account has nothing left (${code}; ${quoted(said)})`, {
      facts: { ...said, code },
      remedy: 'Check the account, and run the same command again: recorded answers are reused.',
    });
  }
}

export class BadRequest extends ModelFault {
  override readonly name = 'BadRequest';
  override readonly fault: FaultKind = 'bad-request';

  constructor(place: Place, said: Said) {
    super(place, `it cannot do this (${quoted(said)})`, {
      kind: 'bad-input',
      facts: { ...said },
      remedy:
        said.status === 404
          ? 'Check "model", and that "url" is everything before /chat/completions: it usually ends in /v1.'
          : 'Check "model" and "parameters".',
    });
  }
}

/** The server of a model did not load a checkpoint. */
export class NotServed extends ModelFault {
  override readonly name = 'NotServed';
  override readonly fault: FaultKind = 'bad-request';
  override readonly isHopeless = true;

  constructor(place: Place, adapter: string, why: string, remedy: string) {
    super(place, `it does not serve ${adapter}: ${why}`, { facts: { adapter, why }, remedy });
  }
}

export class ServerFailed extends ModelFault {
  override readonly name = 'ServerFailed';
  override readonly fault: FaultKind = 'server-error';
  override readonly isPassing = true;
  /** The requested delay; null if there is none. */
  readonly waitMs: number | null;

  constructor(place: Place, said: Said, waitMs: number | null = null) {
    super(place, `it failed (${quoted(said)})`, {
      facts: { ...said },
      remedy: 'Wait until it works again, or look into the log of your server; recorded answers are reused.',
    });
    this.waitMs = waitMs;
  }
}

// Responses without a usable answer.

/** The start of what was found instead, for the message. */
export interface Found {
  readonly status: number;
  readonly contentType: string;
  readonly begins: string;
}

export class NotJson extends ModelFault {
  override readonly name = 'NotJson';
  override readonly fault: FaultKind = 'not-json';
  override readonly mayBePaid = true;

  constructor(place: Place, what: string, found: Found) {
    super(place, `it answers ${what} instead of JSON (${found.contentType}): ${JSON.stringify(found.begins)}`, {
      facts: { ...found },
      remedy: 'Check that "url" is everything before /chat/completions of an OpenAI-compatible endpoint.',
    });
  }
}

/** JSON without an answer. */
export class NoAnswer extends ModelFault {
  override readonly name = 'NoAnswer';
  override readonly fault: FaultKind = 'no-answer';
  override readonly mayBePaid = true;

  constructor(place: Place, found: string) {
    super(place, `its response contains no answer: found ${found}`, {
      facts: { found },
      remedy: 'Check that "url" is that of a chat endpoint, and "parameters".',
    });
  }
}

/** The model refused. */
export class Refused extends ModelFault {
  override readonly name = 'Refused';
  override readonly fault: FaultKind = 'refusal';

  constructor(place: Place, says: string) {
    super(place, `the model refuses: ${JSON.stringify(says)}`, { kind: 'unsupported', facts: { says } });
  }
}

/** The endpoint's content filter blocked the answer. */
export class Filtered extends ModelFault {
  override readonly name = 'Filtered';
  override readonly fault: FaultKind = 'content-filter';

  constructor(place: Place) {
    super(place, 'its content filter blocked the answer', { kind: 'unsupported' });
  }
}

export class CalledTools extends ModelFault {
  override readonly name = 'CalledTools';
  override readonly fault: FaultKind = 'tool-calls';

  constructor(place: Place) {
    super(place, 'the model calls tools that it was not given, without a text', {
      kind: 'unsupported',
      remedy: 'Serve it without tools: vLLM without --enable-auto-tool-choice.',
    });
  }
}

// Errors of the spending cap.

export class SpendingCapReached extends ModelFault {
  override readonly name = 'SpendingCapReached';
  override readonly fault: FaultKind = 'spending-cap';
  override readonly isHopeless = true;

  constructor(place: Place, currency: string, cap: number, spent: number, next: number) {
    const amount = (value: number): string => `${Number(value.toPrecision(4))} ${currency}`;
    super(place, `${amount(spent)} of ${amount(cap)} are spent, and the next answer may cost ${amount(next)}`, {
      facts: { currency, cap, spent, next },
      remedy: 'Raise the cap, or lower max_tokens, and run the same command again: recorded answers are reused.',
    });
  }

  /** The last attempt was not made. */
  override after(attempts: number): this {
    return super.after(attempts - 1);
  }
}

/** Under a cap, a question whose cost cannot be bounded is not asked. */
export class CostUnknown extends IcecoreError {
  override readonly name = 'CostUnknown';

  constructor(entry: string, found: string, remedy: string) {
    super('bad-input', `there is a spending cap, and the model ${entry} has ${found}`, {
      facts: { model: entry, found },
      remedy,
    });
  }
}
