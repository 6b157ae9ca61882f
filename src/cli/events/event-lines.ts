// An event in one line of a list: its main facts for people, NDJSON, or CloudEvents.
import { escapeControls } from '../../base/escape.ts';
import { gist, moment } from '../../document/gist.ts';
import { Layout } from '../../document/layout.ts';
import { cloudEventJson, eventJson, isReadable, unreadable } from '../../library/events/json.ts';
import type { Cursor, StoredEvent } from '../../library/ledger.ts';
import type { Context } from '../context.ts';

export interface Form {
  /** Resolves when the reader has taken the text. `unsealedAfter`: the events are shown before they have a place of their own. */
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

/** Text is written in chunks of this size: neither many small writes nor a huge one. */
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
  if (!isReadable(event)) return ['', place, event.type, '', `unreadable: ${unreadable}`].map(escapeControls);
  const { at, actor, stage } = event.envelope;
  const heart = gist(event.reading, stage);
  const cells = [moment(at), place, event.type, actor, isUnsealed ? `unsealed: ${heart}` : heart];
  return cells.map(escapeControls);
}
