// What `icecore event show` does: finds one event and shows all of it.
import { toCloudEvent } from '../../../schemas/cloudevents.ts';
import type { Cause } from '../../../schemas/envelope.ts';
import { visible } from '../../base/visible.ts';
import { DamagedEvent } from '../../ledger/errors.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import type { Context } from '../context.ts';
import { withLedgerToRead } from '../ledger.ts';
import { jsonText } from '../output/json.ts';
import { findEvent } from './find.ts';
import { eventJson, isReadable, unreadable } from './forms.ts';
import { dataWithTexts } from './kept-texts.ts';
import { prettyData } from './pretty.ts';

export async function showEvent(
  context: Context,
  reference: string,
  options: { readonly cloudevents?: true },
): Promise<number> {
  return await withLedgerToRead(context, async (ledger) => {
    const event = await findEvent(context, ledger, reference);
    if (!isReadable(event)) throw new DamagedEvent(event.stream, event.revision, unreadable);
    if (options.cloudevents === true) await context.print(`${jsonText(toCloudEvent(event.toJSON()))}\n`);
    else if (context.flags.json) await context.print(`${eventJson(event, {})}\n`);
    else await showToPeople(context, event, await dataWithTexts(context, ledger, event));
    return 0;
  });
}

const widthElsewhere = 120;

async function showToPeople(context: Context, event: StoredEvent, data: unknown): Promise<void> {
  const { paint, io } = context;
  const width = io.stdout.isTTY ? io.stdout.columns : widthElsewhere;
  const { text, isShortened, isExcerpt } = prettyData(data, paint, width);
  const title = `${paint.bold(visible(event.type))} ${paint.cyan(visible(`${event.stream}@${event.revision}`))}`;
  const facts = factsOf(event).map(([name, value]) => `${paint.dim(name.padEnd(9))}${visible(value)}`);
  await context.print(`${[title, ...facts, paint.dim('data'), text].join('\n')}\n`);
  if (isShortened) await context.say('long texts were shortened; --json shows everything');
  if (isExcerpt) await context.hint('texts kept as blobs were shortened; icecore blob get DIGEST prints one whole');
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

/** Data is shown as it was stored; what today's icecore makes of it is said. */
function versionText({ reading, types, envelope: { type, version } }: StoredEvent): string {
  const today = types.get(type)?.versions.length;
  if (!reading.known) return `${version}, ${opaque[reading.why]}: shown as stored`;
  return today === version ? String(version) : `${version}, shown as stored; read today as version ${today}`;
}

const opaque = {
  'unknown-type': 'of a type that this icecore does not know',
  'unknown-stream': 'in a stream where this icecore does not know its type',
  'unknown-version': 'newer than this icecore knows',
  unreadable: 'not what that version says',
} as const;
