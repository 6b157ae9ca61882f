// What goes wrong on the way: no connection, no answer in time, an answer that breaks off or never ends.
import { type FaultKind, ModelFault, type Place } from './fault.ts';

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
