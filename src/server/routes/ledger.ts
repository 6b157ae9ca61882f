// Routes about the ledger: events, blobs, heads, proofs.
import { outputs } from '../../../schemas/output.ts';
import { digest } from '../../../schemas/primitives.ts';
import { eventsPage } from '../../../schemas/server-output.ts';
import { eventJson } from '../../library/events/json.ts';
import { bytesOf, eventReference, given, jsonRoute, streamRoute, text, texts, whole } from '../route.ts';

export const events = streamRoute({
  name: 'events',
  path: '/events',
  summary: 'Recorded events in order, page by page',
  parameters: {
    type: texts.optional().describe('only these types'),
    stream: texts.optional().describe('only these streams'),
    after: text.optional().describe('a cursor: next of the page before, or cursor of an event'),
    last: whole(1, 1_000).optional().describe('start with this number of the latest events'),
    limit: whole(1, 1_000).optional().describe('maximum number of rows (default 100)'),
  },
  answers: [
    { media: 'application/json', schema: eventsPage(outputs['event-tail']), describe: 'as icecore event tail --json' },
  ],
  async run(workspace, { type, stream, limit = 100, ...more }, { signal, write }) {
    const rows: string[] = [];
    let next = more.after ?? null;
    const selection = given({ types: type, streams: stream, ...more });
    for await (const event of workspace.events({ ...selection, limit: limit + 1, signal })) {
      if (rows.length === limit) {
        rows.push('');
        break;
      }
      rows.push(eventJson(event, { cursor: event.cursor }));
      next = event.cursor;
    }
    const truncated = rows.length > limit;
    const tail = JSON.stringify({ next, truncated }).slice(1);
    const listed = rows.slice(0, limit).join(',');
    await write(bytesOf(`{"as_of":"${new Date().toISOString()}","rows":[${listed}],${tail}\n`));
  },
});

export const event = streamRoute({
  name: 'event',
  path: '/events/{event}',
  summary: 'One event',
  parameters: { event: eventReference },
  answers: [{ media: 'application/json', schema: outputs['event-show'], describe: 'as icecore event show --json' }],
  async run(workspace, { event }, { signal, write }) {
    await write(bytesOf(`${eventJson((await workspace.event(event, { signal })).event, {})}\n`));
  },
});

export const blob = streamRoute({
  name: 'blob',
  path: '/blobs/{blob}',
  summary: 'The bytes of a blob, checked against its digest',
  parameters: { blob: digest.describe('its SHA-256 in hexadecimal') },
  answers: [{ media: 'application/octet-stream', schema: null, describe: 'the bytes' }],
  async run(workspace, { blob }, { signal, write }) {
    for await (const piece of workspace.blob(blob, { signal })) await write(Uint8Array.from(piece));
  },
});

export const head = jsonRoute({
  name: 'head',
  path: '/head',
  summary: 'The digest of the whole ledger',
  parameters: {},
  answer: outputs['ledger-head'],
  describe: 'as icecore ledger head --json',
  run: (workspace, _, signal) => workspace.head({ signal }),
});

export const proof = jsonRoute({
  name: 'proof',
  path: '/proofs/{event}',
  summary: 'A proof that one event is in the ledger',
  parameters: { event: eventReference },
  answer: outputs['ledger-prove'],
  describe: 'as icecore ledger prove --json',
  run: (workspace, { event }, signal) => workspace.prove(event, { signal }),
});
