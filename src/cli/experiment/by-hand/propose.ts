// What `icecore propose` prints: what an engineer would do after a stage.
import type { ProposeResult } from '../../../../schemas/by-hand-output.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { propose as askEngineer, type ProposeOptions } from '../../../library/experiment/propose.ts';
import type { RunReference } from '../../../library/reference.ts';
import type { Context } from '../../context.ts';
import { proposalDocument } from './decision-view.ts';

export async function propose(
  context: Context,
  run: RunReference | undefined,
  options: ProposeOptions,
): Promise<number> {
  const result = await askEngineer(context.session, run, options);
  if (context.flags.json) await context.printJson(result);
  else {
    await context.print(proposalDocument(result));
    await sayNext(context, result);
  }
  return result.proposed === null ? 1 : 0;
}

async function sayNext({ hint }: Context, { name, stage, out, proposed, recorded }: ProposeResult): Promise<void> {
  if (out !== null) await hint(`adopt it, as it is or changed: icecore adopt ${shellWord(out)} --reason 'KNOB: WHY'`);
  else if (proposed !== null && recorded !== null) {
    await hint(`to a file that can be adopted: icecore propose ${shellWord(`${name}@${stage}`)} --output next.json`);
  }
}
