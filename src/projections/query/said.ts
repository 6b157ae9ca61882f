// What DuckDB says when it fails, taken apart. It says it as JSON where it can, sometimes behind a prefix; what fails before
// it reads its settings, such as opening a file, it says in prose that begins with the kind.
import { parseJson } from '../../../schemas/json-text.ts';

export interface Said {
  /** `Parser`, `Binder`, `Out of Memory`, ... as DuckDB names its kinds. */
  readonly kind: string;
  readonly message: string;
  /** In bytes; null where it names no place. */
  readonly at: number | null;
  readonly subkind: string;
  /** What was not found, or does not fit. */
  readonly name: string;
  /** What kind of thing `name` is, where it says so: `Table`, `Scalar Function`, ... */
  readonly type: string;
  readonly candidates: readonly string[];
}

export function saidBy(error: unknown): Said {
  const text = error instanceof Error ? error.message : String(error);
  return inJson(text) ?? inProse(text);
}

function inJson(text: string): Said | null {
  const begin = text.indexOf('{"exception_type"');
  if (begin < 0) return null;
  try {
    return fromRecord(parseJson(text.slice(begin)) as Readonly<Record<string, unknown>>);
  } catch {
    return null;
  }
}

function fromRecord(said: Readonly<Record<string, unknown>>): Said {
  const field = (name: string): string => (typeof said[name] === 'string' ? said[name] : '');
  return {
    kind: field('exception_type'),
    message: field('exception_message'),
    at: field('position') === '' ? null : Number(field('position')),
    subkind: field('error_subtype'),
    name: field('name'),
    type: field('type'),
    candidates: field('candidates') === '' ? [] : field('candidates').split(','),
  };
}

function inProse(text: string): Said {
  const [, kind = '', message = text] = /^([A-Za-z ]+?) Error: ([\s\S]*)$/.exec(text) ?? [];
  return { kind, message, at: null, subkind: '', name: '', type: '', candidates: [] };
}
