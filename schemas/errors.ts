// Every error a person may meet: a class with the facts in it, one of a closed set of kinds, and what to do about it.
// It stands on the ground floor because every layer throws.

/** Every kind of failure that an IcecoreError can have. */
export const errorKinds = [
  'usage', // the command line or the settings say something that cannot be meant
  'bad-input', // data handed in is not what it must be
  'not-found', // a name, id, file or ledger that is not there
  'conflict', // somebody else was first, or the same id says something else
  'unsupported', // this store or environment cannot do what was asked
  'newer-format', // written by a newer icecore
  'damaged', // stored bytes are not what was stored
  'storage', // the disk is full, read-only, or failing
  'unavailable', // a server or a lock that does not answer in time
  'untrusted', // a found file, ledger or bundle asks for what this user has not allowed
  'interrupted', // stopped by a signal; what was acknowledged is kept
  'internal', // a fault of icecore's own
] as const;

/** What sort of failure an IcecoreError is, for programs to branch on. */
export type ErrorKind = (typeof errorKinds)[number];

/** JSON-ready facts of an error: what was found, where, what is allowed. */
export type Facts = Readonly<Record<string, unknown>>;

/** The base class of the errors that icecore throws: a kind, facts as JSON, and what to do about it. */
export class IcecoreError extends Error {
  override readonly name: string = 'IcecoreError';
  readonly kind: ErrorKind;
  readonly facts: Facts;
  /** What the reader can do about it, as a sentence; empty where there is nothing. */
  readonly remedy: string;

  constructor(kind: ErrorKind, message: string, options: { facts?: Facts; remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.facts = options.facts ?? {};
    this.remedy = options.remedy ?? '';
  }
}

/** One thing wrong with one field: where, what was found, what is allowed. */
export interface Issue {
  /** The field as a path: `data.tokens.input`, `causes[2].event`; empty for the whole. */
  readonly field: string;
  readonly found: string;
  readonly allowed: string;
}

/** One line for people: the field, what was found and what is allowed. */
export function describeIssue(issue: Issue): string {
  return `${issue.field === '' ? 'the event' : issue.field}: found ${issue.found}, allowed: ${issue.allowed}`;
}

/** Longer strings are cut in messages. */
const longestShown = 60;

export function found(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return `${shown(value)} (a string)`;
    case 'number':
      return Number.isFinite(value) ? `${Object.is(value, -0) ? '-0' : value} (a number)` : String(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
    default:
      return `a ${typeof value}`;
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text);
}

/** A path as people write it: `data.rewards[2]`, `data.rewards["a b"]`. */
export function fieldOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(step))) text += text === '' ? String(step) : `.${String(step)}`;
    else text += `[${JSON.stringify(String(step))}]`;
  }
  return text;
}
