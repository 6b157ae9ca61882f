// What `icecore serve` prints and answers where no command prints the same.
import { z } from 'zod';
import { errorKinds } from './errors.ts';
import { count, moment, runId, stageNumber, stream, uuid } from './primitives.ts';

export const serve = z.strictObject({
  url: z.string().describe('where the server answers'),
  socket: z.string().nullable().describe('a socket that only its owner can open, where no token is needed; null: none'),
  workspace: z.string().describe('the folder of the workspace'),
  ledger: z.string().describe('the URL of the ledger'),
  tokens: z.boolean().describe('whether requests need a token'),
});

export const serverError = z
  .strictObject({
    error: z.looseObject({
      kind: z.enum(errorKinds),
      message: z.string(),
      remedy: z.string().optional(),
    }),
  })
  .describe('also contains the facts of the error: field, found, allowed, line, ...');

export const serverIndex = z.strictObject({
  name: z.literal('icecore'),
  version: z.string(),
  ledger: z.string().describe('the URL of the ledger'),
  routes: z.array(z.strictObject({ method: z.string(), path: z.string(), summary: z.string() })),
});

export const health = z.strictObject({ status: z.enum(['ok', 'stopping', 'failing']), detail: z.string().optional() });

const next = z.string().nullable().describe('the value of after for the next page; null: this is the last one');

export const rolloutsPage = z.strictObject({
  as_of: moment,
  total: count.nullable().describe('number of rollouts on all pages; null: counted only on pages with rows'),
  rows: z.array(
    z.strictObject({
      id: uuid.describe('the event: GET /events/{event} shows it in full'),
      run: z.string(),
      stage: stageNumber.nullable(),
      split: z.string().nullable(),
      part: z.union([z.string(), count]).nullable(),
      family: z.string().nullable(),
      task: z.string().nullable(),
      sample: count.nullable(),
      outcome: z.string().nullable(),
      success: z.boolean().nullable(),
      failure_class: z.string().nullable(),
      reward: z.number().nullable(),
      agent_steps: count.nullable(),
      error_kind: z.string().nullable(),
      happened_at: moment.nullable(),
      run_id: runId,
      stream,
      revision: count,
      sealed: z.boolean().nullable(),
    }),
  ),
  before: count.nullable().describe('number of rollouts on the pages before; null: counted only on pages with rows'),
  previous: z
    .string()
    .nullable()
    .describe('the value of after for the page before; null: that is the first page, or this is'),
  next,
  truncated: z.boolean().describe('true: more pages follow'),
});

export function eventsPage<Event extends z.ZodType>(event: Event) {
  return z.strictObject({
    as_of: moment,
    rows: z.array(event).describe('in the order of the ledger'),
    next: next.describe(
      'the value of after that continues with events that come after these; null: there are none yet',
    ),
    truncated: z.boolean().describe('true: more events exist'),
  });
}

const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({ line: count, outcome: z.literal('appended') }),
  z.strictObject({ line: count, outcome: z.literal('existed') }),
  z.strictObject({ line: count, outcome: z.literal('refused'), error: serverError.shape.error }),
]);

const counts = {
  appended: count.describe('new events'),
  existed: count.describe('events that the ledger had already'),
  rejected: count,
};

export const ingested = z.strictObject({
  ...counts,
  streams: count,
  blobs: count.describe('number of new blobs'),
  seconds: z.number().nonnegative(),
  outcomes: z.array(outcome).describe('by line, in order: of a batch, the line at which an event begins'),
});

export const ingestLine = z
  .union([
    outcome,
    z
      .strictObject({ stored: z.strictObject({ ...counts, bytes: count }) })
      .describe('everything up to here is durable'),
    z.strictObject({ summary: ingested.omit({ outcomes: true }) }).describe('the last line, unless it is an error'),
    serverError,
  ])
  .describe('a line of the answer to an NDJSON stream, written while the stream is read');

/** The output of `icecore serve --json`: where the server answers. */
export type ServeResult = z.infer<typeof serve>;
export type RolloutsPage = z.infer<typeof rolloutsPage>;
export type Ingested = z.infer<typeof ingested>;
export type IngestLine = z.infer<typeof ingestLine>;
export type ServerIndex = z.infer<typeof serverIndex>;
