// Figures of the research beside one's own: another policy at another scale, and labelled so before anybody reads them.
import type { Ablated, Published } from '../../../../schemas/ablation-output.ts';
import { longestName, note, type Part, table } from '../../output/page/page.ts';

const longestLabel = 30;

export function publishedParts({ published }: Ablated): readonly Part[] {
  return published.flatMap(besideParts);
}

function besideParts({ what, says, rows, columns }: Published): readonly Part[] {
  return [
    { kind: 'heading', text: `Beside the research: ${what}` },
    { kind: 'text', text: says, tone: 'warning' },
    table([
      { title: '', most: longestLabel, cells: rows.map(({ label }) => label) },
      { title: 'theirs', align: 'right', cells: rows.map(({ theirs }) => theirs) },
      { title: 'ours', align: 'right', cells: rows.map(({ ours }) => ours ?? '-') },
      { title: 'arm', most: longestName, cells: rows.map(({ arm }) => arm ?? '') },
    ]),
    note(`${columns.join('; ')}.`),
  ];
}
