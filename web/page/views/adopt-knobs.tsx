// The knobs of the next configuration by family, with their ranges; a changed one takes a reason and evidence.
import type { NextDecision } from '../../../schemas/next-output.ts';
import { many, numberWords } from '../../charts/words.ts';
import { Plain } from '../parts.tsx';
import { familyWords, stepsWords } from '../words.ts';
import {
  changesIn,
  type Draft,
  faultOf,
  isWhole,
  knobIn,
  type NextKnob,
  scaled,
  sumOf,
  withKnob,
} from './adopt-draft.ts';

interface KnobsProps {
  readonly knobs: readonly NextKnob[];
  readonly shares: NextDecision['shares'];
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** What can be cited. */
  readonly evidenceIds: readonly string[];
}

export function Knobs({ knobs, shares, draft, onDraft, evidenceIds }: KnobsProps) {
  const families = [...new Set(knobs.map(({ family }) => family))];
  return (
    <section aria-label="Knobs">
      <datalist id="evidence-ids">
        {evidenceIds.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {shares.map((one) => (
        <Sum key={one.knobs.join(' ')} shares={one} knobs={knobs} draft={draft} onDraft={onDraft} />
      ))}
      {families.map((family) => (
        <fieldset key={family ?? ''} class="knobs">
          <legend>{familyWords(family)}</legend>
          {knobs
            .filter((knob) => knob.family === family)
            .map((knob) => (
              <KnobRow key={knob.knob} knob={knob} draft={draft} onDraft={onDraft} />
            ))}
        </fieldset>
      ))}
    </section>
  );
}

interface SumProps extends Pick<KnobsProps, 'knobs' | 'draft' | 'onDraft'> {
  readonly shares: NextDecision['shares'][number];
}

function Sum({ shares, knobs, draft, onDraft }: SumProps) {
  const sum = sumOf(draft, knobs, shares);
  const isRight = isWhole(sum, shares);
  return (
    <p class={isRight ? 'sum quiet' : 'sum warning'} role="status">
      {many(shares.knobs.length, 'share')} ({shares.knobs[0]} … {shares.knobs.at(-1)}) sum to {numberWords(sum)} of{' '}
      {shares.total}.{' '}
      {!isRight && (
        <button type="button" onClick={() => onDraft(scaled(draft, knobs, shares))}>
          Scale the others
        </button>
      )}
    </p>
  );
}

interface KnobRowProps extends Pick<KnobsProps, 'draft' | 'onDraft'> {
  readonly knob: NextKnob;
}

function KnobRow({ knob, draft, onDraft }: KnobRowProps) {
  const { knob: name, meaning, value, min, max, step, may_change: mayChange, harder } = knob;
  const typed = knobIn(draft, name);
  const [change] = changesIn(draft, [knob]);
  const fault = faultOf(knob, typed);
  const set = (changed: Parameters<typeof withKnob>[2]): void => onDraft(withKnob(draft, name, changed));
  const harderWords = harder === null ? '' : `; ${harder} is harder`;
  return (
    <div class={change === undefined && fault === null ? 'knob' : 'knob changed'}>
      <label for={`knob-${name}`}>
        <strong>
          <Plain text={name} />
        </strong>{' '}
        <span class="quiet">
          <Plain text={meaning} />
        </span>
      </label>
      <span class="value">
        <span class="quiet number now">{value === null ? 'none' : numberWords(value)} →</span>
        <input
          id={`knob-${name}`}
          type="number"
          {...{ min, max, step }}
          disabled={!mayChange}
          value={typed.value ?? (value === null ? '' : String(Number(value.toPrecision(6))))}
          aria-invalid={fault !== null}
          aria-describedby={`about-${name}`}
          onInput={(event) => set({ value: event.currentTarget.value })}
        />
        {typed.value !== null && (
          <button type="button" aria-label={`Keep ${name} as it is`} onClick={() => set({ value: null })}>
            ↺
          </button>
        )}
      </span>
      <span class="about" id={`about-${name}`}>
        {fault !== null ? (
          <span class="bad">✗ {fault}</span>
        ) : (
          <span class="quiet">
            {change?.steps == null ? '' : `${stepsWords(change.steps)}; `}
            {mayChange ? `${min} to ${max}, step ${step}${harderWords}` : 'cannot be changed'}
          </span>
        )}
      </span>
      {change !== undefined && (
        <span class="why">
          <label>
            Reason for {name}
            <textarea rows={2} value={typed.reason} onInput={(event) => set({ reason: event.currentTarget.value })} />
          </label>
          <label>
            Evidence ids
            <input
              type="text"
              list="evidence-ids"
              autocomplete="off"
              spellcheck={false}
              value={typed.cites}
              onInput={(event) => set({ cites: event.currentTarget.value })}
            />
          </label>
        </span>
      )}
    </div>
  );
}
