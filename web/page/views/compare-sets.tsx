// Differences between runs or arms: how large, how certain, and what they allow to conclude.

import type { Compared, ComparedSet, RunDifference } from '../../../schemas/compare-output.ts';
import { many } from '../../charts/words.ts';
import type { Source } from '../menu.tsx';
import { Plain, Rate } from '../parts.tsx';
import { rateSource } from '../sources.ts';
import { pointsWords } from '../words.ts';

export function ComparedSets({ compared }: { readonly compared: Compared }) {
  return (
    <>
      {compared.sets.map((set) => (
        <section key={set.runs.join(' ')} aria-label={headingOf(set)}>
          <h2>{headingOf(set)}</h2>
          {set.differences.length > 0 && <Differences set={set} />}
          {set.arms.length > 0 && <Arms set={set} />}
          {set.differences.length === 1 && set.differences[0] !== undefined && (
            <Families difference={set.differences[0]} set={set} compared={compared} />
          )}
          {[...set.unrecorded, ...set.warnings].map((warning) => (
            <p key={warning} class="warning">
              <Plain text={warning} />
            </p>
          ))}
          {set.notes.map((note) => (
            <p key={note} class="quiet">
              <Plain text={note} />
            </p>
          ))}
        </section>
      ))}
    </>
  );
}

function headingOf({ stage, suite, baseline }: ComparedSet): string {
  const when = stage === null ? 'Compared' : `After stage ${stage}, compared`;
  const size = suite.tasks === null ? '' : ` of ${many(suite.tasks, 'task')}`;
  return `${when} with ${baseline} on ${suite.suite === 'probe' ? 'the probe pool' : suite.suite}${size}`;
}

/** Not by colour alone: every verdict has its word. */
const verdicts: Readonly<Record<RunDifference['verdict'], readonly [word: string, look: string]>> = {
  better: ['better', 'good'],
  worse: ['worse', 'bad'],
  inconclusive: ['inconclusive', 'quiet'],
  same: ['the same stage', 'quiet'],
  unknown: ['not comparable', 'quiet'],
};

function Differences({ set: { differences, unit } }: { readonly set: ComparedSet }) {
  const hasRemarks = differences.some((one) => remarkOn(one) !== '');
  return (
    <section class="scroll" aria-label="Differences" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{unit === 'seed' ? 'arm' : 'run'}</th>
            <th scope="col">verdict</th>
            <th scope="col" class="right">
              difference
            </th>
            <th scope="col">95&nbsp;% interval</th>
            <th scope="col" class="right">
              p (Holm)
            </th>
            <th scope="col">pairs</th>
            {hasRemarks && <th scope="col">remark</th>}
          </tr>
        </thead>
        <tbody>
          {differences.map((one) => {
            const [word, look] = verdicts[one.verdict];
            return (
              <tr key={`${one.of} ${one.against}`}>
                <th scope="row">
                  <Plain text={one.of} limit={60} />
                </th>
                <td>
                  <strong class={look}>{word}</strong>
                </td>
                <td class="right number">{one.difference === null ? '–' : pointsWords(one.difference)}</td>
                <td class="number">{intervalWords(one)}</td>
                <td class="right number">{chanceWords(one.adjusted)}</td>
                <td class="number">{pairsWords(one)}</td>
                {hasRemarks && (
                  <td>
                    <Plain text={remarkOn(one)} limit={300} />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function intervalWords({ low, high }: Pick<RunDifference, 'low' | 'high'>): string {
  if (low === null || high === null) return '–';
  return `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`.replaceAll('-', '−');
}

function chanceWords(p: number | null): string {
  if (p === null) return '–';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

function pairsWords({ pairs, units, better, worse }: RunDifference): string {
  return pairs === null ? '–' : `better in ${better}, worse in ${worse} of ${units} ${pairs}`;
}

/** What there is to say beside the verdict and the difference. */
function remarkOn({ says, unitsNeeded }: RunDifference): string {
  const rest = says.replace(/^(?:inconclusive|(?:better|worse) by [\d.]+ points?)(?:[:,] |$)/, '');
  const remarks = [
    ...(rest === '' ? [] : [rest]),
    ...(unitsNeeded === null ? [] : [`about ${unitsNeeded} seeds would make it significant`]),
  ];
  return remarks.join('; ');
}

function Arms({ set: { arms, baseline } }: { readonly set: ComparedSet }) {
  return (
    <section class="scroll" aria-label="Arms" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">arm</th>
            <th scope="col" class="right">
              seeds
            </th>
            <th scope="col" class="right">
              mean over seeds
            </th>
            <th scope="col" class="right">
              standard deviation
            </th>
          </tr>
        </thead>
        <tbody>
          {arms.map(({ arm, runs, mean, low, high, deviation }) => (
            <tr key={arm}>
              <th scope="row">
                <Plain text={arm} limit={60} />
                {arm === baseline && arms.length > 1 && <span class="quiet"> baseline</span>}
              </th>
              <td class="right">{runs.filter(({ value }) => value !== null).length}</td>
              <td class="right">
                <Rate rate={{ value: mean, low, high }} />
              </td>
              <td class="right number">{deviation === null ? '–' : (100 * deviation).toFixed(1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface FamiliesProps {
  readonly difference: RunDifference;
  readonly set: ComparedSet;
  readonly compared: Compared;
}

function Families({
  difference: { families, of, against },
  set: { suite },
  compared: { runs, measure },
}: FamiliesProps) {
  const sourceOf = (label: string, family: string): Source | undefined => {
    const run = runs.find((one) => one.label === label);
    const { name = '', run: id = '', stage = null } = run ?? {};
    return stage === null ? undefined : rateSource({ run: name, id, stage, measure, family, ...suite });
  };
  if (families.length === 0) return null;
  return (
    <section class="scroll" aria-label="By family" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">family</th>
            <th scope="col" class="right">
              <Plain text={of} limit={40} />
            </th>
            <th scope="col" class="right">
              <Plain text={against} limit={40} />
            </th>
            <th scope="col" class="right">
              difference
            </th>
          </tr>
        </thead>
        <tbody>
          {families.map((one) => (
            <tr key={one.family}>
              <th scope="row">
                <Plain text={one.family} limit={60} />
              </th>
              <td class="right">
                <Rate rate={one.of} source={sourceOf(of, one.family)} />
              </td>
              <td class="right">
                <Rate rate={one.against} source={sourceOf(against, one.family)} />
              </td>
              <td class="right number">{one.difference === null ? '–' : pointsWords(one.difference)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
