// What `icecore event redact` does.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { RedactResult } from '../../../schemas/output.ts';
import { counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import { table } from '../../document/layout.ts';
import { placeOf } from '../../ledger/event.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StoredEvent } from '../../ledger/stored.ts';
import { actorOf } from '../../library/actor.ts';
import { blobsUrl, withBlobs } from '../../library/opening/blobs.ts';
import { findEvent } from '../../library/opening/finder.ts';
import { withLedgerToChange } from '../../library/opening/ledger.ts';
import { type Redactable, redact, redactable, requireReason } from '../../producers/trust/redaction.ts';
import type { Context } from '../context.ts';

export interface RedactOptions {
  readonly reason: string;
  readonly actor?: string;
  readonly partly?: true;
  readonly everywhere?: true;
}

export async function redactEvents(
  context: Context,
  references: readonly string[],
  { reason, actor, partly, everywhere }: RedactOptions,
): Promise<number> {
  requireReason(reason);
  const who = actorOf(actor);
  return await withLedgerToChange(context.session, async (ledger) => {
    const events = redactable(await findAll(context, ledger, references), partly === true);
    const url = blobsUrl(context.session);
    // Only now: where nothing can be redacted, it does not matter whether there are blobs.
    const redaction = { events, reason, actor: who, everywhere: everywhere === true };
    const rows = await withBlobs(url, {}, (blobs) => redact(ledger, blobs, redaction));
    const result: RedactResult = {
      ledger: ledger.url,
      blobs: url,
      remains: events.flatMap(remainsOf),
      as_of: new Date().toISOString(),
      total: rows.length,
      rows: [...rows],
      truncated: false,
    };
    if (context.flags.json) await context.printJson(result);
    else await tell(context, result);
    return 0;
  });
}

async function findAll(
  context: Context,
  ledger: Ledger,
  references: readonly string[],
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (const reference of references) events.push(await find(context, ledger, reference));
  return events;
}

async function find(context: Context, ledger: Ledger, reference: string): Promise<StoredEvent> {
  try {
    return await findEvent(context.session, ledger, reference);
  } catch (error) {
    if (!(error instanceof IcecoreError)) throw error;
    const { kind, message, facts, remedy } = error;
    throw new IcecoreError(kind, message, { facts, remedy: `Nothing was erased. ${remedy}`, cause: error });
  }
}

function remainsOf({ event, staying }: Redactable): RedactResult['remains'] {
  return staying.map((field) => ({ event: event.id, place: placeOf(event), field }));
}

async function tell(context: Context, { blobs, rows, remains }: RedactResult): Promise<void> {
  const columns = [{ title: '' }, { title: '' }, { title: '' }];
  const lines = rows.map((row) => [wordsFor(row), visible(`${row.place} ${row.field}`), `recorded in ${row.by}`]);
  await context.print(table(columns, lines, context.io.stdout));
  for (const { place, field } of remains) await context.print(`STAYS  ${visible(`${place} ${field}`)}\n`);
  const strange = rows.filter(({ isNew, wasThere }) => isNew && !wasThere).length;
  if (strange === 0) return;
  const texts = counted(strange, 'text was', 'texts were');
  await context.say(
    `${texts} not in ${blobs}: if they are elsewhere, name that store with ICECORE_BLOBS and redact again`,
  );
}

function wordsFor({ isNew, wasThere }: RedactResult['rows'][number]): string {
  if (wasThere) return isNew ? 'erased' : 'erased at last';
  return isNew ? 'was not there' : 'was erased before';
}
