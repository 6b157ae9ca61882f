// Why a stage was configured as it was: who decided and what was said, each change with its reason, the evidence it cites, the
// rollouts behind that, and what followed.
import type { RunShown } from '../../../schemas/run-output.ts';
import type { Why, WhyChange } from '../../../schemas/why-output.ts';
import { listed } from '../../charts/words.ts';
import { useAnswer } from '../api.ts';
import { useLiveVersion } from '../live.ts';
import { CopyLine } from '../menu.tsx';
import { AfterwardsNote, Answered, Empty, Loading, Moment, Plain, ReasonNote, RunTabs } from '../parts.tsx';
import { placeIn, placeText, runPath, shellWord } from '../place.ts';
import { hrefOf, type Route, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { StagePicker } from '../stage-picker.tsx';
import { citationWords, countWords, deciderWords, familyWords, sentence, unchangedWords } from '../words.ts';
import { FamilyChanges } from './why-changes.tsx';
import { CourseLine } from './why-effects.tsx';
import { Uncited } from './why-evidence.tsx';
import { isAsked, type Opening, openingOf } from './why-opening.ts';
import { Alerts, Remarks } from './why-remarks.tsx';
import './why.css';

export function WhyView({ route }: ViewProps) {
  const { run, stage } = placeIn(route.of);
  const version = useLiveVersion(['StageCompleted', 'ConfigAdopted', 'ProposalRecorded'], run);
  const why = useAnswer<Why>(runPath(route.of, '/why?detail=4'), version);
  const shown = useAnswer<RunShown>(runPath(run), version);
  const at = stage ?? (why.state === 'ready' ? why.value.stage : null);
  return (
    <>
      <RunTabs run={run} at="why" stage={at} />
      <Answered answer={why} what="the decision">
        {(value) => (
          <>
            <header class="stage-head">
              <h1>
                Why <Plain text={placeText(value.name, value.stage)} />
              </h1>
              {shown.state === 'ready' ? (
                <StagePicker view="why" run={run} at={value.stage} stages={decidedIn(shown.value)} />
              ) : null}
            </header>
            <DecisionShown why={value} />
            <ChangesShown why={value} route={route} opening={openingOf(value, route)} />
            <AfterwardsNote decisions={[value]} />
            <ReasonNote reasons={value.changes.map(({ says }) => says)} />
            <Remarks why={value} opening={openingOf(value, route)} />
          </>
        )}
      </Answered>
    </>
  );
}

/** Stages that started, and the next one once it is decided. */
function decidedIn({ stages, next }: RunShown): readonly number[] {
  return [...stages.map(({ stage }) => stage), ...(next === null ? [] : [next.stage])];
}

function DecisionShown({ why }: { readonly why: Why }) {
  const { decision, changed, stage, name, isShared, effects } = why;
  const { says, at, context, citation, preservation, recordedBy } = decision;
  const [overall] = effects;
  return (
    <section class="decision" aria-label="The decision">
      <p class="subtitle">
        <Plain text={deciderWords(why)} />
        {at !== null && (
          <>
            , <Moment at={at} />
          </>
        )}
        {isShared && recordedBy !== null && recordedBy !== name && (
          <>
            , recorded by <a href={hrefOf('why', placeText(recordedBy, stage))}>{recordedBy}</a>, whose history this run
            shares
          </>
        )}
        .
      </p>
      {says !== null && (
        <blockquote>
          <Plain text={says} />
        </blockquote>
      )}
      <p>
        {decision.by !== 'initial' && (
          <strong>
            {changed === 0 ? 'No knob changed.' : `${countWords(changed)} ${changed === 1 ? 'knob' : 'knobs'} changed.`}
          </strong>
        )}{' '}
        {citationWords(why.changes)}{' '}
        {context !== null && (
          <>
            Shown {context.form === null ? 'a context' : <Plain text={`context ${context.form}`} />}
            {context.isKnown ? (
              <>
                {' '}
                with{' '}
                <a href={hrefOf('context', placeText(name, stage))}>{countWords(context.evidenceIds)} evidence ids</a>.
              </>
            ) : (
              <span class="warning">, which is not in this ledger or unreadable.</span>
            )}
          </>
        )}
        {context === null && (decision.by === 'engineer' || decision.by === 'human') && 'No context was shown.'}{' '}
        <Scores citation={citation} preservation={preservation} />
      </p>
      {stage > 1 && overall !== undefined && (
        <p>
          Afterwards, on validation: <CourseLine why={why} effect={overall} />
        </p>
      )}
      <Alerts why={why} />
    </section>
  );
}

function Scores({ citation, preservation }: Pick<Why['decision'], 'citation' | 'preservation'>) {
  const scores = [
    ...(citation === null ? [] : [`citation score ${Number(citation.toPrecision(3))}`]),
    ...(preservation === null ? [] : [`preservation score ${Number(preservation.toPrecision(3))}`]),
  ];
  return scores.length === 0 ? null : <span class="quiet">{sentence(listed(scores))}</span>;
}

interface ChangesShownProps {
  readonly why: Why;
  readonly route: Route;
  readonly opening: Opening;
}

function ChangesShown({ why, route, opening }: ChangesShownProps) {
  const { changes, decision, name, stage } = why;
  const { isAll } = opening;
  const asked = route.query.get('knob');
  const shown = changes.filter((change) => isAsked(change, asked));
  const families = [...new Set(shown.map(({ family }) => family))];
  if (decision.by === 'initial' && changes.length === 0)
    return (
      <Empty>
        <p>
          Stage 1 starts with the configuration that the run was given, so there is nothing to explain.{' '}
          <a href={hrefOf('run', name)}>The run</a> shows its settings; stage 2 is the first that is decided.
        </p>
        <CopyLine what="command" text={`icecore show ${shellWord(placeText(name, stage))}`} />
      </Empty>
    );
  return (
    <>
      {changes.length > 1 && (
        <div class="controls">
          <KnobFilter changes={changes} asked={asked} route={route} />
          <button type="button" onClick={() => replaceQuery(route, { open: isAll ? 'none' : 'all' })}>
            {isAll ? 'Hide all evidence' : 'Show all evidence'}
          </button>
        </div>
      )}
      {asked !== null && shown.length === 0 && <Unchanged of={placeText(name, stage)} asked={asked} />}
      {families.map((family) => (
        <FamilyChanges
          key={family ?? ''}
          why={why}
          family={family}
          changes={shown.filter((change) => change.family === family)}
          opening={opening}
        />
      ))}
      {why.uncited !== null && <Uncited rollout={why.uncited} />}
    </>
  );
}

interface KnobFilterProps {
  readonly changes: readonly WhyChange[];
  readonly asked: string | null;
  readonly route: Route;
}

function KnobFilter({ changes, asked, route }: KnobFilterProps) {
  const families = [...new Set(changes.flatMap(({ family }) => family ?? []))];
  const known = [...families, ...changes.map(({ knob }) => knob)];
  return (
    <label>
      Knob or family
      <select
        value={asked ?? ''}
        onChange={(event) => replaceQuery(route, { knob: event.currentTarget.value, open: null })}
      >
        <option value="">All {changes.length} changes</option>
        {asked !== null && !known.includes(asked) && <option value={asked}>{asked}</option>}
        {families.length > 1 && (
          <optgroup label="Families">
            {families.map((family) => (
              <option key={family} value={family}>
                {familyWords(family)}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="Knobs">
          {changes.map(({ knob }) => (
            <option key={knob} value={knob}>
              {knob}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

/** The knob, or the knobs of the family, did not change for this stage. */
function Unchanged({ of, asked }: { readonly of: string; readonly asked: string }) {
  const answer = useAnswer<Why>(runPath(of, `/why?${new URLSearchParams({ detail: '4', knob: asked })}`));
  if (answer.state === 'loading') return <Loading what="the knob" />;
  const { run } = placeIn(of);
  return (
    <Answered answer={answer} what="the knob">
      {({ unchanged, stage }) => (
        <ul class="plain-list">
          {unchanged.map((one) => (
            <li key={one.knob}>
              {unchangedWords(one, stage)}.{' '}
              {one.last !== null && (
                <a href={hrefOf('why', placeText(run, one.last.stage), { knob: one.knob })}>
                  Why it changed for stage {one.last.stage}
                </a>
              )}{' '}
              {one.next !== null && (
                <a href={hrefOf('why', placeText(run, one.next.stage), { knob: one.knob })}>
                  Why it changes for stage {one.next.stage}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </Answered>
  );
}
