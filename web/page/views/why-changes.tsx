// The changes of one family: each with its reason and, unfolded, the evidence it cites and the rollouts behind it.
import type { Why, WhyChange, WhyReasons } from '../../../schemas/why-output.ts';
import { numberWords } from '../../charts/words.ts';
import { Plain } from '../parts.tsx';
import { familyWords, sentence, stepsWords, turnWords } from '../words.ts';
import { EffectTable } from './why-effects.tsx';
import { Evidence } from './why-evidence.tsx';
import type { Opening } from './why-opening.ts';

interface FamilyChangesProps {
  readonly why: Why;
  readonly family: string | null;
  readonly changes: readonly WhyChange[];
  readonly opening: Opening;
}

export function FamilyChanges({ why, family, changes, opening }: FamilyChangesProps) {
  const effect = why.effects.find((one) => one.family === family);
  return (
    <section class="family">
      <h2>{sentence(familyWords(family)).replace(/\.$/, '')}</h2>
      <div class="family-body">
        <div>
          {changes.map((change) => (
            <ChangeShown
              key={change.knob}
              why={why}
              change={change}
              isOpen={opening.isOpen(change.knob)}
              onOpen={(isOpen) => opening.set(change.knob, isOpen)}
            />
          ))}
        </div>
        {effect !== undefined && why.stage > 1 && <EffectTable why={why} effect={effect} />}
      </div>
    </section>
  );
}

interface ChangeShownProps {
  readonly why: Why;
  readonly change: WhyChange;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

function ChangeShown({ why, change, isOpen, onOpen }: ChangeShownProps) {
  const { knob, meaning, steps, makes, clamps } = change;
  const beside = [steps === null ? '' : stepsWords(steps), makes ?? ''].filter((word) => word !== '');
  return (
    <article class="change" aria-label={`${knob} ${turnWords(change)}`}>
      <h3>
        <Plain text={knob} /> <span class="number">{turnWords(change)}</span>
        {beside.length > 0 && <span class="beside"> ({beside.join(', ')})</span>}
      </h3>
      {meaning !== null && (
        <p class="meaning">
          <Plain text={meaning} />
        </p>
      )}
      {clamps.map(({ proposed, used, rule }) => (
        <p key={rule} class="warning">
          Clamped: {numberWords(proposed)} was proposed, {numberWords(used)} is used ({ruleWords[rule] ?? rule}).
        </p>
      ))}
      <ReasonsShown why={why} reasons={change} isOpen={isOpen} onOpen={onOpen} />
    </article>
  );
}

const ruleWords: Readonly<Record<string, string>> = {
  range: 'its range allows no more',
  step: 'rounded to a step',
  'shares-sum': 'shares have a fixed sum',
};

interface ReasonsShownProps {
  readonly why: Why;
  readonly reasons: WhyReasons;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Of a changed knob, or of one that was kept on purpose. */
export function ReasonsShown({ why, reasons, isOpen, onOpen }: ReasonsShownProps) {
  const { says, cites, verdict, restsOn } = reasons;
  const isSound = restsOn === 'its family' && verdict.startsWith('rests');
  const named = cites === null || cites.length === 0 ? '' : `Cites ${cites.join(', ')}: `;
  const words = named === '' ? sentence(verdict) : `${named}${verdict}.`;
  return (
    <>
      {says === null ? (
        <p class="quiet">No reason was given.</p>
      ) : (
        <blockquote>
          <Plain text={says} />
        </blockquote>
      )}
      {reasons.evidence.length === 0 ? (
        <p class={isSound ? 'verdict' : 'verdict warning'}>{words}</p>
      ) : (
        <details
          open={isOpen}
          onToggle={({ currentTarget }) => {
            if (currentTarget.open !== isOpen) onOpen(currentTarget.open);
          }}
        >
          <summary class={isSound ? 'verdict' : 'verdict warning'}>
            <span aria-hidden="true">{isSound ? '✓ ' : '! '}</span>
            {words}
          </summary>
          {isOpen && <Evidence why={why} reasons={reasons} />}
        </details>
      )}
    </>
  );
}
