// CloudEvents over HTTP in binary content mode: the headers ce-* are the attributes of one event, and the body is its data. It becomes
// the same event in structured form, which is then read as any other.
import { found } from '../../schemas/errors.ts';
import { jsonOrUndefined } from '../../schemas/json-text.ts';
import { type Body, textOf } from './body.ts';
import { RequestRefused } from './errors.ts';

const prefix = 'ce-';

/** Whether the headers are those of an event whose data is the body. A body of CloudEvents in JSON has its attributes inside. */
export function isBinaryEvent(headers: Headers): boolean {
  return headers.has('ce-specversion') && !/^\s*application\/cloudevents/i.test(headers.get('content-type') ?? '');
}

/** The event in structured form. Throws an error that names the header. */
export async function* structuredEvent(headers: Headers, body: Body): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.isStream)
    throw refused(
      'Content-Type',
      found(headers.get('content-type')),
      'application/json, since headers ce-* describe one event',
    );
  const attributes = attributesIn(headers);
  const data = await textOf(body);
  if (data !== '' && jsonOrUndefined(data) === undefined) throw refused('the body', 'a text that is not JSON', 'JSON');
  const members = Object.entries(attributes).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  yield Buffer.from(`{${[...members, ...(data === '' ? [] : [`"data":${data}`])].join(',')}}`);
}

function attributesIn(headers: Headers): Readonly<Record<string, string>> {
  const attributes = [...headers].flatMap(([header, value]) => {
    if (!header.startsWith(prefix)) return [];
    const name = header.slice(prefix.length);
    // Their values are the body and its type.
    if (name === 'data' || name === 'datacontenttype') throw refused(header, found(value), 'no such header');
    return [[name, decoded(header, value)] as const];
  });
  return Object.fromEntries([...attributes, ['datacontenttype', headers.get('content-type') ?? '']]);
}

/** Values may be quoted, and have characters outside of ASCII as %XX. */
function decoded(header: string, value: string): string {
  const bare = /^".*"$/.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
  try {
    return decodeURIComponent(bare);
  } catch {
    throw refused(header, found(value), 'a text with %XX in UTF-8');
  }
}

function refused(field: string, what: string, allowed: string): RequestRefused {
  return new RequestRefused(400, 'bad-input', `${field}: found ${what}, allowed: ${allowed}`, {
    facts: { field, found: what, allowed },
  });
}
