// What `icecore tables refresh` prints: the events added to the tables, once or continuously.
import type { ProjectResult } from '../../../schemas/tables-output.ts';
import { counted, duration } from '../../base/quantity.ts';
import { keepFresh, type RefreshOptions, refresh } from '../../library/tables.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, type StopSignal } from '../io.ts';
import { unknownText } from '../notices.ts';

export async function projectTables(
  context: Context,
  { follow = false, ...options }: RefreshOptions & { readonly follow?: boolean },
): Promise<number> {
  if (follow) {
    for await (const result of keepFresh(context.session, options)) await tell(context, result);
    return exitCodeOf(context.signal.reason as StopSignal);
  }
  await tell(context, await refresh(context.session, options));
  return 0;
}

async function tell(context: Context, result: ProjectResult): Promise<void> {
  if (context.flags.json) return await context.printJson(result);
  const { built, remade, unread, unknown, added, events, seconds } = result;
  if (built !== null) await context.say(`built all tables: ${built}`);
  if (remade.length > 0) await context.say(`rebuilt because their definitions changed: ${remade.join(', ')}`);
  if (unknown.length > 0) await context.say(unknownText(unknown));
  const are = unread === 1 ? 'is' : 'are';
  if (unread > 0)
    await context.hint(`${counted(unread, 'event')} cannot be read and ${are} in no table: icecore verify names them`);
  await context.print(`${counted(added, 'event')} added, ${counted(events, 'event')} in all, ${duration(seconds)}\n`);
}
