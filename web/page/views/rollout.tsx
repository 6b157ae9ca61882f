// One rollout: what happened, played step by step beside a best answer, with everything that is recorded of it.
import type { RolloutShown } from '../../../schemas/rollout-output.ts';
import type { RunShown } from '../../../schemas/run-output.ts';
import { useAnswer } from '../api.ts';
import { Answered, Moment, Plain } from '../parts.tsx';
import { placeIn, placeText, type Rows, runPath, sqlPath } from '../place.ts';
import { filterIn, filterWords, type Neighbours, neighboursQuery } from '../rollout-filter.ts';
import { rolloutPath } from '../rollout-picture.tsx';
import { hrefOf, type Route } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { countWords } from '../words.ts';
import { Measured, RawEvent, Task, Texts } from './rollout-details.tsx';
import { Player } from './rollout-player.tsx';
import './rollout.css';

export function Rollout({ route }: ViewProps) {
  const answer = useAnswer<RolloutShown>(rolloutPath(route.of));
  return (
    <>
      <Within route={route} rollout={answer.state === 'ready' ? answer.value : null} />
      <Answered answer={answer} what="the rollout">
        {(rollout) => (
          <>
            <h1>{titleOf(rollout)}</h1>
            <Identity rollout={rollout} />
            <Failures rollout={rollout} />
            <Player rollout={rollout} route={route} />
            <div class="split even">
              <Measured rollout={rollout} />
              <Task rollout={rollout} />
            </div>
            <Texts rollout={rollout} />
            <RawEvent rollout={rollout} />
          </>
        )}
      </Answered>
    </>
  );
}

/** Where the reader came from, and the rollouts before and after it there. */
function Within({ route, rollout }: { readonly route: Route; readonly rollout: RolloutShown | null }) {
  const given = route.query.get('in');
  const filter = filterIn(route.query);
  const of = given ?? (rollout === null ? null : placeText(rollout.name, rollout.stage));
  const place = placeIn(of ?? '');
  const run = useAnswer<RunShown>(given === null ? null : runPath(place.run));
  const neighbours = useAnswer<Rows<Neighbours>>(
    run.state !== 'ready' || rollout === null
      ? null
      : sqlPath(neighboursQuery(run.value.run, place.stage, filter, rollout.event), 1),
  );
  const [found] = neighbours.state === 'ready' ? neighbours.value.rows : [];
  const words = filterWords(filter);
  const hrefTo = (event: string): string => hrefOf('rollout', event, { in: given, ...filter });
  return (
    <nav class="within" aria-label="Rollouts">
      {of === null ? null : (
        <a href={hrefOf('rollouts', of, { ...filter })}>
          ↑ Rollouts of <Plain text={words === '' ? of : `${of}: ${words}`} />
        </a>
      )}
      {found !== undefined && (
        <>
          <span class="grow" />
          {found.previous === null ? null : (
            <a href={hrefTo(found.previous)} rel="prev">
              ← Previous
            </a>
          )}
          <span class="number quiet">
            {countWords(found.place)} of {countWords(found.total)}
          </span>
          {found.next === null ? null : (
            <a href={hrefTo(found.next)} rel="next">
              Next →
            </a>
          )}
        </>
      )}
    </nav>
  );
}

/** `Hole in step 3`, `Solved in 9 steps`. */
function titleOf({ success, outcome, failures: [first], steps, error }: RolloutShown): string {
  if (error !== null) return `Spoilt by a fault: ${error.kind}`;
  if (success === true)
    return steps === null ? 'Solved' : `Solved in ${steps} ${steps === 1 ? 'agent step' : 'agent steps'}`;
  const word = first?.class ?? outcome.name;
  const step = first?.step == null ? '' : ` in step ${first.step}`;
  return `${success === false ? 'Not solved: ' : ''}${word}${step}`;
}

function Identity({ rollout }: { readonly rollout: RolloutShown }) {
  const { name, stage, split, family, sample, policy, checkpoint, happened_at: at, sealed, environment } = rollout;
  const words = [
    environment,
    ...(family === null ? [] : [`family ${family}`]),
    split,
    ...(sample === null ? [] : [`sample ${sample}`]),
    `policy ${policy}${checkpoint === null ? '' : `, checkpoint ${checkpoint.slice(0, 12)}`}`,
  ];
  return (
    <p class="subtitle">
      <Plain text={words.join(', ')} />
      {', '}
      <a href={hrefOf(stage === null ? 'run' : 'why', placeText(name, stage))}>{placeText(name, stage)}</a>
      {', '}
      <Moment at={at} />
      {sealed === null ? '.' : sealed ? ', sealed.' : ', not sealed yet.'}
    </p>
  );
}

/** Without the step and the class, if it begins with them. */
function saysBeside(says: string, name: string, step: number | null): string {
  const rest = says.startsWith(`step ${step}: `) ? says.slice(`step ${step}: `.length) : says;
  return rest.startsWith(`${name} `) ? rest.slice(name.length + 1) : rest;
}

function Failures({ rollout }: { readonly rollout: RolloutShown }) {
  const { failures, error, outcome, success } = rollout;
  return (
    <>
      {error !== null && (
        <p class="warning">
          <Plain text={error.message} />
        </p>
      )}
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map(({ class: name, step, says, meaning }, index) => (
            <li key={index}>
              <strong>
                {step === null ? '' : `Step ${step}: `}
                <Plain text={name} />
              </strong>{' '}
              {says !== null && <Plain text={saysBeside(says, name, step)} />}
              {meaning !== null && (
                <span class="quiet">
                  {' '}
                  (<Plain text={meaning} />)
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {failures.length === 0 && outcome.meaning !== null && success !== true && (
        <p>
          <Plain text={outcome.meaning} />.
        </p>
      )}
    </>
  );
}
