// Events as they are recorded: what happened where, in words, with the whole event on demand.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../api.ts';
import { type Column, DataTable } from '../data-table.tsx';
import type { LiveEvent } from '../live.ts';
import { CopyLine } from '../menu.tsx';
import { Answered, Empty, Failed, Plain } from '../parts.tsx';
import { hrefOf, type Query, type Route, replaceQuery } from '../router.ts';
import type { ViewProps } from '../shell.tsx';
import { type Feed, fieldsOf, mostRows, useFeed } from './live-feed.ts';
import { eventTypeNames, summaryOf } from './live-words.ts';
import { type RunNames, useRunNames } from './run-names.ts';
import './live.css';

export function Live({ route }: ViewProps) {
  const types = route.query.getAll('type');
  const run = route.query.get('run') ?? '';
  const [isPaused, setPaused] = useState(false);
  const [isAway, setAway] = useState(false);
  const feed = useFeed({ types, run, isHeld: isPaused || isAway });
  const names = useRunNames(feed.rows);
  const event = route.query.get('event');
  const set = (changed: Query): void => replaceQuery(route, changed);
  return (
    <>
      <h1>Live</h1>
      <Controls types={types} run={run} names={names} set={set} />
      <Status feed={feed} isPaused={isPaused} isAway={isAway} onPause={() => setPaused(!isPaused)} />
      {feed.fault !== null && <Failed fault={feed.fault} />}
      <div class={event === null ? '' : 'split'}>
        {feed.rows.length === 0 ? (
          <Nothing feed={feed} hasFilter={types.length > 0 || run !== ''} />
        ) : (
          <Rows feed={feed} names={names} route={route} onAway={setAway} />
        )}
        {event !== null && <Whole key={event} event={event} onClose={() => set({ event: null })} />}
      </div>
    </>
  );
}

interface ControlsProps {
  readonly types: readonly string[];
  readonly run: string;
  readonly names: RunNames;
  readonly set: (changed: Query) => void;
}

function Controls({ types, run, names, set }: ControlsProps) {
  const all = [...new Set([...eventTypeNames, ...types])].sort();
  const change = (type: string, isOn: boolean): void =>
    set({ type: isOn ? [...types, type] : types.filter((one) => one !== type) });
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <label>
        Run
        <input
          type="search"
          list="live-runs"
          placeholder="all runs"
          defaultValue={run}
          key={run}
          onChange={(event) => set({ run: event.currentTarget.value.trim() })}
        />
      </label>
      <datalist id="live-runs">
        {[...new Set(names.all)].slice(0, 500).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <details class="types">
        <summary>{types.length === 0 ? 'All types of events' : `Types: ${types.join(', ')}`}</summary>
        <fieldset>
          <legend class="hidden">Types of events</legend>
          {all.map((type) => (
            <label class="check" key={type}>
              <input
                type="checkbox"
                checked={types.includes(type)}
                onChange={(event) => change(type, event.currentTarget.checked)}
              />
              {type}
            </label>
          ))}
        </fieldset>
      </details>
      {types.length > 0 && (
        <button type="button" onClick={() => set({ type: null })}>
          All types
        </button>
      )}
    </form>
  );
}

interface StatusProps {
  readonly feed: Feed;
  readonly isPaused: boolean;
  readonly isAway: boolean;
  readonly onPause: () => void;
}

const states: Readonly<Record<Feed['state'], string>> = {
  connecting: 'Connecting …',
  connected: 'Connected',
  waiting: 'The connection was lost; trying again.',
  hidden: 'Not following while this tab is hidden.',
};

function Status({ feed, isPaused, isAway, onPause }: StatusProps) {
  return (
    <div class="feed-status">
      <button type="button" aria-pressed={isPaused} onClick={onPause}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <span class={`feed-state ${feed.state}`} role="status">
        {states[feed.state]}
      </span>
      <span class="number quiet">
        {feed.perSecond.toLocaleString('en')} {feed.perSecond === 1 ? 'event' : 'events'} per second
      </span>
      {feed.newer > 0 && (
        <span class="number">
          {feed.newer.toLocaleString('en')} newer {feed.newer === 1 ? 'event' : 'events'}
          {isPaused ? '' : isAway ? ': scroll to the top to see them' : ''}
        </span>
      )}
    </div>
  );
}

function Nothing({ feed, hasFilter }: { readonly feed: Feed; readonly hasFilter: boolean }) {
  if (feed.state === 'connecting' || feed.fault !== null) return null;
  return (
    <Empty>
      <p>
        {hasFilter
          ? 'No event matches so far. Matching events appear here as they are recorded.'
          : 'This ledger has no events yet. They appear here as they are recorded, for instance by a first run:'}
      </p>
      {!hasFilter && (
        <p>
          <CopyLine text="icecore run --name first --stages 3 --budget 20k" what="command" />
        </p>
      )}
    </Empty>
  );
}

interface RowsProps {
  readonly feed: Feed;
  readonly names: RunNames;
  readonly route: Route;
  /** Whether rows below the first are looked at, which must not move then. */
  readonly onAway: (isAway: boolean) => void;
}

function Rows({ feed, names, route, onAway }: RowsProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    const onScroll = (event: Event): void => onAway((event.target as HTMLElement).scrollTop > 0);
    current?.addEventListener('scroll', onScroll, { capture: true, passive: true });
    return () => current?.removeEventListener('scroll', onScroll, { capture: true });
  }, []);
  return (
    <div class="feed" ref={place}>
      <DataTable
        caption={`The latest events, newest first, at most ${mostRows.toLocaleString('en')}`}
        rows={feed.rows}
        columns={columnsOf(names, route)}
        keyOf={({ cursor }) => cursor}
        // Its rows change up to ten times a second.
        mostWhole={0}
      />
    </div>
  );
}

function columnsOf(names: RunNames, route: Route): readonly Column<LiveEvent>[] {
  return [
    { id: 'moment', title: 'time (UTC)', cell: (event) => <Clock at={fieldsOf(event).at} /> },
    { id: 'type', title: 'type', cell: ({ type }) => <Plain text={type} limit={60} /> },
    {
      id: 'run',
      title: 'run',
      cell: (event) => {
        const { run } = fieldsOf(event);
        return run === null ? (
          <span class="quiet">–</span>
        ) : (
          <a href={hrefOf(names.isAblation(run) ? 'ablation' : 'run', run)}>
            <Plain text={names.of(run)} limit={40} />
          </a>
        );
      },
    },
    {
      id: 'stage',
      title: 'stage',
      align: 'right',
      cell: (event) => {
        const { run, stage } = fieldsOf(event);
        if (stage === null) return '';
        return run === null || names.isAblation(run) ? stage : <a href={hrefOf('run', `${run}@${stage}`)}>{stage}</a>;
      },
    },
    { id: 'summary', title: 'what happened', cell: (event) => <Plain text={summaryOf(event)} limit={240} /> },
    { id: 'actor', title: 'recorded by', cell: (event) => <Plain text={fieldsOf(event).actor} limit={40} /> },
    {
      id: 'whole',
      title: <span class="hidden">whole event</span>,
      cell: (event) => {
        const { id } = fieldsOf(event);
        return id === null ? '' : <a href={wholeHref(route, id)}>JSON</a>;
      },
    },
  ];
}

function wholeHref({ query }: Route, event: string): string {
  return hrefOf('live', '', { type: query.getAll('type'), run: query.get('run'), event });
}

/** The time of the day with milliseconds; the day is in the tooltip. */
function Clock({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {at.slice(11, 23).replace('Z', '')}
    </time>
  );
}

function Whole({ event, onClose }: { readonly event: string; readonly onClose: () => void }) {
  const answer = useAnswer<Readonly<Record<string, unknown>>>(`/events/${encodeURIComponent(event)}`);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section class="whole" aria-labelledby="whole-event">
      <h2 id="whole-event" ref={heading} tabIndex={-1}>
        The whole event
      </h2>
      <p>
        <CopyLine text={`icecore event show ${event}`} what="command" />{' '}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
      <Answered answer={answer} what="the event">
        {(value) => (
          <section class="scroll json" aria-label="The event as JSON" tabIndex={0}>
            <pre>
              <Plain text={JSON.stringify(value, null, 2)} limit={200_000} />
            </pre>
          </section>
        )}
      </Answered>
    </section>
  );
}
