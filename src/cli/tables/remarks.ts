// What commands print about the tables: progress, what was filled, and events that this icecore does not know.

import { counted } from '../../base/quantity.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Projected } from '../../projections/projector/projector.ts';
import type { Context } from '../context.ts';
import { unknownText } from '../notices.ts';

export async function remark(
  context: Pick<Context, 'say' | 'hint'>,
  { built, remade, unread, unknown }: Pick<Projected, 'built' | 'remade' | 'unread' | 'unknown'>,
): Promise<void> {
  if (built !== null) await context.say(`built anew: ${built}`);
  if (remade.length > 0) await context.say(`made anew, since they are defined otherwise now: ${remade.join(', ')}`);
  if (unknown.length > 0) await context.say(`${unknownText(unknown)}`);
  if (unread > 0)
    await context.hint(
      `${counted(unread, 'event')} cannot be read and ${unread === 1 ? 'is' : 'are'} in no table: icecore verify tells which`,
    );
}

/** Events that were sent and do not count are in no table, and nobody who asks the tables would ever hear of them. */
export async function remarkStore(
  context: Pick<Context, 'hint' | 'signal'>,
  ledger: Pick<Ledger, 'audit'>,
): Promise<void> {
  let wrong = 0;
  for await (const _ of ledger.audit({ wholly: false })) {
    wrong++;
    context.signal.throwIfAborted();
  }
  if (wrong === 0) return;
  await context.hint(
    `${counted(wrong, 'thing')} in the store of the ledger ${wrong === 1 ? 'is' : 'are'} not as it should be, such as events that were sent and do not count: icecore verify tells which`,
  );
}
