// What was decided, for people.
import type { AdoptResult } from '../../../../schemas/by-hand-output.ts';
import { placeOf } from '../../../ledger/event.ts';
import type { Context } from '../../context.ts';
import { visible } from '../../output/visible.ts';
import { turnText } from '../../runs/figures.ts';
import { section } from '../../runs/section.ts';

type Given = Pick<AdoptResult['adopted']['changes'][number], 'cites' | 'reason'>;

export function adoptedText(context: Context, { name, stage, adopted, recorded }: AdoptResult): string {
  const { changes, kept, rationale } = adopted;
  const head = `${context.paint.bold(visible(`stage ${stage + 1} of ${name}`))}: decided\n`;
  const lines = [
    ...(rationale === null ? [] : [`"${rationale}"`]),
    ...changes.map((change) => `${change.knob} ${turnText(change)}${reasonText(change)}`),
    ...(changes.length === 0 ? ['nothing changes'] : []),
    ...(kept ?? []).map((one) => `${one.knob} kept${reasonText(one)}`),
  ];
  return `${head}${section(context, 'changes', lines.map(visible))}recorded as ${visible(placeOf(recorded))}\n`;
}

/** `, because F3 B8.valid: too many falls` */
export function reasonText({ cites, reason }: Given): string {
  const cited = cites === null || cites.length === 0 ? '' : `, because ${cites.join(' ')}`;
  return `${cited}${reason === null ? '' : `: ${reason}`}`;
}
