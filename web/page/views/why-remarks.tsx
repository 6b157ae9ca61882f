// What else is recorded about a decision: alerts, knobs kept on purpose, answers that were not used, notes, events.
import type { ComponentChildren } from 'preact';
import type { Why, WhyKept } from '../../../schemas/why-output.ts';
import { many, numberWords } from '../../charts/words.ts';
import { CopyLine } from '../menu.tsx';
import { Moment, Plain } from '../parts.tsx';
import { alertWords, familyWords } from '../words.ts';
import { ReasonsShown } from './why-changes.tsx';
import type { Opening } from './why-opening.ts';

export function Alerts({ why }: { readonly why: Why }) {
  if (why.alerts.length === 0) return null;
  const words = why.alerts.map(alertWords);
  const rest = words.slice(mostAlerts);
  return (
    <div class="alerts">
      <Listed words={words.slice(0, mostAlerts)} />
      {rest.length > 0 && (
        <details>
          <summary>{many(rest.length, 'more alert')}</summary>
          <Listed words={rest} />
        </details>
      )}
    </div>
  );
}

const mostAlerts = 3;

function Listed({ words }: { readonly words: readonly string[] }) {
  return (
    <ul class="plain-list warning">
      {words.map((text) => (
        <li key={text}>
          <span aria-hidden="true">! </span>
          <span class="hidden">Alert: </span>
          <Plain text={text} />
        </li>
      ))}
    </ul>
  );
}

export function Remarks({ why, opening }: { readonly why: Why; readonly opening: Opening }) {
  const { kept, rejections, errors, passedOver, notes, opaque } = why;
  return (
    <>
      <Part title="Kept on purpose" count={kept?.length ?? 0}>
        {kept?.map((one) => (
          <Kept key={one.knob} why={why} kept={one} opening={opening} />
        ))}
      </Part>
      <Part title="Rejected answers" count={rejections.length}>
        {rejections.map(({ event, engineer, reason, issues }) => (
          <div key={event} class="remark">
            <p>
              Of <Plain text={engineer} />: <strong>{reason}</strong>
            </p>
            {issues.length > 0 && (
              <ul>
                {issues.map(({ field, found, allowed }) => (
                  <li key={`${field} ${found}`}>
                    <code>{field}</code>: found <Plain text={found} />, allowed: <Plain text={allowed} />
                  </li>
                ))}
              </ul>
            )}
            <EventCommand event={event} />
          </div>
        ))}
      </Part>
      <Part title="Errors of engineers" count={errors.length}>
        {errors.map(({ event, engineer, kind, message }) => (
          <div key={event} class="remark">
            <p>
              Of <Plain text={engineer} />: <strong>{kind}</strong>
            </p>
            <p>
              <Plain text={message} />
            </p>
            <EventCommand event={event} />
          </div>
        ))}
      </Part>
      <Part title="Proposed, not adopted" count={passedOver.length}>
        {passedOver.map(({ event, engineer, changes, says }) => (
          <div key={event} class="remark">
            <p>
              By <Plain text={engineer} />: {many(changes, 'change')}
            </p>
            {says !== null && (
              <blockquote>
                <Plain text={says} />
              </blockquote>
            )}
            <EventCommand event={event} />
          </div>
        ))}
      </Part>
      <Part title="Notes" count={notes.length}>
        {notes.map(({ event, actor, at, knob, says }) => (
          <p key={event}>
            <strong>{actor.replace(/^human\//, '')}</strong>, <Moment at={at} />
            {knob !== null && (
              <>
                , on <code>{knob}</code>
              </>
            )}
            : <Plain text={says} />
          </p>
        ))}
      </Part>
      <Part title="Events of unknown types" count={opaque.length}>
        <ul>
          {opaque.map(({ stream, revision, type }) => (
            <li key={`${stream}@${revision}`}>
              <Plain text={type} />, <code>{`${stream}@${revision}`}</code>
            </li>
          ))}
        </ul>
      </Part>
      <RecordedEvents why={why} />
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly count: number;
  readonly children: ComponentChildren;
}

function Part({ title, count, children }: PartProps) {
  return count === 0 ? null : (
    <section>
      <h2>
        {title} <span class="quiet">{count}</span>
      </h2>
      {children}
    </section>
  );
}

interface KeptProps {
  readonly why: Why;
  readonly kept: WhyKept;
  readonly opening: Opening;
}

function Kept({ why, kept, opening }: KeptProps) {
  return (
    <article class="change" aria-label={`${kept.knob} kept`}>
      <h3>
        <Plain text={kept.knob} /> <span class="number">{kept.value === null ? '' : numberWords(kept.value)}</span>
        <span class="beside"> ({familyWords(kept.family)})</span>
      </h3>
      <ReasonsShown
        why={why}
        reasons={kept}
        isOpen={opening.isOpen(kept.knob)}
        onOpen={(isOpen) => opening.set(kept.knob, isOpen)}
      />
    </article>
  );
}

export function EventCommand({ event }: { readonly event: string }) {
  return <CopyLine text={`icecore event show ${event}`} what="command" />;
}

function RecordedEvents({ why: { decision } }: { readonly why: Why }) {
  const { adopted, proposal, context, actor } = decision;
  const events = [
    ['Decision', adopted],
    ['Proposal', proposal],
    ['Context', context?.event ?? null],
  ] as const;
  if (events.every(([, event]) => event === null)) return null;
  return (
    <details>
      <summary>The recorded events</summary>
      <dl class="facts">
        {events.map(
          ([name, event]) =>
            event !== null && (
              <>
                <dt>{name}</dt>
                <dd>
                  <EventCommand event={event.event} />
                </dd>
              </>
            ),
        )}
        {actor !== null && (
          <>
            <dt>Recorded by</dt>
            <dd>
              <Plain text={actor} />
            </dd>
          </>
        )}
      </dl>
    </details>
  );
}
