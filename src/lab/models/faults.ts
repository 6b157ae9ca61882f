// What goes wrong between icecore and a model: every way has a class of its own with the facts in it, and says whether
// asking again may go better and whether the endpoint may want to be paid all the same.
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

/** Whom it happened with: shown in every message. There is nothing secret in it. */
export interface Place {
  /** The entry in the configuration file. */
  readonly entry: string;
  readonly url: string;
  /** The name of the variable that has the key. */
  readonly key: string | null;
}

interface About {
  readonly kind?: ErrorKind;
  readonly facts?: Facts;
  readonly remedy?: string;
  readonly cause?: unknown;
}

export abstract class ModelFault extends IcecoreError {
  abstract readonly fault: FaultKind;
  /** Whether it may go better a moment later. */
  readonly isPassing: boolean = false;
  /** Whether no other question would fare better: there is no point in asking on. */
  readonly isHopeless: boolean = false;
  /** Whether the endpoint may have worked, and want to be paid. */
  readonly mayBePaid: boolean = false;
  readonly place: Place;

  constructor(place: Place, words: string, { kind = 'unavailable', facts = {}, remedy, cause }: About = {}) {
    super(kind, `the model ${place.entry} at ${place.url}: ${words}`, {
      facts: { model: place.entry, url: place.url, ...facts },
      ...(remedy === undefined ? {} : { remedy }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.place = place;
  }

  /** The same after so many attempts. */
  after(attempts: number): this {
    if (attempts > 1) this.message += ` (${attempts} attempts)`;
    return this;
  }
}

// What goes wrong on the way: no connection, no answer in time, an answer that breaks off or never ends.

/** No connection, or one that broke before there was an answer. */
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

/** Certificates do not get better by asking again, nor does a server that does not speak TLS. */
function isLasting(code: string): boolean {
  return /CERT|SIGNATURE|SELF_SIGNED|ERR_TLS|EPROTO|ERR_SSL/.test(code);
}

export type Waited = 'connect' | 'firstByte' | 'whole';

const waitedFor: Readonly<Record<Waited, string>> = {
  connect: 'no connection',
  firstByte: 'no answer began',
  whole: 'the answer was not there',
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
    // Who was too slow once will be again, and would be paid each time.
    this.isPassing = waited === 'connect';
    this.mayBePaid = waited !== 'connect';
  }
}

/** The connection broke in the middle of the answer, or the answer ended before it was complete. */
export class CutShort extends ModelFault {
  override readonly name = 'CutShort';
  override readonly fault: FaultKind = 'cut-short';
  override readonly isPassing = true;
  override readonly mayBePaid = true;

  constructor(place: Place, bytes: number, cause?: unknown) {
    super(place, `its answer broke off after ${bytes} bytes`, { facts: { bytes }, cause });
  }
}

export class TooLarge extends ModelFault {
  override readonly name = 'TooLarge';
  override readonly fault: FaultKind = 'too-large';
  override readonly mayBePaid = true;

  constructor(place: Place, what: 'answer' | 'head of its answer', most: number) {
    super(place, `the ${what} is larger than ${most} bytes`, { facts: { most } });
  }
}

/** Nobody knows who waits at the other address: the key is not sent there. */
export class Redirected extends ModelFault {
  override readonly name = 'Redirected';
  override readonly fault: FaultKind = 'redirected';
  override readonly isHopeless = true;

  constructor(place: Place, status: number, location: string) {
    super(place, `it sends to ${location}, and is not followed (status ${status})`, {
      kind: 'bad-input',
      facts: { status, location },
      remedy: 'If that is where it is now, write it in "url", without /chat/completions.',
    });
  }
}

/** What answers there does not speak HTTP. */
export class NotHttp extends ModelFault {
  override readonly name = 'NotHttp';
  override readonly fault: FaultKind = 'not-http';

  constructor(place: Place, code: string, cause: unknown) {
    super(place, `what it answers is no HTTP (${code})`, {
      facts: { code },
      cause,
      remedy: 'Check the port in "url", and whether it is http or https.',
    });
  }
}

// What endpoints say instead of answering: that they will not, that they cannot now, that the question is wrong.

/** The status and the words of an endpoint, as far as they may be shown. */
export interface Said {
  readonly status: number;
  readonly says: string;
}

const quoted = ({ status, says }: Said): string => (says === '' ? `status ${status}` : `status ${status}: ${says}`);

/** Its words are not shown: some quote the key. */
export class Unauthorised extends ModelFault {
  override readonly name = 'Unauthorised';
  override readonly fault: FaultKind = 'unauthorised';
  override readonly isHopeless = true;

  constructor(place: Place, status: number) {
    const { entry, key } = place;
    const words = key === null ? 'it wants a key' : `it does not accept the key in ${key}`;
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

/** The key is known, and yet: a country, a model or an organisation it is not for. */
export class Forbidden extends ModelFault {
  override readonly name = 'Forbidden';
  override readonly fault: FaultKind = 'unauthorised';
  override readonly isHopeless = true;

  constructor(place: Place, said: Said) {
    const key = place.key ?? 'none';
    super(place, `it forbids this (key: ${key}; ${quoted(said)})`, {
      kind: 'bad-input',
      facts: { ...said, key: place.key },
    });
  }
}

export class RateLimited extends ModelFault {
  override readonly name = 'RateLimited';
  override readonly fault: FaultKind = 'rate-limited';
  override readonly isPassing = true;
  /** How long it wants to be left alone; null where it does not say. */
  readonly waitMs: number | null;

  constructor(place: Place, said: Said, waitMs: number | null) {
    const wait = waitMs === null ? '' : `; not before ${Math.ceil(waitMs / 1000)} s have passed`;
    super(place, `it is asked too often (${quoted(said)})${wait}`, {
      facts: { ...said, waitSeconds: waitMs === null ? null : waitMs / 1000 },
      remedy:
        'Lower "concurrency" or set "tokensPerMinute", and run the same again: what was answered is not asked again.',
    });
    this.waitMs = waitMs;
  }
}

/** Money or a quota is at an end: waiting for seconds does not help. */
export class QuotaSpent extends ModelFault {
  override readonly name = 'QuotaSpent';
  override readonly fault: FaultKind = 'quota';
  override readonly isHopeless = true;

  constructor(place: Place, said: Said, code: string) {
    super(place, `the account has nothing left (${code}; ${quoted(said)})`, {
      facts: { ...said, code },
      remedy: 'See to the account, and run the same again: what was answered is not asked again.',
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
          ? 'Check "model", and that "url" is all that comes before /chat/completions: mostly it ends in /v1.'
          : 'Check "model" and "parameters".',
    });
  }
}

export class ServerFailed extends ModelFault {
  override readonly name = 'ServerFailed';
  override readonly fault: FaultKind = 'server-error';
  override readonly isPassing = true;
  /** How long it wants to be left alone; null where it does not say. */
  readonly waitMs: number | null;

  constructor(place: Place, said: Said, waitMs: number | null = null) {
    super(place, `it failed (${quoted(said)})`, { facts: { ...said } });
    this.waitMs = waitMs;
  }
}

// Answers that are none: what cannot be read, and what is no text.

/** The beginning of what was found instead, for the message. */
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
      remedy: 'Check that "url" is all that comes before /chat/completions of an OpenAI-compatible endpoint.',
    });
  }
}

/** JSON without an answer in it. */
export class NoAnswer extends ModelFault {
  override readonly name = 'NoAnswer';
  override readonly fault: FaultKind = 'no-answer';
  override readonly mayBePaid = true;

  constructor(place: Place, found: string) {
    super(place, `there is no answer in what it says: found ${found}`, { facts: { found } });
  }
}

/** The model would not. */
export class Refused extends ModelFault {
  override readonly name = 'Refused';
  override readonly fault: FaultKind = 'refusal';

  constructor(place: Place, says: string) {
    super(place, `the model refuses: ${JSON.stringify(says)}`, { kind: 'unsupported', facts: { says } });
  }
}

/** Who runs the endpoint held the answer back. */
export class Filtered extends ModelFault {
  override readonly name = 'Filtered';
  override readonly fault: FaultKind = 'content-filter';

  constructor(place: Place) {
    super(place, 'its content filter held the answer back', { kind: 'unsupported' });
  }
}

export class CalledTools extends ModelFault {
  override readonly name = 'CalledTools';
  override readonly fault: FaultKind = 'tool-calls';

  constructor(place: Place) {
    super(place, 'the model calls tools that it was not given, and says nothing', {
      kind: 'unsupported',
      remedy: 'Serve it without tools: vLLM without --enable-auto-tool-choice.',
    });
  }
}

// Money that may not be spent.

export class SpendingCapReached extends ModelFault {
  override readonly name = 'SpendingCapReached';
  override readonly fault: FaultKind = 'spending-cap';
  override readonly isHopeless = true;

  constructor(place: Place, currency: string, cap: number, spent: number, next: number) {
    const amount = (value: number): string => `${Number(value.toPrecision(4))} ${currency}`;
    super(place, `${amount(spent)} of ${amount(cap)} are spent, and the next answer may cost ${amount(next)}`, {
      facts: { currency, cap, spent, next },
      remedy: 'Raise the cap, or lower max_tokens, and run the same again: what was answered is not asked again.',
    });
  }
}

/** Under a cap, nothing is asked of which nobody knows what it can cost. */
export class CostUnknown extends IcecoreError {
  override readonly name = 'CostUnknown';

  constructor(entry: string, found: string, remedy: string) {
    super('bad-input', `there is a spending cap, and the model ${entry} has ${found}`, {
      facts: { model: entry, found },
      remedy,
    });
  }
}
