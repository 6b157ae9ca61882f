// The base of all errors that a person may see: a class with facts, one of a closed set of kinds, and a remedy.

/** Every kind of failure that an IcecoreError can have. */
export const errorKinds = [
  'usage', // the command line or the settings are contradictory or unknown
  'bad-input', // data does not have the required form
  'not-found', // a name, id, file or ledger does not exist
  'conflict', // another writer was first, or the same id has other content
  'unsupported', // this store or environment cannot do the requested operation
  'newer-format', // written by a newer icecore
  'damaged', // stored bytes have changed
  'storage', // the disk is full, read-only, or failing
  'unavailable', // a server or a lock does not answer in time
  'untrusted', // a found file, ledger or bundle needs permission that this user has not given
  'interrupted', // stopped by a signal; acknowledged events are kept
  'internal', // a fault in icecore
] as const;

/** The kind of an IcecoreError, for programs to branch on. */
export type ErrorKind = (typeof errorKinds)[number];

/** JSON-ready facts of an error: what was found, where, what is allowed. */
export type Facts = Readonly<Record<string, unknown>>;

/** What the reader of an error can do about it. */
export interface Remedies {
  /** What to do, as a sentence. */
  readonly remedy?: string;
  /** The same where a command was typed, if its options help (default: `remedy`). */
  readonly commandRemedy?: string;
}

/** The base class of the errors that icecore throws: a kind, facts as JSON, and a remedy. */
export class IcecoreError extends Error {
  override readonly name: string;
  readonly kind: ErrorKind;
  readonly facts: Facts;
  /** What the reader can do about it, as a sentence; empty if there is nothing to do. */
  readonly remedy: string;
  /** The same in the words of the command line, whose options nobody else can give. */
  readonly commandRemedy: string;

  /** `name` distinguishes errors that no caller handles by their class. */
  constructor(
    kind: ErrorKind,
    message: string,
    options: { name?: string; facts?: Facts; cause?: unknown } & Remedies = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = options.name ?? 'IcecoreError';
    this.kind = kind;
    this.facts = options.facts ?? {};
    this.remedy = options.remedy ?? '';
    this.commandRemedy = options.commandRemedy ?? this.remedy;
  }
}

/** A name that is not one of the known ones: of an engineer, a form, a suite, a knob. */
export class UnknownName extends IcecoreError {
  override readonly name: string = 'UnknownName';
  readonly unknown: string;

  constructor(unknown: string, message: string, options: { facts?: Facts; remedy?: string } = {}) {
    super('not-found', message, options);
    this.unknown = unknown;
  }
}

/** One fault in one field: where it is, what was found, what is allowed. */
export interface Issue {
  /** The field as a path: `data.tokens.input`, `causes[2].event`; empty: the whole value. */
  readonly field: string;
  readonly found: string;
  readonly allowed: string;
}

/** One line for people: the field, what was found and what is allowed. */
export function describeIssue(issue: Issue): string {
  return describedIn(issue, 'the event');
}

/** `whole` is what an issue without a field is about. */
function describedIn({ field, found: value, allowed }: Issue, whole: string): string {
  return `${field === '' ? whole : field}: found ${value}, allowed: ${allowed}`;
}

/** The first of several issues, and how many more there are; the facts of an error have all of them. */
export function describeIssues([first, ...others]: readonly Issue[], whole = 'the event'): string {
  return first === undefined ? 'it cannot be used' : describedIn(first, whole) + furtherIssues(others);
}

/** Continues a message about the first issue; empty if it is the only one. */
export function furtherIssues({ length }: readonly Issue[]): string {
  return length === 0 ? '' : ` (and ${length} more ${length === 1 ? 'issue' : 'issues'})`;
}

/** Longer strings are truncated in messages. */
const longestShown = 60;

export function found(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return `${quoted(value)} (a string)`;
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

function quoted(text: string): string {
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
