// Small parts that many views share: waiting, faults, nothing to show, rates, moments, runs.

import type { ComponentChildren } from 'preact';
import { afterwardsNote } from '../../schemas/afterwards.ts';
import { worthNote } from '../../schemas/estimated-worth.ts';
import { percent } from '../charts/words.ts';
import { type Answer, ApiError, isServed } from './api.ts';
import { Figure, type Source } from './menu.tsx';
import { type Place, placeText } from './place.ts';
import { hrefOf } from './router.ts';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Failed({ fault }: { readonly fault: unknown }) {
  const error = fault instanceof ApiError ? fault : null;
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{error === null ? 'The page failed' : sentence(error.message)}</strong>
      </p>
      {error?.remedy != null && <p>{error.remedy}</p>}
      {error === null && <p>{String(fault)}</p>}
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** The content of an answer, or what to show while or because there is none. */
export function Answered<Value>({
  answer,
  what,
  children,
}: {
  readonly answer: Answer<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  if (answer.state === 'loading') return <Loading what={what} />;
  if (answer.state === 'failed') return <Failed fault={answer.fault} />;
  return (
    <>
      {answer.fault !== null && <Failed fault={answer.fault} />}
      {children(answer.value)}
    </>
  );
}

export interface RateValue {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly count?: number | null;
  readonly of?: number | null;
}

/** `24.1 % [22, 27]` */
export function Rate({ rate, source }: { readonly rate: RateValue; readonly source?: Source | undefined }) {
  if (rate.value === null) return <span class="quiet">–</span>;
  const words = (
    <>
      {percent(rate.value)}
      {rate.low !== null && rate.high !== null && (
        <span class="interval">
          {' '}
          [{(100 * rate.low).toFixed(0)}, {(100 * rate.high).toFixed(0)}]
        </span>
      )}
    </>
  );
  return source === undefined ? <span class="number">{words}</span> : <Figure source={source}>{words}</Figure>;
}

/** `2026-11-24 13:05`, in UTC as everywhere in icecore. */
export function Moment({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {at.slice(0, 16).replace('T', ' ')}
    </time>
  );
}

export function RunLink({ run, children }: { readonly run: string; readonly children?: ComponentChildren }) {
  return <a href={hrefOf('run', run)}>{children ?? run}</a>;
}

/** The views of one run, as tabs. `stage`: the views that show one stage keep it. */
export function RunTabs({
  run,
  at,
  stage = null,
}: {
  readonly run: string;
  readonly stage?: Place['stage'];
  readonly at: 'run' | 'why' | 'rollouts' | 'context' | 'adopt';
}) {
  const ofStage = placeText(run, stage);
  const tabs = [
    ['run', 'Story', run],
    ['why', 'Why', ofStage],
    ['rollouts', 'Rollouts', ofStage],
    ['context', 'Context', ofStage],
    ['adopt', 'Adopt', run],
  ] as const;
  return (
    <nav class="tabs" aria-label="Views of this run">
      {tabs
        .filter(([view]) => isServed || (view !== 'adopt' && view !== 'rollouts'))
        .map(([view, name, of]) => (
          <a key={view} href={hrefOf(view, of)} aria-current={at === view ? 'page' : undefined}>
            {name}
          </a>
        ))}
    </nav>
  );
}

/** A text of anybody, as it is: control and bidirectional characters become visible, and it never runs over its place. */
export function Plain({ text, limit }: { readonly text: string; readonly limit?: number }) {
  const shown = limit !== undefined && text.length > limit ? `${text.slice(0, limit)} …` : text;
  return <bdi class="plain">{visible(shown)}</bdi>;
}

// Controls (Cc) but line ends and tabs, and characters that turn the direction of what follows.
const invisible = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function visible(text: string): string {
  return text.replace(invisible, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Once beside all decisions of a view: what followed their changes need not come from them. */
export function AfterwardsNote({ decisions }: { readonly decisions: Parameters<typeof afterwardsNote>[0] }) {
  const note = afterwardsNote(decisions);
  return note === null ? null : <p class="quiet">{note}</p>;
}

/** What a number in reasons means. */
export function ReasonNote({ reasons }: { readonly reasons: readonly (string | null)[] }) {
  const note = worthNote(reasons);
  return note === null ? null : <p class="quiet">{note}</p>;
}
