// What a drafted decision amounts to: the differences, the reasons, what is missing, and the button that records it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { NextDecision } from '../../../schemas/next-output.ts';
import { listed, many } from '../../charts/words.ts';
import { CopyLine } from '../menu.tsx';
import { Plain } from '../parts.tsx';
import { placeText, shellWord } from '../place.ts';
import { hrefOf } from '../router.ts';
import { stepsWords, turnWords } from '../words.ts';
import {
  changesIn,
  citesIn,
  type Draft,
  type DraftChange,
  emptyDraft,
  faultOf,
  isEmpty,
  isWhole,
  knobIn,
  sumOf,
  unknownCites,
} from './adopt-draft.ts';

interface PreviewProps {
  readonly next: NextDecision;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** Without `human/`; empty: the user of the server. */
  readonly actor: string;
  readonly onActor: (actor: string) => void;
  readonly evidenceIds: readonly string[];
  readonly hasContext: boolean;
  readonly mayAdopt: boolean;
  readonly onAdopt: () => void;
}

export function Preview(props: PreviewProps) {
  const { next, draft, onDraft, actor, onActor, evidenceIds, hasContext, mayAdopt, onAdopt } = props;
  const [isAsking, setAsking] = useState(false);
  const changes = changesIn(draft, next.knobs);
  const faults = faultsIn(draft, next, hasContext ? evidenceIds : []);
  const decision = placeText(next.name, next.stage);
  return (
    <aside class="preview" aria-label="The decision">
      <h2>The decision</h2>
      <label>
        Reason for the whole
        <textarea
          rows={3}
          value={draft.rationale}
          onInput={(event) => onDraft({ ...draft, rationale: event.currentTarget.value })}
        />
      </label>
      <label>
        Evidence ids for changes that cite none themselves
        <input
          type="text"
          list="evidence-ids"
          autocomplete="off"
          spellcheck={false}
          value={draft.cites}
          onInput={(event) => onDraft({ ...draft, cites: event.currentTarget.value })}
        />
      </label>
      {hasContext ? (
        <p class="quiet">
          <a href={hrefOf('context', decision)} target="_blank" rel="noreferrer">
            What can be cited
          </a>{' '}
          ({many(evidenceIds.length, 'evidence id')}, in a new tab)
        </p>
      ) : (
        <>
          <p class="quiet">
            No context is recorded for this decision, so nothing can be cited. This command asks an engineer, and
            records what it is shown:
          </p>
          <CopyLine text={`icecore propose ${shellWord(decision)} --engineer rules`} what="command" />
        </>
      )}
      <label>
        Your name
        <input
          type="text"
          autocomplete="username"
          spellcheck={false}
          placeholder="the user of the server"
          value={actor}
          aria-invalid={!isActor(actor)}
          onInput={(event) => onActor(event.currentTarget.value)}
        />
      </label>
      <h3>{changes.length === 0 ? 'No change: the configuration stays as it is' : many(changes.length, 'change')}</h3>
      <Changes changes={changes} common={citesIn(draft.cites)} />
      {[...faults, ...(isActor(actor) ? [] : ['Your name may contain neither spaces nor slashes.'])].map((fault) => (
        <p key={fault} class="bad">
          ✗ {fault}
        </p>
      ))}
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={!mayAdopt || faults.length > 0 || !isActor(actor)}
          onClick={() => setAsking(true)}
        >
          Adopt for stage {next.stage} …
        </button>
        <button type="button" disabled={isEmpty(draft)} onClick={() => onDraft(emptyDraft)}>
          Clear
        </button>
      </p>
      {isAsking && (
        <Confirm
          next={next}
          changes={changes}
          draft={draft}
          onClose={(isSure) => {
            setAsking(false);
            if (isSure) onAdopt();
          }}
        />
      )}
    </aside>
  );
}

function isActor(name: string): boolean {
  return /^[^\s/]*$/.test(name);
}

/** What would be refused. */
function faultsIn(draft: Draft, { knobs, shares }: NextDecision, evidenceIds: readonly string[]): readonly string[] {
  const wrong = knobs.filter((knob) => faultOf(knob, knobIn(draft, knob.knob)) !== null).map(({ knob }) => knob);
  const unknown = unknownCites(draft, knobs, new Set(evidenceIds));
  return [
    ...(wrong.length === 0 ? [] : [`Not allowed: the ${wrong.length === 1 ? 'value' : 'values'} of ${listed(wrong)}.`]),
    ...shares.flatMap((one) =>
      isWhole(sumOf(draft, knobs, one), one)
        ? []
        : [`The shares ${one.knobs[0]} … ${one.knobs.at(-1)} must sum to ${one.total}.`],
    ),
    ...(unknown.length === 0 ? [] : [`Not shown in the context, so not citable: ${listed(unknown)}.`]),
  ];
}

interface ChangesProps {
  readonly changes: readonly DraftChange[];
  /** Evidence of changes that cite none. */
  readonly common: readonly string[];
}

function Changes({ changes, common }: ChangesProps) {
  if (changes.length === 0) return null;
  return (
    <ul class="plain-list diff">
      {changes.map((change) => {
        const cites = change.cites.length > 0 ? change.cites : common;
        return (
          <li key={change.knob}>
            <strong>
              <Plain text={change.knob} />
            </strong>{' '}
            <span class="number">{turnWords(change)}</span>
            {change.steps !== null && <span class="quiet"> ({stepsWords(change.steps)})</span>}
            {change.reason.trim() === '' ? (
              <span class="warning"> no reason</span>
            ) : (
              <>
                {' '}
                “<Plain text={change.reason.trim()} limit={120} />”
              </>
            )}
            {cites.length > 0 && <span class="quiet"> cites {cites.join(', ')}</span>}
          </li>
        );
      })}
    </ul>
  );
}

interface ConfirmProps {
  readonly next: NextDecision;
  readonly changes: readonly DraftChange[];
  readonly draft: Draft;
  readonly onClose: (isSure: boolean) => void;
}

/** A decision is recorded once and stays in the ledger. */
function Confirm({ next, changes, draft, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={() => onClose(false)}>
      <h2 id="confirm-title">
        Adopt for stage {next.stage} of <Plain text={next.name} />?
      </h2>
      <p>It is recorded in the ledger and cannot be taken back. The run continues with it.</p>
      {draft.rationale.trim() !== '' && (
        <blockquote>
          <Plain text={draft.rationale.trim()} />
        </blockquote>
      )}
      {changes.length === 0 ? (
        <p>The configuration stays as it is.</p>
      ) : (
        <Changes changes={changes} common={citesIn(draft.cites)} />
      )}
      <p class="actions">
        <button type="button" class="primary" onClick={() => onClose(true)}>
          Adopt
        </button>
        <button type="button" onClick={() => onClose(false)}>
          Not yet
        </button>
      </p>
    </dialog>
  );
}
