// A person decides the next configuration: edits knobs, says why, cites evidence, and adopts.
import { useEffect, useState } from 'preact/hooks';
import type { AdoptResult } from '../../../schemas/by-hand-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { NextDecision } from '../../../schemas/next-output.ts';
import type { ServerIndex } from '../../../schemas/server-output.ts';
import { many } from '../../charts/words.ts';
import { ApiError, isServed, post, useAnswer } from '../api.ts';
import { useLiveVersion } from '../live.ts';
import { CopyButton, CopyLine } from '../menu.tsx';
import { Answered, Empty, Failed, Moment, Plain, RunTabs } from '../parts.tsx';
import { placeIn, placeText, runPath, shellWord } from '../place.ts';
import { hrefOf } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { type Draft, decisionOf, draftOf, emptyDraft, isEmpty, keepDraft, keptDraft } from './adopt-draft.ts';
import { Knobs } from './adopt-knobs.tsx';
import { Preview } from './adopt-preview.tsx';
import './adopt.css';

export function Adopt({ route }: ViewProps) {
  const { run } = placeIn(route.of);
  const version = useLiveVersion(
    ['ConfigAdopted', 'StageStarted', 'StageCompleted', 'ContextRecorded', 'ProposalRecorded'],
    run,
  );
  const [asked, setAsked] = useState(0);
  const next = useAnswer<NextDecision>(isServed ? runPath(run, '/next') : null, `${version} ${asked}`);
  return (
    <>
      <RunTabs run={run} at="adopt" />
      {isServed ? (
        <Answered answer={next} what="the next decision">
          {(value) => <Deciding key={value.stage} next={value} onAgain={() => setAsked((before) => before + 1)} />}
        </Answered>
      ) : (
        <Empty>
          <p>
            This copy of the page has no server, so nothing can be decided here. Open the ledger with icecore serve.
          </p>
        </Empty>
      )}
    </>
  );
}

type Sent =
  | { readonly state: 'not-sent' | 'sending' }
  | { readonly state: 'adopted'; readonly result: AdoptResult }
  | { readonly state: 'refused'; readonly fault: unknown };

interface DecidingProps {
  readonly next: NextDecision;
  readonly onAgain: () => void;
}

function Deciding({ next, onAgain }: DecidingProps) {
  const { run, name, stage, stages, knobs, contexts } = next;
  const [draft, setDraft] = useState<Draft>(() => keptDraft(run, stage));
  const [actor, setActor] = useState(localStorage.getItem(actorKey) ?? '');
  const [sent, setSent] = useState<Sent>({ state: 'not-sent' });
  useEffect(() => keepDraft(run, stage, draft), [draft]);
  useEffect(() => localStorage.setItem(actorKey, actor), [actor]);
  const index = useAnswer<ServerIndex>('/');
  const mayWrite = index.state !== 'ready' || index.value.access !== 'read';
  const context = contexts.at(-1) ?? null;
  const shown = useAnswer<{ readonly data: EventData['ContextRecorded'] }>(
    context === null ? null : `/events/${context.event}`,
  );
  const evidenceIds = shown.state === 'ready' ? Object.keys(shown.value.data.evidenceIds) : [];
  const adopt = async (): Promise<void> => {
    setSent({ state: 'sending' });
    const decision = decisionOf(draft, {
      next,
      context: context?.digest ?? null,
      actor: actor === '' ? null : `human/${actor}`,
    });
    try {
      const result = await post<AdoptResult>(runPath(placeText(name, stage), '/adopt'), {
        type: 'application/json',
        text: JSON.stringify(decision),
      });
      setDraft(emptyDraft);
      setSent({ state: 'adopted', result });
    } catch (fault) {
      setSent({ state: 'refused', fault });
    }
    onAgain();
  };
  if (sent.state === 'adopted') return <Adopted result={sent.result} />;
  return (
    <>
      <h1>
        Decide stage {stage} of <Plain text={name} />
      </h1>
      <p class="subtitle">
        <Plain text={next.environment} />,{' '}
        {stage <= stages ? `stage ${stage} of ${stages} planned` : `after all ${stages} planned stages`}; the
        configuration in force is that of <a href={hrefOf('why', placeText(name, stage - 1))}>stage {stage - 1}</a>.
      </p>
      <Standing next={next} mayWrite={mayWrite} hasDraft={!isEmpty(draft)} />
      {sent.state === 'refused' && <Refused fault={sent.fault} next={next} draft={draft} />}
      {(next.due || !isEmpty(draft)) && (
        <>
          <Proposals next={next} draft={draft} onDraft={setDraft} />
          <div class="split adopting">
            <Knobs knobs={knobs} shares={next.shares} draft={draft} onDraft={setDraft} evidenceIds={evidenceIds} />
            <Preview
              next={next}
              draft={draft}
              onDraft={setDraft}
              actor={actor}
              onActor={setActor}
              evidenceIds={evidenceIds}
              hasContext={context !== null}
              mayAdopt={next.due && mayWrite && sent.state !== 'sending'}
              onAdopt={() => void adopt()}
            />
          </div>
        </>
      )}
    </>
  );
}

const actorKey = 'icecore-person';

interface StandingProps {
  readonly next: NextDecision;
  readonly mayWrite: boolean;
  readonly hasDraft: boolean;
}

/** Whether it can be decided now and here. */
function Standing({ next, mayWrite, hasDraft }: StandingProps) {
  const { due, note, waiting, own, holder, stage, stages, engineer } = next;
  const isPlanned = stage <= stages;
  const kept = hasDraft ? ' What you typed is below, and stays until you clear it.' : '';
  return (
    <>
      {!mayWrite && (
        <p class="standing warning" role="status">
          Your token may only read. You can prepare a decision here, but adopting it needs a token that may write.
        </p>
      )}
      {due && waiting && (
        <p class="standing" role="status">
          The run waits for this decision.
        </p>
      )}
      {due && !waiting && (
        <p class="standing" role="status">
          {engineer === null || engineer === 'human'
            ? 'Nobody has decided yet.'
            : `The engineer ${engineer} would decide; a decision of yours takes its place.`}
        </p>
      )}
      {due && holder !== null && (
        <p class="standing warning" role="status">
          <Plain text={holder} /> runs it and has to stop first: press Ctrl-C there, then adopt here.
        </p>
      )}
      {!due && (
        <div class="standing" role="status">
          <p class="warning">
            Nothing can be decided now: <Plain text={note ?? 'it is not due'} />.{kept}
          </p>
          {own && <ForkInstead next={next} isPlanned={isPlanned} />}
        </div>
      )}
    </>
  );
}

function ForkInstead({ next, isPlanned }: { readonly next: NextDecision; readonly isPlanned: boolean }) {
  const { name, stage } = next;
  return (
    <>
      <p>
        {isPlanned ? (
          <>
            <a href={hrefOf('why', placeText(name, stage))}>What was decided for stage {stage}</a>. To decide it
            differently, make another run that shares this history:
          </>
        ) : (
          'To decide a further stage yourself, make another run that shares this history:'
        )}
      </p>
      <CopyLine text={`icecore fork ${shellWord(placeText(name, stage))} --engineer human`} what="command" />
    </>
  );
}

interface RefusedProps {
  readonly fault: unknown;
  readonly next: NextDecision;
  readonly draft: Draft;
}

function Refused({ fault, next, draft }: RefusedProps) {
  const status = fault instanceof ApiError ? fault.status : 0;
  if (status === 409)
    return (
      <div class="failed" role="alert">
        <p>
          <strong>
            Somebody else decided meanwhile. Your decision was not recorded, and nothing you typed is lost.
          </strong>
        </p>
        <p>
          <Plain text={(fault as ApiError).message} />.{' '}
          <a href={hrefOf('why', placeText(next.name, next.stage))}>See the decision</a>
        </p>
        <CopyButton text={JSON.stringify(draft, null, 2)} what="what you typed" />
      </div>
    );
  if (status === 403)
    return (
      <div class="failed" role="alert">
        <p>
          <strong>Your token may only read, so the decision was not recorded. Nothing you typed is lost.</strong>
        </p>
        <p>Ask whoever runs the server for a token that may write, and enter it in a new tab.</p>
      </div>
    );
  return <Failed fault={fault} />;
}

interface ProposalsProps {
  readonly next: NextDecision;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

function Proposals({ next, draft, onDraft }: ProposalsProps) {
  if (next.proposals.length === 0) return null;
  return (
    <section>
      <h2>Proposals</h2>
      <ul class="plain-list proposals">
        {next.proposals.map((proposal) => (
          <li key={proposal.event}>
            <strong>
              <Plain text={proposal.engineer} />
            </strong>
            , <Moment at={proposal.at} />: {many(proposal.changes.length, 'change')}.{' '}
            {proposal.rationale !== null && <Plain text={proposal.rationale} limit={300} />}{' '}
            <button
              type="button"
              aria-pressed={draft.proposal === proposal.event}
              onClick={() => onDraft(draftOf(proposal))}
            >
              {draft.proposal === proposal.event ? 'Started from it' : 'Start from it'}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Adopted({ result }: { readonly result: AdoptResult }) {
  const { name, stage, adopted, leftOut, recorded, next } = result;
  return (
    <>
      <h1>
        Stage {stage} of <Plain text={name} /> is decided
      </h1>
      <p role="status">
        {adopted.changes.length === 0
          ? 'The configuration stays as it is'
          : many(adopted.changes.length, 'changed knob')}
        , recorded as event <code>{`${recorded.stream}@${recorded.revision}`}</code>.{' '}
        <a href={hrefOf('why', placeText(name, stage))}>See the decision</a>
      </p>
      {leftOut.length > 0 && (
        <p>The engineer's reasons for values that you changed were left out: {leftOut.join(', ')}.</p>
      )}
      <p>The run continues with this command:</p>
      <CopyLine text={next} what="command" />
    </>
  );
}
