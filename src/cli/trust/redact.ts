// What `icecore event redact` prints: which texts were erased, and which remain.
import type { RedactResult } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { counted } from '../../base/quantity.ts';
import { table } from '../../document/layout.ts';
import { type RedactOptions, redact } from '../../library/events/redact.ts';
import type { Context } from '../context.ts';

export async function redactEvents(
  context: Context,
  references: readonly string[],
  options: RedactOptions,
): Promise<number> {
  const result = await redact(context.session, references, options);
  if (context.flags.json) await context.printJson(result);
  else await tell(context, result);
  return 0;
}

async function tell(context: Context, { blobs, rows, remains }: RedactResult): Promise<void> {
  const columns = [{ title: '' }, { title: '' }, { title: '' }];
  const lines = rows.map((row) => [
    wordsFor(row),
    escapeControls(`${row.place} ${row.field}`),
    `recorded in ${row.by}`,
  ]);
  await context.print(table(columns, lines, context.io.stdout));
  for (const { place, field } of remains) await context.print(`STAYS  ${escapeControls(`${place} ${field}`)}\n`);
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
