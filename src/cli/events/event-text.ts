// What `icecore event show` does: finds the event and prints all of it, with the texts that blobs hold.
import { deepestNesting } from '../../../schemas/canonical.ts';
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import type { Cause } from '../../../schemas/envelope.ts';
import { replaceFields } from '../../../schemas/texts.ts';
import { escapeControls, escapeControlsInLines } from '../../base/escape.ts';
import { jsonText } from '../../base/printable-json.ts';
import { size } from '../../base/quantity.ts';
import { displayWidth, type Paint } from '../../base/terminal.ts';
import { eventJson } from '../../library/events/json.ts';
import { type BlobText, event as findEvent } from '../../library/events/read.ts';
import type { StoredEvent } from '../../library/ledger.ts';
import type { Context } from '../context.ts';

const longestText = 400;
const mostLines = 12;

interface Pretty {
  readonly text: string;
  /** A text of the data itself was shortened. */
  readonly isShortened: boolean;
  /** A text stored elsewhere was shortened. */
  readonly isExcerpt: boolean;
}

/** A text stored elsewhere, with its beginning. */
class Excerpt {
  readonly text: string;
  /** The size of the whole text. */
  readonly bytes: number;

  constructor(text: string, bytes: number | null) {
    this.text = text;
    this.bytes = bytes ?? Buffer.byteLength(text);
  }

  toJSON(): string {
    return this.text;
  }
}

/** A remark in place of a value. */
class Remark {
  readonly says: string;

  constructor(says: string) {
    this.says = says;
  }

  toJSON(): string {
    return this.says;
  }
}

function prettyData(data: unknown, paint: Paint, width: number): Pretty {
  const printer = new Printer(paint, width);
  const text = printer.print(shallow(data, 0), '  ');
  return { text: `  ${text}`, isShortened: printer.isShortened, isExcerpt: printer.isExcerpt };
}

/** Events of icecore are not nested deeper; deeper nesting would exhaust the stack. */
function shallow(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Excerpt || value instanceof Remark) return value;
  if (depth >= deepestNesting) return new Remark(`nested deeper than ${deepestNesting} levels`);
  if (Array.isArray(value)) return value.map((one) => shallow(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shallow(one, depth + 1)]));
}

class Printer {
  readonly #paint: Paint;
  readonly #width: number;
  isShortened = false;
  isExcerpt = false;

  constructor(paint: Paint, width: number) {
    this.#paint = paint;
    this.#width = width;
  }

  print(value: unknown, indent: string): string {
    if (typeof value === 'string') {
      const { text, isWhole } = this.#string(value, indent);
      if (!isWhole) this.isShortened = true;
      return text;
    }
    if (value instanceof Excerpt) {
      const { text, isWhole } = this.#string(value.text, indent, value.bytes);
      if (!isWhole) this.isExcerpt = true;
      return text;
    }
    if (value instanceof Remark) return this.#paint.dim(escapeControls(value.says));
    if (typeof value !== 'object' || value === null) return this.#paint.yellow(String(value));
    if (fitsOneLine(value, this.#width - indent.length)) return this.#flat(value);
    const below = `${indent}  `;
    const members = Array.isArray(value)
      ? value.map((item) => `${below}${this.print(item, below)}`)
      : Object.entries(value).map(([key, member]) => `${below}${this.#key(key)}: ${this.print(member, below)}`);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    return `${open}\n${members.join('\n')}\n${indent}${close}`;
  }

  #flat(value: object): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.print(item, '')).join(', ')}]`;
    const members = Object.entries(value).map(([key, member]) => `${this.#key(key)}: ${this.print(member, '')}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }

  #key(key: string): string {
    return this.#paint.blue(/^[\w.-]+$/.test(key) ? key : escapeControls(JSON.stringify(key)));
  }

  /** A text of one line in quotes; one of several lines as a block. */
  #string(text: string, indent: string, bytes = Buffer.byteLength(text)): { text: string; isWhole: boolean } {
    if (!text.includes('\n') && text.length <= longestText)
      return { text: this.#paint.green(escapeControls(JSON.stringify(text))), isWhole: true };
    const lines = escapeControlsInLines(text.slice(0, longestText * 4)).split('\n');
    const kept = lines.slice(0, mostLines).map((line) => line.slice(0, longestText));
    const isWhole = kept.join('\n').length >= escapeControlsInLines(text).length;
    const mark = isWhole ? '' : `\n${indent}  ${this.#paint.dim(`… ${size(bytes)} in all`)}`;
    return { text: `|\n${kept.map((line) => `${indent}  ${this.#paint.green(line)}`).join('\n')}${mark}`, isWhole };
  }
}

/** The quotes of keys in JSON take about as much room as the spaces between members here. */
function fitsOneLine(value: object, width: number): boolean {
  const text = JSON.stringify(value);
  return text.length <= mostUnits * width && displayWidth(text) <= width - longestKey && !text.includes('\\n');
}

/** Longer texts do not fit and are not measured, which would take time. */
const mostUnits = 8;

/** Room for the key before a value. */
const longestKey = 16;

/** The data of an event, with excerpts of its texts beside the blobs that store them. */
function dataWithTexts({ envelope: { type, version, data } }: StoredEvent, texts: readonly BlobText[]): unknown {
  const shown = new Map(
    texts.map((one) => {
      const { field, blob, bytes, preview } = one;
      const said = 'text' in one ? { text: new Excerpt(one.text, bytes) } : { [one.state]: new Remark(one.why) };
      return [field, { blob, bytes, ...(preview === null ? {} : { preview }), ...said }] as const;
    }),
  );
  return replaceFields(type, version, data, shown);
}

export async function showEvent(
  context: Context,
  reference: string,
  { cloudevents = false }: { readonly cloudevents?: boolean },
): Promise<number> {
  const forPeople = !cloudevents && !context.flags.json;
  const { event, texts } = await findEvent(context.session, reference, { texts: forPeople });
  if (forPeople) await showToPeople(context, event, dataWithTexts(event, texts));
  else await context.print(`${cloudevents ? jsonText(toCloudEvent(event.toJSON())) : eventJson(event, {})}\n`);
  return 0;
}

const widthElsewhere = 120;

async function showToPeople(context: Context, event: StoredEvent, data: unknown): Promise<void> {
  const { paint, io } = context;
  const width = io.stdout.isTTY ? io.stdout.columns : widthElsewhere;
  const { text, isShortened, isExcerpt } = prettyData(data, paint, width);
  const title = `${paint.bold(escapeControls(event.type))} ${paint.cyan(escapeControls(`${event.stream}@${event.revision}`))}`;
  const facts = factsOf(event).map(([name, value]) => `${paint.dim(name.padEnd(9))}${escapeControls(value)}`);
  await context.print(`${[title, ...facts, paint.dim('data'), text].join('\n')}\n`);
  if (isShortened) await context.say('long texts were shortened; --json shows everything');
  if (isExcerpt) await context.hint('texts in blobs were shortened; icecore blob get DIGEST prints one in full');
}

function factsOf(event: StoredEvent): readonly (readonly [string, string])[] {
  const { id, at, actor, run, stage, causes, previous } = event.envelope;
  const facts: (readonly [string, string])[] = [
    ['id', id],
    ['at', `${at}, recorded ${event.recordedAt}`],
    ['actor', actor],
    ['run', `${run ?? 'none'}${stage === null ? '' : `, stage ${stage}`}`],
    ['version', versionText(event)],
    ['digest', event.digest],
  ];
  if (previous !== null) facts.push(['previous', previous]);
  causes.forEach((cause, i) => {
    facts.push([i === 0 ? 'causes' : '', causeText(cause)]);
  });
  return facts;
}

function causeText(cause: Cause): string {
  if ('event' in cause) return `event ${cause.event}`;
  return `${cause.stream}@${cause.from} to @${cause.to}, root ${cause.root}`;
}

/** Data is shown as it was stored, with the version as which it is read today. */
function versionText({ reading, types, envelope: { type, version } }: StoredEvent): string {
  const today = types.get(type)?.versions.length;
  if (!reading.known) return `${version}, ${opaque[reading.why]}: shown as stored`;
  return today === version ? String(version) : `${version}, shown as stored; read today as version ${today}`;
}

const opaque = {
  'unknown-type': 'of an unknown type',
  'unknown-stream': 'of a type that is unknown in this stream',
  'unknown-version': 'newer than this icecore',
  unreadable: 'not valid for that version',
} as const;
