// What `icecore context` prints: the very bytes that an engineer is shown after a stage, and a line about them.
import type { ContextResult } from '../../../../schemas/by-hand-output.ts';
import { counted } from '../../../base/quantity.ts';
import { visibleLines } from '../../../base/visible.ts';
import { shortDigest } from '../../../document/figures.ts';
import { type ContextOptions, contextAfter } from '../../../library/experiment/context.ts';
import type { RunReference } from '../../../library/reference.ts';
import { nameOfForm } from '../../../producers/contexts/forms.ts';
import type { Context } from '../../context.ts';

export async function context(at: Context, run: RunReference | undefined, options: ContextOptions): Promise<number> {
  const result = await contextAfter(at.session, run, options);
  const { text } = result.text;
  if (at.flags.json) await at.printJson(result);
  // A program takes the very bytes; a terminal must not be steered by them.
  else await at.print(at.io.stdout.isTTY ? visibleLines(text) : text);
  await at.say(lineOf(result));
  return 0;
}

/** `a@2, abstract: 2,345 of 6,000 tokens, as it was recorded, context 0a1b2c3d4e5f` */
function lineOf({ name, stage, recorded, ...data }: ContextResult): string {
  const { contextForm, tokens, budget, truncated, exemplars, digest } = data;
  const length =
    budget === 0 ? counted(tokens, 'token') : `${tokens.toLocaleString('en')} of ${counted(budget, 'token')}`;
  const dropped = truncated.map((one) => `${one.dropped} of ${one.kept + one.dropped} ${one.what} of ${one.module}`);
  const left = dropped.length === 0 ? 'nothing left out' : `left out for want of room: ${dropped.join(', ')}`;
  const fewer =
    exemplars === undefined || exemplars.shown === exemplars.of
      ? ''
      : `, ${counted(exemplars.shown, 'rollout')} where other forms of this length show ${exemplars.of}: a comparison with them is confounded`;
  const how = recorded === null ? 'built now, not recorded' : 'as it was recorded';
  const what = nameOfForm(contextForm);
  return `${name}@${stage}, ${what}: ${length}, ${left}${fewer}, ${how}, digest ${shortDigest(digest)}`;
}
