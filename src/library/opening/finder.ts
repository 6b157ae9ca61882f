// Finds events by id, or by their position in a stream. Ledgers without an index of ids are searched with their tables, which
// are refreshed first.
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseStream } from '../../../schemas/streams.ts';
import { eventAt, type Ledger, lastEventOf } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { EventFinder } from '../../projections/finding.ts';
import type { Session } from '../session.ts';

const limits = { seconds: 60, memoryMegabytes: 1024 };

export async function withFinder<Result>(
  session: Session,
  ledger: Ledger,
  body: (finder: EventFinder) => Promise<Result>,
): Promise<Result> {
  const projections = await import('../../projections/finding.ts');
  const finder = new projections.EventFinder(ledger, async (ask) => {
    const { withQuestions } = await import('../../projections/current-tables.ts');
    const { withTablesProgress } = await import('./tables.ts');
    await withTablesProgress(session, ledger, (folder, options, isThrough) =>
      withQuestions(ledger, folder, limits, options, async (questions) => {
        await isThrough();
        await ask(questions);
      }),
    );
  });
  try {
    return await body(finder);
  } finally {
    await finder.close();
  }
}

/** The number of candidates that an error lists for an ambiguous prefix. */
const maxCandidates = 10;

const place = /^(.+)@(0|[1-9][0-9]{0,14})$/;
const beginning = /^[0-9a-f]{4}[0-9a-f-]*$/i;

/** By its id, a prefix of an id, or STREAM@REVISION. */
export async function findEvent(session: Session, ledger: Ledger, reference: string): Promise<StoredEvent> {
  const [, stream, revision] = place.exec(reference) ?? [];
  if (stream !== undefined) return await atPlace(ledger, stream, Number(revision));
  if (beginning.test(reference)) return await withFinder(session, ledger, (finder) => byId(finder, reference));
  throw new IcecoreError('usage', `"${reference}" names no event`, {
    facts: {
      found: reference,
      allowed: ['an id', 'the first four or more hexadecimal digits of one', 'STREAM@REVISION'],
    },
    remedy: 'Give an id, the first four or more hexadecimal digits of one, or STREAM@REVISION, for example run-mine@0.',
  });
}

async function atPlace(ledger: Ledger, stream: string, revision: number): Promise<StoredEvent> {
  const event = await eventAt(ledger, { stream, revision });
  if (event !== null) return event;
  const last = (await lastEventOf(ledger, stream))?.revision ?? -1;
  const there = last < 0 ? 'there is no such stream' : `the last event there is ${stream}@${last}`;
  const hint = parseStream(stream) === null ? 'Stream names look like run-RUN, evidence-… or notes-RUN. ' : '';
  throw new IcecoreError('not-found', `there is no event ${stream}@${revision}: ${there}`, {
    facts: { stream, revision, last },
    remedy: `${hint}icecore event tail shows events with their streams.`,
  });
}

async function byId(finder: EventFinder, reference: string): Promise<StoredEvent> {
  const found = await finder.find(reference, maxCandidates + 1);
  const [only, ...others] = found;
  if (only === undefined) {
    throw new IcecoreError('not-found', `there is no event whose id begins with ${reference}`, {
      facts: { found: reference },
      remedy: 'icecore event tail --json shows events with their ids.',
    });
  }
  if (others.length === 0) return only;
  throw ambiguous(reference, found);
}

/** Null for an event that cannot be read. */
function momentOf(event: StoredEvent): string | null {
  try {
    return event.envelope.at;
  } catch {
    return null;
  }
}

function ambiguous(reference: string, found: readonly StoredEvent[]): IcecoreError {
  const candidates = found.slice(0, maxCandidates).map((event) => ({
    id: event.id,
    type: event.type,
    at: momentOf(event),
    stream: event.stream,
    revision: event.revision,
  }));
  const isWhole = found.length <= maxCandidates;
  const many = isWhole ? `${found.length} events` : `more than ${maxCandidates} events`;
  const width = Math.max(...candidates.map(({ type }) => type.length));
  const lines = candidates.map(
    ({ id, type, at, stream, revision }) => `${id}  ${type.padEnd(width)}  ${at ?? ''}  ${stream}@${revision}`,
  );
  return new IcecoreError('bad-input', `${reference} matches ${many}`, {
    facts: {
      found: reference,
      candidates,
      truncated: !isWhole,
      excerpt: [...lines, ...(isWhole ? [] : ['…'])].join('\n'),
    },
    remedy: 'Give more digits of the id, or STREAM@REVISION.',
  });
}
