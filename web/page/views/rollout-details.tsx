// Everything that is recorded of a rollout beside its drawings: results, the task, texts, the event itself and its proof.
import { useState } from 'preact/hooks';
import type { EventProof } from '../../../schemas/head.ts';
import type { RolloutShown, RolloutText } from '../../../schemas/rollout-output.ts';
import { numberWords } from '../../charts/words.ts';
import { useAnswer } from '../api.ts';
import { LongText } from '../long-text.tsx';
import { CopyButton, CopyLine } from '../menu.tsx';
import { Answered, Plain } from '../parts.tsx';
import { bytesWords, countWords } from '../words.ts';

interface OfRollout {
  readonly rollout: RolloutShown;
}

export function Measured({ rollout }: OfRollout) {
  const { reward, rewards, metrics, steps, tokens, cost, stop_reason: stop, truncated, seed, outcome } = rollout;
  return (
    <section>
      <h2>Result</h2>
      <dl class="facts">
        <Fact name="Outcome" meaning={outcome.meaning}>
          {outcome.name}
        </Fact>
        {reward !== null && <Fact name="Reward">{amountWords(reward)}</Fact>}
        {rewards.map(({ name, weight, ...amount }) => (
          <Fact key={name} name={`Reward: ${name}`} meaning={weight === null ? null : `weight ${weight}`}>
            {amountWords(amount)}
          </Fact>
        ))}
        {steps !== null && <Fact name="Agent steps">{countWords(steps)}</Fact>}
        {metrics.map(({ name, meaning, ...amount }) => (
          <Fact key={name} name={name} meaning={meaning}>
            {amountWords(amount)}
          </Fact>
        ))}
        {stop !== null && <Fact name="Stopped because">{stop}</Fact>}
        {truncated === true && <Fact name="Cut off">yes, its answer was too long</Fact>}
        {tokens !== null && <Fact name="Tokens">{tokenWords(tokens)}</Fact>}
        {cost !== null && <Fact name="Cost">{`${numberWords(cost.total)} ${cost.currency}`}</Fact>}
        {seed !== null && <Fact name="Seed">{String(seed)}</Fact>}
      </dl>
    </section>
  );
}

interface FactProps {
  readonly name: string;
  readonly meaning?: string | null;
  readonly children: string;
}

function Fact({ name, meaning = null, children }: FactProps) {
  return (
    <>
      <dt>
        <Plain text={name} />
      </dt>
      <dd>
        <span class="number">
          <Plain text={children} />
        </span>
        {meaning !== null && (
          <span class="quiet meaning">
            {' '}
            <Plain text={meaning} />
          </span>
        )}
      </dd>
    </>
  );
}

function amountWords({ value, reason }: { readonly value: number | null; readonly reason: string | null }): string {
  return value === null ? `none${reason === null ? '' : `, ${reason}`}` : numberWords(value);
}

function tokenWords(tokens: NonNullable<RolloutShown['tokens']>): string {
  return Object.entries(tokens)
    .flatMap(([kind, count]) => (count === null ? [] : [`${countWords(count)} ${kind}`]))
    .join(', ');
}

export function Task({ rollout }: OfRollout) {
  const { task, details, answer, expected, pictures } = rollout;
  const { id, digest, seed, facts, conditions, instance, blob } = task;
  return (
    <section>
      <h2>Task</h2>
      <dl class="facts">
        {id !== null && <Fact name="Id">{id}</Fact>}
        {seed !== null && <Fact name="Seed">{String(seed)}</Fact>}
        {digest !== null && <Fact name="Digest">{digest.slice(0, 16)}</Fact>}
        {conditions.map(({ name, value }) => (
          <Fact key={name} name={name}>
            {String(value)}
          </Fact>
        ))}
        {facts.map(({ name, value, meaning }) => (
          <Fact key={name} name={name} meaning={meaning}>
            {typeof value === 'number' ? numberWords(value) : value ? 'yes' : 'no'}
          </Fact>
        ))}
        {blob !== null && <Fact name="Task">{`${bytesWords(blob.bytes)} in the blob ${blob.blob.slice(0, 12)}`}</Fact>}
      </dl>
      <Json title="The task itself" value={instance} />
      <Json title="The answer that was judged" value={answer} isOpen />
      <Json title="The expected answer" value={expected} isOpen />
      <Json title="A best answer" value={pictures.plan?.answer ?? null} />
      <Json title={`Details (${details?.kind ?? ''})`} value={details?.content ?? null} />
    </section>
  );
}

interface JsonProps {
  readonly title: string;
  readonly value: unknown;
  readonly isOpen?: boolean;
}

/** Short values are shown at once. */
function Json({ title, value, isOpen = false }: JsonProps) {
  if (value === null || value === undefined) return null;
  const short = JSON.stringify(value);
  const text = short.length <= longestLine ? short : JSON.stringify(value, null, 2);
  return (
    <details open={isOpen && short.length <= mostOpen}>
      <summary>{title}</summary>
      <LongText name={title} text={typeof value === 'string' ? value : text} />
    </details>
  );
}

const longestLine = 100;
const mostOpen = 1_000;

export function Texts({ rollout }: OfRollout) {
  const { prompt, completion, reasoning, transcript } = rollout;
  return (
    <>
      <TextShown title="Prompt" text={prompt} />
      <TextShown title="Reasoning" text={reasoning} />
      <TextShown title="Completion" text={completion} />
      <TextShown title="Transcript" text={transcript} />
    </>
  );
}

function TextShown({ title, text }: { readonly title: string; readonly text: RolloutText | null }) {
  if (text === null) return null;
  const { text: content, state, bytes, note } = text;
  return (
    <section>
      <h2>
        {title} {bytes !== null && <span class="quiet">{bytesWords(bytes)}</span>}
      </h2>
      {state !== 'whole' && <p class="warning">{note ?? state}</p>}
      {content !== null && (
        <>
          <LongText name={title} text={content} />
          <CopyButton text={content} what={title.toLowerCase()} />
        </>
      )}
    </section>
  );
}

export function RawEvent({ rollout }: OfRollout) {
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const { event, stream, revision } = rollout;
  const raw = useAnswer<unknown>(isOpen ? `/events/${event}` : null);
  const proof = useAnswer<EventProof>(isAsked ? `/proofs/${event}` : null);
  return (
    <section>
      <h2>Record</h2>
      <p>
        Event <code>{`${stream}@${revision}`}</code>
      </p>
      <CopyLine text={`icecore event show ${event}`} what="command" />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>The event as it is recorded</summary>
        {isOpen && (
          <Answered answer={raw} what="the event">
            {(value) => (
              <>
                <CopyButton text={JSON.stringify(value, null, 2)} what="event" />
                <LongText name="The event" text={JSON.stringify(value, null, 2)} />
              </>
            )}
          </Answered>
        )}
      </details>
      {isAsked ? (
        <Answered answer={proof} what="the proof">
          {(value) => <Proof proof={value} event={event} />}
        </Answered>
      ) : (
        <p>
          <button type="button" onClick={() => setAsked(true)}>
            Prove that it is in the ledger
          </button>
        </p>
      )}
    </section>
  );
}

function Proof({ proof, event }: { readonly proof: EventProof; readonly event: string }) {
  const { seal, ledger } = proof;
  const { index, size } = ledger.inclusion;
  return (
    <div class="card proof">
      <p>
        <strong>
          {seal === null
            ? `The event is number ${countWords(index + 1)} of ${countWords(size)} in the ledger.`
            : `The event is number ${countWords(seal.inclusion.index + 1)} of ${countWords(seal.inclusion.size)} in its sealed attempt; its seal is number ${countWords(index + 1)} of ${countWords(size)} in the ledger.`}
        </strong>
      </p>
      <dl class="facts">
        <Fact name="Digest of the event">{proof.event.digest}</Fact>
        {seal === null ? null : <Fact name="Root of the attempt">{seal.inclusion.root}</Fact>}
        <Fact name="Root of the ledger">{ledger.inclusion.root}</Fact>
        <Fact name="Head of">{`${ledger.head.at}, ${countWords(ledger.head.events)} events${ledger.head.signature === undefined ? ', not signed' : ', signed'}`}</Fact>
      </dl>
      <p>
        Compare the root with a head that was kept elsewhere. This command writes the proof to a file, which a program
        of 50 lines checks without icecore (icecore's documentation, “Verify a ledger”):
      </p>
      <CopyLine text={`icecore ledger prove ${event} > proof.json`} what="command" />
      <CopyButton text={JSON.stringify(proof, null, 2)} what="proof" />
    </div>
  );
}
