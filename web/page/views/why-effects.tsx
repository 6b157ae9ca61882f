// What followed a decision: rates of a family before and after, with their intervals.
import type { Why, WhyCourse, WhyEffect } from '../../../schemas/why-output.ts';
import { Rate } from '../parts.tsx';
import { decisionRateSource, type Measured } from '../sources.ts';
import { familyWords, pointsWords } from '../words.ts';

/** `24.1 % [22, 27] → 63.3 % [60, 66], +39.2 points (intervals apart)` */
export function CourseLine({ why, effect }: { readonly why: Why; readonly effect: WhyEffect }) {
  const { validation, family } = effect;
  if (validation.missing !== null) return <span class="quiet">{validation.missing}.</span>;
  return (
    <>
      <Rate rate={validation.before} source={decisionRateSource(why, why.stage - 1, family, 'validation')} />
      {' → '}
      <Rate rate={validation.after} source={decisionRateSource(why, why.stage, family, 'validation')} />
      {', '}
      <Gain course={validation} measured="validation" />
    </>
  );
}

/** A higher rate is better, but a higher learning signal need not be: mastered tasks give less signal. */
function Gain({ course, measured }: { readonly course: WhyCourse; readonly measured: Measured }) {
  const { gain, overlap } = course;
  if (gain === null) return <span class="quiet">–</span>;
  const isSure = overlap === false && measured !== 'signal';
  return (
    <span class={`number ${isSure ? (gain < 0 ? 'bad' : 'good') : ''}`}>
      {pointsWords(gain)}
      {overlap !== null && <span class="interval sure">{overlap ? ' (intervals overlap)' : ' (intervals apart)'}</span>}
    </span>
  );
}

const rows: readonly (readonly [measured: Measured, name: string])[] = [
  ['validation', 'valid on validation'],
  ['probe', 'valid on probes'],
  ['signal', 'learning signal'],
];

export function EffectTable({ why, effect }: { readonly why: Why; readonly effect: WhyEffect }) {
  const { stage } = why;
  const { family } = effect;
  return (
    <section class="scroll effect" aria-label={`Afterwards, ${familyWords(family)}`} tabIndex={0}>
      <table>
        <caption>Afterwards</caption>
        <thead>
          <tr>
            <th scope="col">{familyWords(family)}</th>
            <th scope="col" class="right">
              stage {stage - 1}
            </th>
            <th scope="col" class="right">
              stage {stage}
            </th>
            <th scope="col" class="right">
              difference
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([measured, name]) => {
            const course = effect[measured];
            return (
              <tr key={measured}>
                <th scope="row">{name}</th>
                <td class="right">
                  <Rate rate={course.before} source={decisionRateSource(why, stage - 1, family, measured)} />
                </td>
                {course.missing === null ? (
                  <>
                    <td class="right">
                      <Rate rate={course.after} source={decisionRateSource(why, stage, family, measured)} />
                    </td>
                    <td class="right">
                      <Gain course={course} measured={measured} />
                    </td>
                  </>
                ) : (
                  <td colSpan={2} class="quiet">
                    {course.missing}
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
