// What `icecore init` prints.
import { escapeControls } from '../base/escape.ts';
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
    ...(environment.length === 0
      ? []
      : [
          `set these environment variables for every command; they are not written to a file: ${environment.join(', ')}`,
        ]),
  ];
  await context.print(lines.map((line) => `${escapeControls(line)}\n`).join(''));
  await context.hint('Next: icecore run starts an experiment; icecore demo shows a small one.');
  return 0;
}
