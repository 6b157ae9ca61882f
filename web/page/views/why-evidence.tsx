// The evidence that a reason cites: each figure when it was cited and afterwards, whether it concerns the change, and the drawn
// rollouts it leads to.
import type { Why, WhyEvidence, WhyExemplar, WhyFigure, WhyReasons, WhyUncited } from '../../../schemas/why-output.ts';
import { Figure } from '../menu.tsx';
import { Plain } from '../parts.tsx';
import { RolloutPicture } from '../rollout-picture.tsx';
import { hrefOf } from '../router.ts';
import { evidenceSource } from '../sources.ts';
import { familyWords, figureWords, valueWords } from '../words.ts';

export function Evidence({ why, reasons }: { readonly why: Why; readonly reasons: WhyReasons }) {
  const { evidence } = reasons;
  const ids = [...new Set(evidence.flatMap(({ exemplars }) => exemplars))];
  const behind = ids.flatMap((id) => why.exemplars.find(({ evidenceId }) => evidenceId === id) ?? []);
  const isOfRollouts = evidence.some(({ status, counts }) => status === 'shown' && counts === true);
  return (
    <>
      <ul class="evidence">
        {evidence.map((one) => (
          <EvidenceShown key={one.evidenceId} why={why} evidence={one} exemplars={why.exemplars} />
        ))}
      </ul>
      {behind.length > 0 && (
        <>
          <p class="behind">
            {behind.length === 1 ? 'The rollout behind it' : `The ${behind.length} rollouts behind it`}, as shown to the
            engineer:
          </p>
          <ul class="exemplars">
            {behind.map((exemplar) => (
              <ExemplarShown key={exemplar.evidenceId} exemplar={exemplar} />
            ))}
          </ul>
          {why.legend !== null && (
            <details class="legend-text">
              <summary>How to read the drawings in characters</summary>
              <p>
                <Plain text={why.legend} />
              </p>
            </details>
          )}
        </>
      )}
      {behind.length === 0 && isOfRollouts && (
        <p class="quiet">None of the rollouts behind it was shown to the engineer; the figures lead to all of them.</p>
      )}
    </>
  );
}

interface EvidenceShownProps {
  readonly why: Why;
  readonly evidence: WhyEvidence;
  readonly exemplars: readonly WhyExemplar[];
}

function EvidenceShown({ why, evidence, exemplars }: EvidenceShownProps) {
  const { evidenceId, figure, since, status, note, text } = evidence;
  const concern = concernWords(evidence);
  const leads = evidence.exemplars.flatMap((id) => exemplars.find((one) => one.evidenceId === id) ?? []);
  return (
    <li>
      <a href={hrefOf('context', `${why.name}@${why.stage}`, { id: evidenceId })}>
        <code>{evidenceId}</code>
      </a>{' '}
      {figure === null ? (
        evidence.exemplars.includes(evidenceId) && `a rollout of ${familyWords(evidence.family)}`
      ) : (
        <FigureShown why={why} stage={why.stage - 1} evidence={evidence} figure={figure}>
          {figureWords(evidenceId, figure)}
        </FigureShown>
      )}
      {since !== null && (
        <>
          {'; '}after stage {why.stage}:{' '}
          <FigureShown why={why} stage={why.stage} evidence={evidence} figure={since}>
            {valueWords(since)}
          </FigureShown>
        </>
      )}
      {concern !== '' && <span class="warning"> {concern}</span>}
      {note !== null && (
        <span class="warning">
          {' '}
          {status === 'not-shown' ? 'not shown: ' : ''}
          {note}
        </span>
      )}
      {leads.length > 0 && figure !== null && (
        <span class="quiet">
          {' '}
          (
          {leads.map(({ evidenceId: id, rollout, failures }, index) => (
            <>
              {index > 0 && ', '}
              <a href={hrefOf('rollout', rollout.event, { step: failures[0]?.step })}>{id}</a>
            </>
          ))}
          )
        </span>
      )}
      {text !== null && text.trim() !== '' && (
        <p class="item-text">
          <Plain text={text} />
        </p>
      )}
    </li>
  );
}

interface FigureShownProps {
  readonly why: Why;
  readonly stage: number;
  readonly evidence: WhyEvidence;
  readonly figure: WhyFigure;
  readonly children: string;
}

function FigureShown({ why, stage, evidence, figure, children }: FigureShownProps) {
  return <Figure source={evidenceSource(why, stage, evidence, figure)}>{children}</Figure>;
}

/** Why it may not support the change; empty if it does. */
function concernWords({ concerns, family, counts, module }: WhyEvidence): string {
  const words = [
    ...(concerns === 'another family'
      ? [`about another family: ${family ?? 'all'}`]
      : concerns === 'in part'
        ? [`about ${familyWords(family)}`]
        : []),
    ...(counts === false ? [`not about what the policy did${module === null ? '' : ` (${module})`}`] : []),
  ];
  return words.join('; ');
}

/** A failed rollout of a change that leads to none. */
export function Uncited({ rollout }: { readonly rollout: WhyUncited }) {
  const { wasShown, behind } = rollout;
  const about =
    wasShown === null
      ? ''
      : wasShown
        ? `${behind === null ? ' that' : ', which'} the engineer was shown, but did not cite`
        : `${behind === null ? ' that' : ', which'} the engineer was not shown`;
  return (
    <section>
      <h2>
        A failed rollout{behind === null ? '' : ` behind ${behind}`}
        {about}
      </h2>
      <ul class="exemplars">
        <ExemplarShown exemplar={rollout} />
      </ul>
    </section>
  );
}

function ExemplarShown({ exemplar }: { readonly exemplar: WhyExemplar | WhyUncited }) {
  const { evidenceId, rollout, failures, drawing, note } = exemplar;
  const words = exemplarWords(exemplar);
  return (
    <li>
      <a href={hrefOf('rollout', rollout.event, { step: failures[0]?.step })}>
        <RolloutPicture
          event={rollout.event}
          drawing={drawing}
          alt={`Drawing of ${evidenceId ?? 'a rollout'}: ${words}`}
        />
        {evidenceId !== null && <strong>{evidenceId} </strong>}
        {words}
      </a>
      {note !== null && <p class="warning">{note}</p>}
    </li>
  );
}

/** `hole in step 3, family 8, stage 2` */
function exemplarWords({ class: failureClass, outcome, failures, family, stage }: WhyExemplar | WhyUncited): string {
  const step = failures[0]?.step ?? null;
  return [
    `${failureClass ?? outcome ?? 'failed'}${step === null ? '' : ` in step ${step}`}`,
    ...(family === null ? [] : [familyWords(family)]),
    ...(stage === null ? [] : [`stage ${stage}`]),
  ].join(', ');
}
