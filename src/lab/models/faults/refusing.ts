// What endpoints say instead of answering: that they will not, that they cannot now, that the question is wrong.
import { type FaultKind, ModelFault, type Place } from './fault.ts';

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
