// What was decided, for people.
import type { AdoptResult } from '../../../../schemas/by-hand-output.ts';
import { placeOf } from '../../../ledger/places.ts';
import type { Context } from '../../context.ts';
import { visible } from '../../output/visible.ts';
import { turnText } from '../../runs/figures.ts';
import { section } from '../../runs/section.ts';

export function adoptedText(context: Context, { name, adopted, recorded }: AdoptResult): string {
  const { forStage, changes, kept, rationale: says } = adopted;
  const head = `${context.paint.bold(visible(`stage ${forStage} of ${name}`))}: decided\n`;
  const lines = [
    ...(says === null ? [] : [`"${says}"`]),
    ...changes.map(
      ({ knob, from, to, cites: cites, reason: why }) => `${knob} ${turnText({ from, to })}${reason(cites, why)}`,
    ),
    ...(changes.length === 0 ? ['nothing changes'] : []),
    ...(kept ?? []).map(({ knob, cites: cites, reason: why }) => `${knob} kept${reason(cites, why)}`),
  ];
  return `${head}${section(context, 'changes', lines.map(visible))}recorded as ${visible(placeOf(recorded))}\n`;
}

function reason(cites: readonly string[] | null, says: string | null): string {
  const cited = cites === null || cites.length === 0 ? '' : `, because ${cites.join(' ')}`;
  return `${cited}${says === null ? '' : `: ${says}`}`;
}
