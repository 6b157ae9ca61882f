// What is compared with what, and how it came out: declared contrasts first, then main effects, then the others.
import type { Ablated } from '../../../../schemas/ablation-output.ts';
import { type Comparison, isOfArms, type Measure } from '../../../charts/standings.ts';
import { type Column, DataTable } from '../../data-table.tsx';
import { Figure } from '../../menu.tsx';
import { Plain } from '../../parts.tsx';
import { chanceText, differenceText, faulted, numberIn, sourceOfContrast, type Verdict, verdictOf } from './figures.ts';

interface ContrastsProps {
  readonly ablated: Ablated;
  readonly measure: Measure;
  readonly hrefOfArm: (arm: string) => string;
}

export function Contrasts({ ablated, measure, hrefOfArm }: ContrastsProps) {
  const own = ablated.comparisons.filter((one) => one.measure === measure.measure);
  const declared = own.filter((one) => one.declared);
  const effects = own.filter((one) => !one.declared && (one.factor !== undefined || !isOfArms(ablated, one)));
  const others = own.filter((one) => !one.declared && !effects.includes(one));
  const missing = missingOf(ablated, measure);
  if (own.length === 0 && missing.length === 0)
    return (
      <p class="quiet">
        Nothing is compared by {measure.measure}.{' '}
        {ablated.state === 'completed' ? '' : 'Contrasts come when arms have results.'}
      </p>
    );
  const table = (caption: string, contrasts: readonly Comparison[]) =>
    contrasts.length === 0 ? null : (
      <>
        <h3>{caption}</h3>
        <ContrastTable caption={caption} contrasts={contrasts} {...{ ablated, measure, hrefOfArm }} />
      </>
    );
  return (
    <>
      {table('Declared before any decision', declared)}
      {missing.length > 0 && (
        <ul class="plain-list">
          {missing.map(({ arm, reference, verdict }) => (
            <li key={`${arm}:${reference}`}>
              <VerdictMark verdict={verdict} /> {arm} against {reference}: {verdict.meaning}
            </li>
          ))}
        </ul>
      )}
      {table('Main effects', effects)}
      {table('Other contrasts', others)}
      <Legend contrasts={own} ablated={ablated} measure={measure} />
    </>
  );
}

/** Declared contrasts without a comparison, because an error stopped an arm. */
function missingOf(
  { contrasts, comparisons, errored, state }: Ablated,
  { measure }: Measure,
): readonly { readonly arm: string; readonly reference: string; readonly verdict: Verdict }[] {
  return contrasts.flatMap(({ arm, reference, measure: by, factor }) => {
    const isCompared = comparisons.some((one) => one.arm === arm && one.reference === reference && one.measure === by);
    if (by !== measure || isCompared || factor !== null) return [];
    const stopped = errored.find((one) => one.arm === arm || one.arm === reference);
    if (stopped === undefined && state !== 'completed') return [];
    const why = stopped === undefined ? 'there are no results of both' : `an error stopped ${stopped.arm}`;
    return [{ arm, reference, verdict: faulted(why) }];
  });
}

function ContrastTable({
  caption,
  contrasts,
  ablated,
  measure,
  hrefOfArm,
}: ContrastsProps & { readonly caption: string; readonly contrasts: readonly Comparison[] }) {
  const side = (one: Comparison, name: string) =>
    isOfArms(ablated, one) ? <a href={hrefOfArm(name)}>{name}</a> : <Plain text={name} />;
  const columns: readonly Column<Comparison>[] = [
    {
      id: 'verdict',
      title: 'Verdict',
      cell: (one) => <VerdictMark verdict={verdictOf(one, measure, ablated)} />,
    },
    {
      id: 'what',
      title: 'What is compared',
      cell: (one) => (
        <>
          {one.factor !== undefined && <span class="quiet">{one.factor} </span>}
          {side(one, one.arm)} <span class="quiet">against</span> {side(one, one.reference)}
        </>
      ),
    },
    {
      id: 'difference',
      title: measure.is === 'share' ? `Difference in ${measure.measure}, points` : `Difference in ${measure.measure}`,
      align: 'right',
      cell: (one) => {
        const value = numberIn(one.difference);
        if (value === null) return <span class="quiet">–</span>;
        return <Figure source={sourceOfContrast(ablated, one)}>{differenceText(measure, value, one)}</Figure>;
      },
    },
    { id: 'p', title: 'p (Holm)', align: 'right', cell: (one) => chanceText(numberIn(one.adjusted ?? one.p)) },
    { id: 'pairs', title: 'Seeds', align: 'right', cell: ({ units }) => units },
    {
      id: 'needed',
      title: 'Seeds that would show it',
      align: 'right',
      cell: ({ unitsNeeded }) => (unitsNeeded === undefined ? '' : `about ${unitsNeeded}`),
    },
  ];
  return (
    <DataTable
      caption={caption}
      rows={contrasts}
      columns={columns}
      keyOf={({ factor, arm, reference }) => `${factor ?? ''} ${arm} ${reference}`}
    />
  );
}

function VerdictMark({ verdict: { mark, words, tone, meaning } }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict ${tone}`} title={meaning}>
      <span aria-hidden="true">{mark}</span> {words}
    </span>
  );
}

/** The words that these contrasts use, each with what it means. */
function Legend({
  contrasts,
  ablated,
  measure,
}: {
  readonly contrasts: readonly Comparison[];
  readonly ablated: Ablated;
  readonly measure: Measure;
}) {
  const used = new Map(
    contrasts.map((one) => verdictOf(one, measure, ablated)).map((verdict) => [verdict.words, verdict]),
  );
  const level = Number((100 * ablated.level).toFixed(3));
  return (
    <p class="quiet legend-words">
      {[...used.values()].map(({ mark, words, meaning }) => `${mark} ${words}: ${meaning}. `)}
      Intervals are at {level} %; p is corrected for the number of contrasts.
    </p>
  );
}
