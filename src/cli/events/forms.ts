// The forms events are printed in: a line for people, NDJSON, CloudEvents.
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import { Layout } from '../../analysis/document/layout.ts';
import { visible } from '../../base/visible.ts';
import type { Cursor } from '../../ledger/event.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Context } from '../context.ts';
import { escapeSteering, jsonText } from '../output/json.ts';
import { gist } from './gist.ts';

export interface Form {
  /** Resolves when whoever reads has taken the text. `unsealedAfter`: they are shown before they have a place of their own. */
  write(events: readonly StoredEvent[], mark?: { readonly unsealedAfter: Cursor | null }): Promise<void>;
}

export function formOf(context: Context, cloudEvents: boolean): Form {
  if (cloudEvents) return byLine(context, cloudEventJson);
  if (context.flags.json)
    return byLine(context, (event, unsealedAfter) =>
      eventJson(event, unsealedAfter === null ? { cursor: event.cursor } : { cursor: unsealedAfter, unsealed: true }),
    );
  return forPeople(context);
}

/**
 * The event as JSON, with members of its own at the end. The stored body is JSON already, so it is taken as it is: to
 * parse it and write it again would cost more than to read it.
 */
export function eventJson(event: StoredEvent, more: Readonly<Record<string, unknown>>): string {
  if (!isOneObject(event.body)) return unreadableJson(event, more);
  const known = event.isKnown ? {} : { known: false };
  const added = JSON.stringify({ recordedAt: event.recordedAt, digest: event.digest, ...known, ...more });
  return escapeSteering(`${event.body.slice(0, -1)},${added.slice(1)}`);
}

function cloudEventJson(event: StoredEvent, unsealedAfter: Cursor | null): string {
  const mark = unsealedAfter === null ? {} : { unsealed: true };
  return isReadable(event) ? jsonText({ ...toCloudEvent(event.toJSON()), ...mark }) : unreadableJson(event, mark);
}

/** Neither cut off nor several lines, of which each would be taken for an event; more is not looked at for each of millions. */
function isOneObject(body: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: canonical JSON has none
  return body.startsWith('{"') && body.endsWith('}') && !/[\u0000-\u001f]/.test(body);
}

/** Whether its bytes have what every event has, whatever they say: those that somebody damaged or forged may not. */
export function isReadable(event: StoredEvent): boolean {
  try {
    const { id, at, actor, causes } = event.envelope;
    const areTexts = [id, at, actor].every((one) => typeof one === 'string' && one.isWellFormed());
    return areTexts && Array.isArray(causes) && causes.every((one) => typeof one === 'object' && one !== null);
  } catch {
    return false;
  }
}

export const unreadable = 'its bytes are not an event';

/** Its place, in which it differs from an event that can be read. */
function unreadableJson({ stream, revision, type, recordedAt, digest }: StoredEvent, more: object): string {
  return jsonText({ stream, revision, type, unreadable, recordedAt, digest, ...more });
}

/** What is written at once, so that neither many small writes nor one huge one is waited for. */
const chunkLength = 64 * 1024;

function byLine(context: Context, text: (event: StoredEvent, unsealedAfter: Cursor | null) => string): Form {
  return {
    write: async (events, { unsealedAfter } = none) => {
      let chunk = '';
      for (const event of events) {
        chunk += `${text(event, unsealedAfter)}\n`;
        if (chunk.length < chunkLength) continue;
        await context.print(chunk);
        chunk = '';
      }
      if (chunk !== '') await context.print(chunk);
    },
  };
}

function forPeople(context: Context): Form {
  const { paint, io } = context;
  const columns = [
    { title: 'at', paint: paint.dim },
    { title: 'stream', paint: paint.cyan },
    { title: 'type', paint: paint.bold },
    { title: 'actor' },
    { title: 'gist' },
  ];
  const layout = new Layout(columns, io.stdout);
  return {
    write: async (events, { unsealedAfter } = none) => {
      const rows = events.map((event) => row(event, unsealedAfter !== null));
      layout.widen(rows);
      await context.print(rows.map((cells) => layout.line(cells)).join(''));
    },
  };
}

const none = { unsealedAfter: null };

function row(event: StoredEvent, isUnsealed: boolean): readonly string[] {
  const place = `${event.stream}@${event.revision}`;
  if (!isReadable(event)) return ['', place, event.type, '', `unreadable: ${unreadable}`].map(visible);
  const { at, actor, stage } = event.envelope;
  const heart = gist(event.reading, stage);
  const cells = [moment(at), place, event.type, actor, isUnsealed ? `unsealed: ${heart}` : heart];
  return cells.map(visible);
}

/** To the second, in UTC; a moment that is none stays as it stands. */
export function moment(at: string): string {
  const milliseconds = Date.parse(at);
  return Number.isNaN(milliseconds) ? at : new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
