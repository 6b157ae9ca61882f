// What an engineer saw when it decided: module by module, with what was cut, what of it was cited, and what became of it.
import type { ContextResult } from '../../../schemas/by-hand-output.ts';
import type { ListContexts } from '../../../schemas/list-output.ts';
import type { RunShown } from '../../../schemas/run-output.ts';
import type { Why } from '../../../schemas/why-output.ts';
import { useAnswer } from '../api.ts';
import { useLiveVersion } from '../live.ts';
import { CopyLine } from '../menu.tsx';
import { Answered, Empty, Loading, Plain, RunTabs } from '../parts.tsx';
import { type Place, placeIn, placeText, runPath, shellWord } from '../place.ts';
import { hrefOf, queryText, type Route, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { StagePicker } from '../stage-picker.tsx';
import { ContextAnswer } from './context-answer.tsx';
import { EvidencePanel } from './context-evidence.tsx';
import { ContextHead, Pair, Single } from './context-sections.tsx';
import './context.css';

export function Context({ route }: ViewProps) {
  const { run, stage } = placeIn(route.of);
  const version = useLiveVersion(['StageCompleted', 'ContextRecorded', 'ConfigAdopted'], run);
  const shown = useAnswer<RunShown>(runPath(run), version);
  const at = stage ?? (shown.state === 'ready' ? lastDecision(shown.value) : null);
  return (
    <>
      <RunTabs run={run} at="context" stage={at} />
      <header class="stage-head">
        <h1>
          What the engineer saw for <Plain text={placeText(run, at)} />
        </h1>
        {shown.state === 'ready' && (
          <StagePicker
            view="context"
            run={run}
            at={typeof at === 'number' ? at : null}
            stages={decisionsOf(shown.value)}
            query={{ context: route.query.get('context'), with: route.query.get('with') }}
          />
        )}
      </header>
      {at === null ? (
        <Answered answer={shown} what="the run">
          {() => <Loading what="the context" />}
        </Answered>
      ) : at === 1 ? (
        <Given run={run} />
      ) : (
        <OfDecision route={route} run={run} at={at} version={version} />
      )}
    </>
  );
}

/** A stage that was decided, or the next one. */
function lastDecision({ stages, next, state }: RunShown): Place['stage'] {
  if (next !== null) return next.stage;
  const last = stages.at(-1)?.stage ?? 1;
  return last > 1 && state !== 'stopped' ? last : 'next';
}

/** Decisions begin with stage 2; the one after the last complete stage has a context too. */
function decisionsOf({ stages, state, done }: RunShown): readonly number[] {
  const begun = stages.map(({ stage }) => stage).filter((stage) => stage > 1);
  const next = done + 1;
  return state === 'completed' || done === 0 || begun.includes(next) ? begun : [...begun, next];
}

function Given({ run }: { readonly run: string }) {
  return (
    <Empty>
      <p>
        Stage 1 is given, not decided: the run started with its configuration, so no engineer saw a context. The first
        decision is that of <a href={hrefOf('context', `${run}@2`)}>stage 2</a>.
      </p>
    </Empty>
  );
}

interface OfDecisionProps {
  readonly route: Route;
  readonly run: string;
  readonly at: number | 'next';
  /** Changes when something is recorded that may change the answer. */
  readonly version: number;
}

function contextPath(run: string, at: number | 'next', form: string | null): string {
  const query = queryText({ context: form });
  return runPath(placeText(run, at), `/context${query === '' ? '' : `?${query}`}`);
}

function OfDecision({ route, run, at, version }: OfDecisionProps) {
  const form = route.query.get('context');
  const beside = route.query.get('with');
  const context = useAnswer<ContextResult>(contextPath(run, at, form), version);
  const other = useAnswer<ContextResult>(beside === null ? null : contextPath(run, at, beside));
  const forms = useAnswer<ListContexts>('/contexts');
  const why = useAnswer<Why>(at === 'next' ? null : runPath(placeText(run, at), '/why?detail=4'), version);
  const decided = why.state === 'ready' ? why.value : null;
  const names = forms.state === 'ready' ? forms.value.rows.filter(({ kind }) => kind === 'form') : [];
  return (
    <>
      <div class="controls">
        <FormChoice
          name="Form"
          value={form}
          none="as the run has it"
          forms={names}
          onChoose={(next) => replaceQuery(route, { context: next })}
        />
        <FormChoice
          name="Beside it"
          value={beside}
          none="nothing"
          forms={names}
          onChoose={(next) => replaceQuery(route, { with: next })}
        />
      </div>
      <Answered answer={context} what="the context">
        {(value) => (
          <>
            {beside === null ? (
              <>
                <ContextHead context={value} />
                <div class="split context">
                  <Single context={value} route={route} cited={citedIn(decided, value)} />
                  <EvidencePanel context={value} route={route} why={decided} />
                </div>
              </>
            ) : (
              <Answered answer={other} what="the other form">
                {(second) => <Pair left={value} right={second} />}
              </Answered>
            )}
            <p>
              <CopyLine
                text={`icecore context ${shellWord(placeText(value.name, value.stage))}${form === null ? '' : ` --context ${shellWord(form)}`}`}
                what="command"
              />
            </p>
          </>
        )}
      </Answered>
      {decided !== null && <ContextAnswer why={decided} />}
    </>
  );
}

/** The evidence ids that the decision cites, if it was made from this context. */
function citedIn(why: Why | null, { digest }: ContextResult): ReadonlySet<string> {
  if (why === null || why.decision.context?.digest !== digest) return new Set();
  return new Set([...why.changes, ...(why.kept ?? [])].flatMap(({ cites }) => cites ?? []));
}

interface FormChoiceProps {
  readonly name: string;
  readonly value: string | null;
  readonly none: string;
  readonly forms: ListContexts['rows'];
  readonly onChoose: (form: string | null) => void;
}

function FormChoice({ name, value, none, forms, onChoose }: FormChoiceProps) {
  return (
    <label>
      {name}
      <select value={value ?? ''} onChange={(event) => onChoose(event.currentTarget.value || null)}>
        <option value="">{none}</option>
        {value !== null && forms.every((form) => form.name !== value) && <option value={value}>{value}</option>}
        {forms.map((form) => (
          <option key={form.name} value={form.name}>
            {form.name}: {form.shows}
          </option>
        ))}
      </select>
    </label>
  );
}
