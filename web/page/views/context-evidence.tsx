// One evidence id of a context: its figure, the rollouts behind it, and the changes that cite it.
import type { ContextResult } from '../../../schemas/by-hand-output.ts';
import type { Why } from '../../../schemas/why-output.ts';
import { useAnswer } from '../api.ts';
import { Figure } from '../menu.tsx';
import { Plain } from '../parts.tsx';
import { placeText, type Rows, shellWord, sqlPath, sqlText } from '../place.ts';
import { RolloutPicture } from '../rollout-picture.tsx';
import { hrefOf, type Route, replaceQuery } from '../router.ts';
import { recorderOf } from '../sources.ts';
import { familyWords, turnWords, valueWords } from '../words.ts';

interface EvidencePanelProps {
  readonly context: ContextResult;
  readonly route: Route;
  /** Null: nothing is decided, or not yet known. */
  readonly why: Why | null;
}

export function EvidencePanel({ context, route, why }: EvidencePanelProps) {
  const id = route.query.get('id');
  const item = id !== null && Object.hasOwn(context.evidenceIds, id) ? context.evidenceIds[id] : undefined;
  return (
    <aside class="evidence-panel" aria-label="Evidence" aria-live="polite">
      {id === null ? (
        <p class="quiet">Choose a figure or a rollout in the text to see where it comes from.</p>
      ) : (
        <>
          <div class="panel-head">
            <h2>
              <Plain text={id} />
            </h2>
            <button type="button" onClick={() => replaceQuery(route, { id: null })}>
              Close
            </button>
          </div>
          {item === undefined ? (
            <p class="warning">This context does not show it.</p>
          ) : (
            <Item id={id} item={item} context={context} why={why} />
          )}
        </>
      )}
    </aside>
  );
}

interface Found {
  readonly kind: 'figure' | 'rollout';
  readonly measure: string | null;
  readonly about: string | null;
  readonly value: number | null;
  readonly value_reason: string | null;
  readonly count: number | null;
  readonly out_of: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly rollout: string | null;
  readonly split: string | null;
}

/** What the events behind an evidence id are: a figure of a summary, or rollouts. */
function behindQuery(id: string, events: readonly string[]): string {
  const ids = events.map(sqlText).join(', ');
  return (
    `SELECT 'figure' AS kind, measure, about, value, value_reason, count, out_of, low, high, NULL AS rollout, s.splits[1] AS split ` +
    `FROM facts AS f JOIN summaries AS s ON s.id = f.summary WHERE f.summary IN (${ids}) AND f.evidence_id = ${sqlText(id)} ` +
    'UNION ALL SELECT ' +
    `'rollout', outcome, failure_class, NULL, NULL, NULL, NULL, NULL, NULL, id, split FROM rollouts WHERE id IN (${ids})`
  );
}

interface ItemProps {
  readonly id: string;
  readonly item: ContextResult['evidenceIds'][string];
  readonly context: ContextResult;
  readonly why: Why | null;
}

function Item({ id, item, context, why }: ItemProps) {
  const { module, family, events } = item;
  const behind = useAnswer<Rows<Found>>(events.length === 0 ? null : sqlPath(behindQuery(id, events), 20));
  const rows = behind.state === 'ready' ? behind.value.rows : [];
  const citing = why?.changes.filter(({ cites }) => cites?.includes(id)) ?? [];
  return (
    <>
      <p>
        {familyWords(family)}, module <Plain text={module} />
      </p>
      {behind.state === 'loading' && events.length > 0 && <p class="quiet">Loading what is behind it …</p>}
      {behind.state === 'ready' && rows.length === 0 && (
        <p class="quiet">
          It is no figure of a summary and no rollout: it comes from {events.length === 1 ? 'an event' : 'events'} of
          the run.
        </p>
      )}
      {rows.map((row) =>
        row.rollout === null ? (
          <FigureBehind key={`${row.measure} ${row.about}`} id={id} row={row} family={family} context={context} />
        ) : (
          <a key={row.rollout} class="exemplar" href={hrefOf('rollout', row.rollout)}>
            <RolloutPicture event={row.rollout} alt={`Drawing of ${id}`} />
            Open the rollout: {row.about ?? row.measure}
          </a>
        ),
      )}
      <h3>Cited by</h3>
      {why === null ? (
        <p class="quiet">The decision is not made yet.</p>
      ) : citing.length === 0 ? (
        <p class="quiet">No change of this decision cites it.</p>
      ) : (
        <ul class="plain-list">
          {citing.map((change) => (
            <li key={change.knob}>
              <a href={hrefOf('why', placeText(why.name, why.stage), { knob: change.knob })}>
                {change.knob} {turnWords(change)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface FigureBehindProps {
  readonly id: string;
  readonly row: Found;
  readonly family: string | null;
  readonly context: ContextResult;
}

function FigureBehind({ id, row, family, context }: FigureBehindProps) {
  const { measure, about, value, value_reason: reason, count, out_of: of, low, high, split } = row;
  const before = placeText(context.name, context.stage - 1);
  const words = valueWords({
    value: value ?? { value: null, reason: reason ?? 'unknown' },
    ...{ count, of, low, high },
    splits: [],
  });
  const failure = measure === 'failures' ? about : null;
  const rollouts = split === null ? undefined : hrefOf('rollouts', before, { split, family, failure_class: failure });
  return (
    <p>
      <Plain text={[measure, about].filter((word) => word !== null).join(' ')} />:{' '}
      <Figure
        source={{
          ...(rollouts === undefined ? {} : { rollouts }),
          command: `icecore context ${shellWord(placeText(context.name, context.stage))}`,
          sql: `SELECT measure, about, value, low, high, count, out_of FROM facts WHERE run_id = ${recorderOf(context.run, context.stage - 1)} AND evidence_through = ${context.stage - 1} AND evidence_id = ${sqlText(id)} AND counts`,
        }}
      >
        {words}
      </Figure>
      {rollouts !== undefined && (
        <>
          {' '}
          <a href={rollouts}>Its rollouts</a>
        </>
      )}
    </p>
  );
}
