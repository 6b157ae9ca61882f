// What `icecore init` prints.
import { visible } from '../base/visible.ts';
import { init as create, type InitOptions } from '../library/place/init.ts';
import type { Context } from './context.ts';

export async function init(context: Context, options: InitOptions): Promise<number> {
  const result = await create(context.session, options);
  if (context.flags.json) {
    await context.printJson(result);
    return 0;
  }
  const { workspace, createdWorkspace, ledger, createdLedger, ledgerId, blobs, config, environment } = result;
  const lines = [
    `${createdWorkspace ? 'created' : 'found'} the workspace ${workspace}`,
    `${createdLedger ? 'created' : 'found'} the ledger ${ledger} (${ledgerId})`,
    ...(blobs === null ? [] : [`blobs go to ${blobs}`]),
    ...(config === null ? [] : [`wrote ${config}`]),
    ...(environment.length === 0 ? [] : [`not written, and needed by every command: ${environment.join(', ')}`]),
  ];
  await context.print(lines.map((line) => `${visible(line)}\n`).join(''));
  await context.hint('Next: icecore event append events.ndjson, then icecore event tail. For a tour: icecore demo');
  return 0;
}
