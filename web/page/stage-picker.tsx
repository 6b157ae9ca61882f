// Chooses a stage of a run: the one before, the one after, or any.
import { placeText } from './place.ts';
import { go, hrefOf, type Query, type ViewName } from './router.ts';
import './stage-picker.css';

interface StagePickerProps {
  readonly view: ViewName;
  readonly run: string;
  /** Null: all stages. */
  readonly at: number | null;
  readonly stages: readonly number[];
  /** What all stages together are called; without it, a stage must be chosen. */
  readonly all?: string;
  readonly query?: Query;
}

export function StagePicker({ view, run, at, stages, all, query = {} }: StagePickerProps) {
  const hrefFor = (stage: number | null): string => hrefOf(view, placeText(run, stage), query);
  const before = stages.findLast((stage) => at !== null && stage < at);
  const after = stages.find((stage) => at !== null && stage > at);
  return (
    <nav class="stage-picker" aria-label="Stages">
      {before === undefined ? null : <a href={hrefFor(before)}>← Stage {before}</a>}
      <label>
        <span class="hidden">Stage</span>
        <select
          value={at ?? ''}
          onChange={({ currentTarget: { value } }) => go(hrefFor(value === '' ? null : Number(value)))}
        >
          {all === undefined ? null : <option value="">{all}</option>}
          {at !== null && !stages.includes(at) ? <option value={at}>Stage {at}</option> : null}
          {stages.map((stage) => (
            <option key={stage} value={stage}>
              Stage {stage}
            </option>
          ))}
        </select>
      </label>
      {after === undefined ? null : <a href={hrefFor(after)}>Stage {after} →</a>}
    </nav>
  );
}
