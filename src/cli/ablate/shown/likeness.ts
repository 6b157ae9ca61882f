// How much alike the arms decided: how far each is from what was really done, and from which arm it is the least and the most.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { longestName, note, type Part, table } from '../../output/page/page.ts';
import type { Paint } from '../../output/paint.ts';

export interface Neighbour {
  readonly arm: string;
  readonly knobs: number;
  readonly same: boolean;
}

const really = 'actual';

export function likenessParts(ablated: Ablated, paint: Paint): readonly Part[] {
  const rows = ablated.arms.flatMap(({ arm }) => {
    const others = neighboursOf(arm, ablated);
    const [nearest, furthest] = [others[0], others.at(-1)];
    if (nearest === undefined || furthest === undefined) return [];
    return [{ arm, nearest, furthest, recorded: others.find((one) => one.arm === really) ?? null }];
  });
  if (rows.length < 3) return [];
  return [
    { kind: 'heading', text: 'How much alike they decided' },
    table([
      { title: 'arm', paint: paint.bold, most: longestName, cells: rows.map(({ arm }) => arm) },
      {
        title: really,
        align: 'right',
        cells: rows.map(({ recorded }) => (recorded === null ? '' : knobsText(recorded))),
      },
      {
        title: 'most alike',
        most: longestName,
        cells: rows.map(({ nearest }) => `${knobsText(nearest)} ${nearest.arm}`),
      },
      {
        title: 'least alike',
        most: longestName,
        cells: rows.map(({ furthest }) => `${knobsText(furthest)} ${furthest.arm}`),
      },
    ]),
    note('Knobs that differ, on average over decisions.'),
  ];
}

/** The most alike first. */
export function neighboursOf(arm: string, { likeness }: Pick<Ablated, 'likeness'>): readonly Neighbour[] {
  return likeness
    .flatMap(({ arm: one, other, knobs, same }) => {
      if (one === arm) return [{ arm: other, knobs, same }];
      return other === arm ? [{ arm: one, knobs, same }] : [];
    })
    .toSorted((one, other) => one.knobs - other.knobs);
}

function knobsText({ knobs, same }: Neighbour): string {
  return same ? 'same' : knobs.toFixed(1);
}
