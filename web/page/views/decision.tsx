// A decision: who made it, what it changed, the reasons, and what came of the families it concerned.
import type { Change, Decision } from '../../../schemas/run-output.ts';
import type { WhyEffect } from '../../../schemas/why-output.ts';
import { many, numberWords } from '../../charts/words.ts';
import { Plain, ReasonNote } from '../parts.tsx';
import { hrefOf } from '../router.ts';
import { gainSources } from '../sources.ts';
import { proposalWords, stepsWords, turnWords } from '../words.ts';
import { Gain } from './gain.tsx';

interface DecisionPartProps {
  readonly decision: Decision;
  /** The run as it is typed in a command, and its identity. */
  readonly of: string;
  readonly id: string;
  /** What came of families, if it is known. */
  readonly effects?: readonly WhyEffect[];
}

export function DecisionPart({ decision, of, id, effects = [] }: DecisionPartProps) {
  const { rationale, clamps, rejections, errors, kept } = decision;
  return (
    <>
      <p>{deciderWords(decision)}</p>
      {rationale !== null && (
        <blockquote>
          <Plain text={rationale} />
        </blockquote>
      )}
      {rejections.map(({ event, engineer, reason, issues: [issue] }) => (
        <p key={event} class="warning">
          An answer of {engineer} was rejected ({reason})
          {issue !== undefined && (
            <Plain text={`: ${issue.field} was ${issue.found}; allowed: ${issue.allowed}`} limit={400} />
          )}
        </p>
      ))}
      {errors.map(({ event, engineer, kind, message }) => (
        <p key={event} class="warning">
          {engineer} errored, {kind}: <Plain text={message} limit={400} />
        </p>
      ))}
      <Changes {...{ decision, of, id, effects }} />
      {clamps.length > 0 && (
        <p class="warning">
          {clamps
            .map(({ knob, proposed, used, rule }) => {
              return `${knob}: ${numberWords(proposed)} was proposed, ${numberWords(used)} is used (${rule})`;
            })
            .join('; ')}
          .
        </p>
      )}
      {kept !== null && kept.length > 0 && (
        <p>
          Kept deliberately: <span class="quiet">{keptWords(kept.map(({ knob }) => knob))}</span>
        </p>
      )}
    </>
  );
}

const mostKept = 8;

function keptWords(knobs: readonly string[]): string {
  const more = knobs.length > mostKept ? ` and ${knobs.length - mostKept} more` : '';
  return `${knobs.slice(0, mostKept).join(', ')}${more}.`;
}

function deciderWords(decision: Decision): string {
  const { by, who, changes, stage, proposal, proposedBy } = decision;
  const turned = changes.length === 0 ? 'changed no knob' : `changed ${many(changes.length, 'knob')}`;
  switch (by) {
    case 'initial':
      return 'The run started with this configuration.';
    case 'engineer':
      return `${who ?? 'The engineer'} ${turned}.`;
    case 'human':
      return `A person${who === null ? '' : `, ${who},`} ${turned}${proposalWords(proposedBy, decision)}.`;
    case 'kept':
      return `The configuration of stage ${stage - 1} was kept, because no answer${who === null ? '' : ` of ${who}`} could be used.`;
    case 'errored':
      return `${who ?? 'The engineer'} could not answer, so the configuration of stage ${stage - 1} was kept.`;
    default:
      if (proposal !== null)
        return `${who ?? 'An engineer'} proposed to change ${many(changes.length, 'knob')}; that is not adopted yet.`;
      return changes.length === 0
        ? 'No decision is recorded.'
        : `It is not recorded who decided; ${many(changes.length, 'knob')} changed.`;
  }
}

/** Further changes are on the page of the reasons. */
const mostChanges = 8;

function Changes({ decision: { changes, stage }, of, id, effects }: Required<DecisionPartProps>) {
  if (changes.length === 0) return null;
  const at = `${of}@${stage}`;
  // The result of a family is written once, at its first change.
  const rows = changes.slice(0, mostChanges).map((change, index, all) => {
    const isFirst = all.findIndex(({ family }) => family === change.family) === index;
    return { change, effect: effects.find(({ family }) => family === change.family), isFirst };
  });
  return (
    <section class="scroll" aria-label={`Changes for stage ${stage}`} tabIndex={0}>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">knob</th>
            <th scope="col">change</th>
            <th scope="col">reason</th>
            {effects.length > 0 && <th scope="col">valid rate of its family</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ change, effect, isFirst }) => (
            <tr key={change.knob}>
              <th scope="row">
                <a href={hrefOf('why', at, { knob: change.knob })}>
                  <Plain text={change.knob} limit={60} />
                </a>
              </th>
              <td class="number">{changeWords(change)}</td>
              <td class="reason">
                <Reason change={change} />
              </td>
              {effects.length > 0 && (
                <td>
                  {!isFirst ? (
                    <span class="quiet">as above</span>
                  ) : effect === undefined ? (
                    <span class="quiet">–</span>
                  ) : (
                    <Gain
                      before={effect.validation.before}
                      after={effect.validation.after}
                      overlap={effect.validation.overlap}
                      sources={gainSources({ run: of, id, stage, measure: 'valid', family: effect.family })}
                    />
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <ReasonNote reasons={rows.map(({ change }) => change.reason)} />
      {changes.length > mostChanges && (
        <p>
          <a href={hrefOf('why', at)}>All {changes.length} changes</a>
        </p>
      )}
    </section>
  );
}

function changeWords(change: Change): string {
  return `${turnWords(change)}${change.steps === null ? '' : ` (${stepsWords(change.steps)})`}`;
}

function Reason({ change: { reason, cites } }: { readonly change: Change }) {
  return (
    <>
      {reason === null ? <span class="quiet">none given</span> : <Plain text={reason} limit={400} />}
      {cites !== null && cites.length > 0 && <span class="quiet"> [{cites.slice(0, 6).join(', ')}]</span>}
    </>
  );
}
