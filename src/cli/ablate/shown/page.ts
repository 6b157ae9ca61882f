// What an ablation says, as a page: what the data support first, then the matrix, and then what they are made of.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import type { Page, Part } from '../../output/page/page.ts';
import { type Paint, unpainted } from '../../output/paint.ts';
import { armsParts } from './arms.ts';
import { headlineParts, titleOf } from './headline.ts';
import { likenessParts } from './likeness.ts';
import { matrixParts } from './matrix.ts';
import { erroredParts, nextParts } from './next.ts';
import { proposedParts } from './proposed.ts';
import { publishedParts } from './published.ts';
import { scoresParts } from './scores.ts';
import { sensitivityParts } from './sensitivity.ts';
import { standingsOf } from './standing.ts';
import { tasksParts } from './tasks.ts';

export function ablatedPage(ablated: Ablated, paint: Paint = unpainted): Page {
  const standings = standingsOf(ablated);
  const [first, others] = inTwo(ablated.conclusions);
  // Of one decision it is asked what it hangs on, and not which arm is best.
  const isOfOne = ablated.preset === 'sensitivity';
  const sections = [
    headlineParts(ablated),
    erroredParts(ablated),
    sensitivityParts(ablated, paint),
    conclusionsParts('What the data support', first),
    ...(standings === null || isOfOne
      ? []
      : [matrixParts(ablated, standings, paint), armsParts(ablated, standings, paint)]),
    conclusionsParts('What else the data support', others),
    tasksParts(ablated, paint),
    scoresParts(ablated, paint),
    proposedParts(ablated, paint),
    likenessParts(ablated, paint),
    publishedParts(ablated),
    nextParts(ablated),
  ];
  return { title: titleOf(ablated), sections: sections.filter(({ length }) => length > 0) };
}

/** So many letters have room before the matrix on a first screen; what is left over is told after it. */
const mostFirst = 800;
const fewestFirst = 3;

function inTwo(conclusions: readonly string[]): readonly [first: readonly string[], others: readonly string[]] {
  let letters = 0;
  const tooMuch = conclusions.findIndex((one, i) => {
    letters += one.length;
    return i >= fewestFirst && letters > mostFirst;
  });
  const shown = tooMuch < 0 ? conclusions.length : tooMuch;
  return [conclusions.slice(0, shown), conclusions.slice(shown)];
}

function conclusionsParts(text: string, items: readonly string[]): readonly Part[] {
  if (items.length === 0) return [];
  return [
    { kind: 'heading', text },
    { kind: 'list', items },
  ];
}
