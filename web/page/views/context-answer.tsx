// What an engineer answered to a context, and what became of the answer.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EventData } from '../../../schemas/catalogue.ts';
import type { Why } from '../../../schemas/why-output.ts';
import { many, numberWords } from '../../charts/words.ts';
import { useAnswer } from '../api.ts';
import { LongText } from '../long-text.tsx';
import { CopyButton } from '../menu.tsx';
import { Answered, Plain } from '../parts.tsx';
import { placeText } from '../place.ts';
import { hrefOf } from '../router.ts';
import { bytesWords, deciderWords } from '../words.ts';

type Proposal = EventData['ProposalRecorded'];
type Rejection = EventData['ProposalRejected'];
type Recorded<Data> = { readonly data: Data };

export function ContextAnswer({ why }: { readonly why: Why }) {
  const { decision, changes, changed, rejections, errors, passedOver, name, stage } = why;
  const clamps = changes.flatMap(({ knob, clamps: own }) => own.map((clamp) => ({ knob, ...clamp })));
  return (
    <section>
      <h2>What became of it</h2>
      <ol class="became">
        {rejections.map(({ event, engineer, reason, issues }) => (
          <li key={event}>
            <span class="warning">
              <Plain text={engineer} /> gave an answer that was rejected: {reason}
            </span>
            {issues.length > 0 && (
              <ul>
                {issues.map(({ field, found, allowed }) => (
                  <li key={`${field} ${found}`}>
                    <code>{field}</code>: found <Plain text={found} />, allowed: <Plain text={allowed} />
                  </li>
                ))}
              </ul>
            )}
            <OfEvent event={event} what="the rejected answer">
              {(value) => <RawOf data={(value as Recorded<Rejection>).data} />}
            </OfEvent>
          </li>
        ))}
        {errors.map(({ event, engineer, kind, message }) => (
          <li key={event} class="warning">
            <Plain text={engineer} /> errored ({kind}): <Plain text={message} />
          </li>
        ))}
        {passedOver.map(({ event, engineer, changes: count }) => (
          <li key={event}>
            <Plain text={engineer} /> proposed {many(count, 'change')}, which was not adopted
            <OfEvent event={event} what="the proposal">
              {(value) => <ProposalShown data={(value as Recorded<Proposal>).data} />}
            </OfEvent>
          </li>
        ))}
        {decision.proposal !== null && (
          <li>
            <Plain text={decision.who ?? 'An engineer'} /> proposed a configuration
            <OfEvent event={decision.proposal.event} what="the proposal">
              {(value) => <ProposalShown data={(value as Recorded<Proposal>).data} />}
            </OfEvent>
          </li>
        )}
        {clamps.map(({ knob, proposed, used, rule }) => (
          <li key={`${knob} ${rule}`} class="warning">
            <code>{knob}</code> was clamped: {numberWords(proposed)} was proposed, {numberWords(used)} is used ({rule})
          </li>
        ))}
        <li>
          <strong>{deciderWords(why)}</strong>:{' '}
          <a href={hrefOf('why', placeText(name, stage))}>{many(changed, 'knob')} changed</a>
        </li>
      </ol>
    </section>
  );
}

interface OfEventProps {
  readonly event: string;
  readonly what: string;
  readonly children: (value: unknown) => ComponentChildren;
}

/** An event that is asked for when it is unfolded. */
function OfEvent({ event, what, children }: OfEventProps) {
  const [isOpen, setOpen] = useState(false);
  const answer = useAnswer<unknown>(isOpen ? `/events/${event}` : null);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show {what}</summary>
      {isOpen && (
        <Answered answer={answer} what={what}>
          {children}
        </Answered>
      )}
    </details>
  );
}

function ProposalShown({ data }: { readonly data: Proposal }) {
  const { answers = [], predictions, rationale, configuration } = data;
  return (
    <>
      {rationale !== null && (
        <blockquote>
          <Plain text={rationale} />
        </blockquote>
      )}
      {predictions !== null && predictions.length > 0 && (
        <p>
          It predicted{' '}
          {predictions
            .map(({ family, measure, value }) => `${measure} ${(100 * value).toFixed(0)} % in ${family}`)
            .join(', ')}
          .
        </p>
      )}
      {answers.length === 0 ? (
        <p class="quiet">No model was asked: this engineer computes its proposal.</p>
      ) : (
        answers.map(({ key, event }, index) => <ModelAnswer key={key} event={event} number={index + 1} />)
      )}
      <Raw name="The proposed configuration" text={JSON.stringify(configuration.whole, null, 2)} />
    </>
  );
}

function RawOf({ data }: { readonly data: Rejection }) {
  const { raw, answers = [] } = data;
  return (
    <>
      {raw === null ? <p class="quiet">There was no answer.</p> : <TextOf name="The raw answer" text={raw} />}
      {answers.map(({ key, event }, index) => (
        <ModelAnswer key={key} event={event} number={index + 1} />
      ))}
    </>
  );
}

type Text = NonNullable<Rejection['raw']>;

function TextOf({ name, text }: { readonly name: string; readonly text: Text }) {
  if ('text' in text) return <Raw name={name} text={text.text} />;
  return (
    <>
      <p class="quiet">
        {name} is kept as a blob of {bytesWords(text.bytes)}: <code>{text.blob.slice(0, 16)}</code>
      </p>
      {text.preview !== undefined && <Raw name={`${name}, its beginning`} text={text.preview} />}
    </>
  );
}

function ModelAnswer({ event, number }: { readonly event: string | undefined; readonly number: number }) {
  const answer = useAnswer<Recorded<EventData['ModelAnswered']>>(event === undefined ? null : `/events/${event}`);
  if (event === undefined) return <p class="quiet">Answer {number} is recorded without its event.</p>;
  return (
    <Answered answer={answer} what={`answer ${number}`}>
      {({ data: { answer: text, reasoning, finishReason, model, purpose } }) => (
        <>
          <p class="quiet">
            Answer {number}
            {purpose === undefined ? '' : ` (${purpose})`} of <Plain text={model.name} />, ended by {finishReason}
          </p>
          {reasoning !== undefined && <TextOf name={`Reasoning ${number}`} text={reasoning} />}
          {text === null ? <p class="warning">It refused.</p> : <TextOf name={`Raw answer ${number}`} text={text} />}
        </>
      )}
    </Answered>
  );
}

function Raw({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <LongText name={name} text={text} />
      <CopyButton text={text} what={name.toLowerCase()} />
    </>
  );
}
