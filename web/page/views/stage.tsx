// One stage of a run: its decision, training, evaluations by family, failures, alerts, notes and configuration.
import type { RunShown, StageShown } from '../../../schemas/run-output.ts';
import { numberWords, percent } from '../../charts/words.ts';
import { useAnswer } from '../api.ts';
import { Figure } from '../menu.tsx';
import { Moment, Plain, Rate, RunTabs } from '../parts.tsx';
import { runPath, shellWord, sqlText } from '../place.ts';
import { hrefOf } from '../router.ts';
import { rateSource } from '../sources.ts';
import { Sparkline } from '../sparkline.tsx';
import { amountsWords } from '../words.ts';
import { AlertList } from './alerts.tsx';
import { DecisionPart } from './decision.tsx';

interface StageProps {
  readonly stage: StageShown;
  /** The run as it is typed in a command. */
  readonly of: string;
  readonly version: number;
}

export function Stage({ stage: shown, of, version }: StageProps) {
  const { name, stage, isOver, isShared, alerts, decision, notes, opaque } = shown;
  const at = `${of}@${stage}`;
  return (
    <>
      <h1>
        <a href={hrefOf('run', of)}>
          <Plain text={name} />
        </a>
        , stage {stage}
      </h1>
      <RunTabs run={at} at="run" />
      <Neighbours of={of} stage={stage} version={version} />
      {(!isOver || isShared) && (
        <p class="quiet">
          {isOver ? '' : 'This stage is not complete. '}
          {isShared ? 'It belongs to the history that this run shares with its parent.' : ''}
        </p>
      )}
      <Figures stage={shown} of={of} />
      <AlertList alerts={alerts} />
      <section aria-labelledby="decision">
        <h2 id="decision">How it was configured</h2>
        <DecisionPart decision={decision} of={of} id={shown.run} />
        <p>
          <a href={hrefOf('why', at)}>Reasons and evidence</a>
        </p>
      </section>
      <Evaluations stage={shown} of={of} />
      <FailuresByFamily stage={shown} of={of} />
      <Training stage={shown} />
      {notes.length > 0 && (
        <section aria-labelledby="notes">
          <h2 id="notes">Notes</h2>
          <ul class="notes">
            {notes.map((note) => (
              <li key={note.event}>
                <Plain text={note.says} limit={2_000} />{' '}
                <span class="quiet">
                  {note.actor}, <Moment at={note.at} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Knobs stage={shown} of={of} />
      {opaque.length > 0 && (
        <p class="warning">{opaque.length} of its events are of a type or version that this icecore does not know.</p>
      )}
    </>
  );
}

/** Beside the last and the next stage, the whole run. */
function Neighbours({ of, stage, version }: { readonly of: string; readonly stage: number; readonly version: number }) {
  const { value } = useAnswer<RunShown>(runPath(of), version);
  const stages = value?.stages.map((one) => one.stage) ?? [];
  const before = stages.findLast((one) => one < stage);
  const after = stages.find((one) => one > stage);
  return (
    <nav class="neighbours" aria-label="Other stages">
      <a href={hrefOf('run', of)}>The whole run</a>
      {before !== undefined && <a href={hrefOf('run', `${of}@${before}`)}>← Stage {before}</a>}
      {after !== undefined && <a href={hrefOf('run', `${of}@${after}`)}>Stage {after} →</a>}
    </nav>
  );
}

interface OfStage {
  readonly stage: StageShown;
  readonly of: string;
}

function Figures({ stage: shown, of }: OfStage) {
  const { stage, run, signal, training, unjudged, checkpoint } = shown;
  const signalSql = `SELECT learning_signal FROM learning_signal WHERE run_id = ${sqlText(run)} AND stage = ${stage} AND family IS NULL`;
  return (
    <dl class="figures">
      {(['valid', 'optimal'] as const).map((measure) => (
        <div key={measure}>
          <dt>{measure} rate</dt>
          <dd class="value">
            <Rate rate={shown[measure]} source={rateSource({ run: of, id: run, stage, measure })} />
          </dd>
          <dd class="quiet">{unjudged === null || unjudged === 0 ? 'validation suite' : `${unjudged} not judged`}</dd>
        </div>
      ))}
      <div>
        <dt>learning signal</dt>
        <dd class="value">
          {signal === null ? (
            '–'
          ) : (
            <Figure
              source={{
                rollouts: hrefOf('rollouts', `${of}@${stage}`, { split: 'train' }),
                command: `icecore show ${shellWord(`${of}@${stage}`)}`,
                sql: signalSql,
              }}
            >
              {percent(signal)}
            </Figure>
          )}
        </dd>
        <dd class="quiet">sample groups whose rewards differ</dd>
      </div>
      {training?.spent != null && (
        <div>
          <dt>training</dt>
          <dd>{amountsWords(training.spent)}</dd>
          {checkpoint !== null && <dd class="quiet">checkpoint {checkpoint.slice(0, 12)}</dd>}
        </div>
      )}
    </dl>
  );
}

function Evaluations({ stage: shown, of }: OfStage) {
  return (
    <section aria-labelledby="evaluations">
      <h2 id="evaluations">Evaluations</h2>
      {shown.evaluations.length === 0 && <p class="quiet">The policy was not evaluated after this stage.</p>}
      <div class="beside">
        {shown.evaluations.map((one) => (
          <Evaluation key={one.event} evaluation={one} stage={shown} of={of} />
        ))}
      </div>
    </section>
  );
}

type EvaluationRow = StageShown['evaluations'][number];

function Evaluation({ evaluation, stage: shown, of }: OfStage & { readonly evaluation: EvaluationRow }) {
  const { suite, split, rollouts, results } = evaluation;
  const measures = [...new Set(results.map(({ measure }) => measure))];
  const families = [...new Set(results.map(({ family }) => family))];
  const title = suite === split ? suite : `${suite} (${split})`;
  return (
    <section>
      <h3>
        <Plain text={title} /> <span class="quiet">{rollouts.toLocaleString('en')} rollouts</span>
      </h3>
      <section class="scroll" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">family</th>
              {measures.map((measure) => (
                <th key={measure} scope="col" class="right">
                  {measure}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {families.map((family) => (
              <tr key={family}>
                <th scope="row">{family === null ? 'all' : <Plain text={family} limit={60} />}</th>
                {measures.map((measure) => (
                  <td key={measure} class="right">
                    <Result
                      result={results.find((one) => one.family === family && one.measure === measure)}
                      of={{ run: of, id: shown.run, stage: shown.stage, measure, family, split, suite }}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface ResultProps {
  readonly result: EvaluationRow['results'][number] | undefined;
  readonly of: Parameters<typeof rateSource>[0];
}

/** What was counted is a rate; anything else is a number. */
function Result({ result, of }: ResultProps) {
  if (result === undefined || result.value === null) return <span class="quiet">–</span>;
  if (result.of !== null) return <Rate rate={result} source={rateSource(of)} />;
  return <Figure source={rateSource(of)}>{numberWords(result.value)}</Figure>;
}

/** Of the rollouts in which failures were counted; null where these are of several splits, or unknown. */
function splitOf(failuresFrom: string | null): string | null {
  if (failuresFrom?.startsWith('suite ')) return 'validation';
  return failuresFrom !== null && /^[a-z-]+$/.test(failuresFrom) && failuresFrom !== 'evidence' ? failuresFrom : null;
}

function FailuresByFamily({ stage: { failuresByFamily: rows, failuresFrom, failures, stage }, of }: OfStage) {
  const at = `${of}@${stage}`;
  const classes = failures.map((one) => one.class);
  const families = [...new Set(rows.map(({ family }) => family))];
  const all = [...new Set([...classes, ...rows.map((one) => one.class)])];
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Failures</h2>
      {rows.length === 0 ? (
        <p class="quiet">No failures are recorded for this stage.</p>
      ) : (
        <>
          {failuresFrom !== null && (
            <p class="quiet">Counted in {failuresFrom === 'probe' ? 'the probe rollouts' : failuresFrom}.</p>
          )}
          <section class="scroll" aria-label="Failures by family" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">family</th>
                  {all.map((name) => (
                    <th key={name} scope="col" class="right">
                      <Plain text={name} limit={40} />
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {families.map((family) => (
                  <tr key={family}>
                    <th scope="row">{family === null ? 'all' : <Plain text={family} limit={60} />}</th>
                    {all.map((name) => {
                      const found = rows.find((one) => one.family === family && one.class === name);
                      return (
                        <td key={name} class="right">
                          {found?.count == null || found.count === 0 ? (
                            <span class="quiet">–</span>
                          ) : (
                            <a
                              href={hrefOf('rollouts', at, {
                                split: splitOf(failuresFrom),
                                family,
                                failure_class: name,
                              })}
                            >
                              {found.count}
                              {found.of === null ? '' : ` of ${found.of}`}
                            </a>
                          )}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  );
}

function Training({ stage: { training, seed } }: { readonly stage: StageShown }) {
  if (training === null)
    return (
      <section aria-labelledby="training">
        <h2 id="training">Training</h2>
        <p class="quiet">No training is recorded for this stage.</p>
      </section>
    );
  const { signal, curve } = training;
  return (
    <section aria-labelledby="training">
      <h2 id="training">Training</h2>
      {seed !== null && <p class="quiet">Seed {seed}.</p>}
      <div class="beside">
        {curve.length > 0 && (
          <section class="scroll" aria-label="Measurements during training" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">measure</th>
                  <th scope="col">course</th>
                  <th scope="col" class="right">
                    first
                  </th>
                  <th scope="col" class="right">
                    last
                  </th>
                </tr>
              </thead>
              <tbody>
                {curve.map(({ measure, values }) => (
                  <tr key={measure}>
                    <th scope="row">
                      <Plain text={measure} limit={40} />
                    </th>
                    <td>
                      <Sparkline values={thinned(values)} what={measure} words={numberWords} />
                    </td>
                    <td class="right">{numberWords(values[0] ?? null)}</td>
                    <td class="right">{numberWords(values.at(-1) ?? null)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        {signal.length > 0 && (
          <section class="scroll" aria-label="Learning signal by family" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">family</th>
                  {['learning signal', 'entropy', 'KL'].map((title) => (
                    <th key={title} scope="col" class="right">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {signal.map(({ family, share, entropy, kl }) => (
                  <tr key={family}>
                    <th scope="row">{family === null ? 'all' : <Plain text={family} limit={60} />}</th>
                    <td class="right">{share === null ? '–' : percent(share)}</td>
                    <td class="right">{entropy === null ? '–' : numberWords(entropy)}</td>
                    <td class="right">{kl === null ? '–' : numberWords(kl)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </div>
    </section>
  );
}

const mostPoints = 60;

function thinned(values: readonly number[]): readonly number[] {
  const every = Math.ceil(values.length / mostPoints);
  return values.filter((_, index) => (values.length - 1 - index) % every === 0);
}

function Knobs({ stage: { knobs, decision, stage }, of }: OfStage) {
  if (knobs.length === 0) return null;
  const changed = new Set(decision.changes.map(({ knob }) => knob));
  return (
    <details>
      <summary>The whole configuration: {knobs.length} knobs</summary>
      <section class="scroll" aria-label="Configuration" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">knob</th>
              <th scope="col">family</th>
              <th scope="col" class="right">
                value
              </th>
              <th scope="col">changed</th>
            </tr>
          </thead>
          <tbody>
            {knobs.map(({ knob, family, value }) => (
              <tr key={knob}>
                <th scope="row">
                  <a href={hrefOf('why', `${of}@${stage}`, { knob })}>
                    <Plain text={knob} limit={60} />
                  </a>
                </th>
                <td>{family === null ? 'all' : <Plain text={family} limit={60} />}</td>
                <td class="right">{numberWords(value)}</td>
                <td>{changed.has(knob) ? 'for this stage' : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
