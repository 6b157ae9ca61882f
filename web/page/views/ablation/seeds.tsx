// The result of every arm with every seed: the values that means and contrasts are made from.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { bestFirst, type Standing, type Standings } from '../../../charts/standings.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Figure } from '../../menu.tsx';
import { aroundText, figureText, sourceOfArm } from './figures.ts';

interface SeedsProps {
  readonly ablated: Ablated;
  readonly standings: Standings;
  readonly hrefOfArm: (arm: string) => string;
}

export function Seeds({ ablated, standings, hrefOfArm }: SeedsProps) {
  const { measure } = standings;
  const values = new Map(
    ablated.values
      .filter((one) => one.measure === measure.measure)
      .map(({ arm, unit, value }) => [`${arm}\t${unit}`, value] as const),
  );
  const columns: readonly Column<Standing>[] = [
    {
      id: 'arm',
      title: 'Arm',
      cell: ({ arm }) => (
        <a class="one-line" href={hrefOfArm(arm)}>
          {arm}
        </a>
      ),
    },
    {
      id: 'mean',
      title: 'Mean',
      align: 'right',
      cell: (one) =>
        one.mean === null ? (
          <span class="quiet">{one.isErrored ? '✕ errored' : one.isUnused ? 'not applicable' : '–'}</span>
        ) : (
          <Figure source={sourceOfArm(ablated, one.arm, measure.measure)}>
            {figureText(measure, one.mean)} <span class="interval">{aroundText(measure, one)}</span>
          </Figure>
        ),
    },
    ...ablated.units.map(
      ({ unit }): Column<Standing> => ({
        id: `unit ${unit}`,
        title: unit,
        align: 'right',
        cell: ({ arm, isUnused }) => figureText(measure, isUnused ? null : (values.get(`${arm}\t${unit}`) ?? null)),
      }),
    ),
  ];
  return (
    <>
      <DataTable caption="Results per seed" rows={bestFirst(standings)} columns={columns} keyOf={({ arm }) => arm} />
      <p class="quiet">Sorted by mean: adjacent arms may differ by chance.</p>
    </>
  );
}
