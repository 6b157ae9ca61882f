// The modules of one context, or of two side by side with their differences marked.
import { useEffect, useRef } from 'preact/hooks';
import type { ContextResult } from '../../../schemas/by-hand-output.ts';
import { listed, many } from '../../charts/words.ts';
import { Plain, visible } from '../parts.tsx';
import { hrefOf, type Route, replaceQuery } from '../router.ts';
import { countWords } from '../words.ts';
import { differences, piecesOf, type Section, sectionsOf } from './context-text.ts';

export function formName({ contextForm: { name, modules } }: ContextResult): string {
  return name ?? modules.join('+');
}

/** What it is, how long, and what was cut. */
export function ContextHead({ context }: { readonly context: ContextResult }) {
  const { tokens, budget, tokenizer, recorded, evidenceIds, truncated, without = [] } = context;
  return (
    <>
      <p class="subtitle">
        <Plain text={formName(context)} />: {countWords(tokens)}
        {budget > 0 && ` of at most ${countWords(budget)}`} tokens (<Plain text={tokenizer} />
        ), {many(Object.keys(evidenceIds).length, 'evidence id')},{' '}
        {recorded === null ? 'built just now from the same history and not recorded' : 'as it was recorded'}.
      </p>
      {truncated.map(({ module, what, kept, dropped }) => (
        <p key={`${module} ${what}`} class="warning">
          Cut for length: <Plain text={module} /> shows {kept} of {kept + dropped} <Plain text={what} />.
        </p>
      ))}
      {without.length > 0 && (
        <p class="warning">
          Left out on purpose: <Plain text={listed(without)} />.
        </p>
      )}
    </>
  );
}

interface SingleProps {
  readonly context: ContextResult;
  readonly route: Route;
  /** The evidence ids that the decision cites. */
  readonly cited: ReadonlySet<string>;
}

export function Single({ context, route, cited }: SingleProps) {
  const { modules = [], text, tokens } = context;
  const sections = sectionsOf(text.text, context.contextForm.modules);
  const chosen = route.query.get('module');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen !== null) place.current?.querySelector(`[data-module="${CSS.escape(chosen)}"]`)?.scrollIntoView();
  }, [chosen, text.text]);
  return (
    <div ref={place}>
      <nav class="modules" aria-label="Modules">
        {modules.map(({ module, tokens: length }) => (
          <button
            key={module}
            type="button"
            aria-current={chosen === module ? 'true' : undefined}
            onClick={() => replaceQuery(route, { module })}
          >
            <Plain text={module} />{' '}
            <span class="quiet number">
              {countWords(length)} tokens, {((100 * length) / tokens).toFixed(0)} %
            </span>
            <span class="share" aria-hidden="true" style={{ width: `${(100 * length) / tokens}%` }} />
          </button>
        ))}
      </nav>
      {cited.size > 0 && (
        <p class="quiet">
          <mark>Marked</mark> figures are cited by the decision. Choose any figure to see where it comes from.
        </p>
      )}
      {sections.map((section) => (
        <SectionShown
          key={`${section.module} ${section.title}`}
          section={section}
          context={context}
          route={route}
          cited={cited}
        />
      ))}
    </div>
  );
}

interface SectionShownProps extends SingleProps {
  readonly section: Section;
}

function SectionShown({ section, context, route, cited }: SectionShownProps) {
  const { module, title, lines } = section;
  const isKnown = (id: string): boolean => Object.hasOwn(context.evidenceIds, id);
  const chosen = route.query.get('id');
  const query = Object.fromEntries(route.query);
  return (
    <section class="module" data-module={module ?? undefined}>
      <h2>
        {module === null ? (
          <Plain text={title} />
        ) : (
          <>
            <Plain text={module} /> <span class="quiet title">{visible(title)}</span>
          </>
        )}
      </h2>
      <section class="scroll" aria-label={`Text of ${module ?? title}`} tabIndex={0}>
        <pre>
          {piecesOf(lines, isKnown).map((pieces, index) => (
            <span key={index} class={lineClass(lines[index])}>
              {pieces.map(({ text, id }) =>
                id === null ? (
                  visible(text)
                ) : (
                  <a
                    href={hrefOf('context', route.of, { ...query, id })}
                    class={cited.has(id) ? 'cite cited' : 'cite'}
                    aria-current={chosen === id ? 'true' : undefined}
                    aria-label={`${id}: ${text}${cited.has(id) ? ', cited' : ''}`}
                  >
                    {visible(text)}
                  </a>
                ),
              )}
              {'\n'}
            </span>
          ))}
        </pre>
      </section>
    </section>
  );
}

/** Prose wraps; tables and drawings scroll. */
function lineClass(line = ''): string {
  return /^\S.{80}/.test(line) ? 'line prose' : 'line';
}

interface PairProps {
  readonly left: ContextResult;
  readonly right: ContextResult;
}

export function Pair({ left, right }: PairProps) {
  const [one, other] = [left, right].map(({ text, contextForm }) => sectionsOf(text.text, contextForm.modules));
  const [a, b] = [left.exemplars?.shown ?? 0, right.exemplars?.shown ?? 0];
  return (
    <>
      {a !== b && (
        <p class="warning">
          They also show different numbers of rollouts, {a} and {b}, so a comparison of the two forms is confounded.
        </p>
      )}
      <div class="pair">
        <div class="pair-head">
          <ContextHead context={left} />
        </div>
        <div class="pair-head">
          <ContextHead context={right} />
        </div>
        {paired(one ?? [], other ?? []).map(([first, second]) => (
          <PairedSection
            key={(first ?? second)?.title}
            left={first}
            right={second}
            names={[formName(left), formName(right)]}
          />
        ))}
      </div>
    </>
  );
}

type PairOf<Value> = readonly [left: Value | null, right: Value | null];

/** In the order of the left one; what only the right one has comes last. */
function paired(left: readonly Section[], right: readonly Section[]): readonly PairOf<Section>[] {
  const nameOf = ({ module, title }: Section): string => module ?? title;
  const found = left.map((one): PairOf<Section> => [one, right.find((other) => nameOf(other) === nameOf(one)) ?? null]);
  const rest = right.filter((other) => left.every((one) => nameOf(one) !== nameOf(other)));
  return [...found, ...rest.map((other): PairOf<Section> => [null, other])];
}

interface PairedSectionProps {
  readonly left: Section | null;
  readonly right: Section | null;
  readonly names: readonly [left: string, right: string];
}

function PairedSection({ left, right, names }: PairedSectionProps) {
  const section = left ?? right;
  if (section === null) return null;
  const name = section.module ?? section.title;
  const isSame = left !== null && right !== null && left.lines.join('\n') === right.lines.join('\n');
  if (isSame)
    return (
      <section class="both">
        <details>
          <summary>
            <strong>
              <Plain text={name} />
            </strong>{' '}
            is the same in both
          </summary>
          <Lines name={name} lines={section.lines.map((line) => ({ kind: 'same', line }))} />
        </details>
      </section>
    );
  const changes = differences(left?.lines ?? [], right?.lines ?? []);
  const sides = [
    [left, 'left', names[0]],
    [right, 'right', names[1]],
  ] as const;
  return (
    <>
      {sides.map(([own, side, form]) => (
        <section key={side}>
          <h2>
            <Plain text={name} /> <span class="quiet title">in {visible(form)}</span>
          </h2>
          {own === null ? (
            <p class="quiet">This form does not have it.</p>
          ) : (
            <Lines name={`${name} in ${form}`} lines={changes.filter(({ kind }) => kind === 'same' || kind === side)} />
          )}
        </section>
      ))}
    </>
  );
}

function Lines({ name, lines }: { readonly name: string; readonly lines: ReturnType<typeof differences> }) {
  return (
    <section class="scroll" aria-label={`Text of ${name}`} tabIndex={0}>
      <pre>
        {lines.map(({ kind, line }, index) =>
          kind === 'same' ? (
            <span key={index} class={lineClass(line)}>{`  ${visible(line)}\n`}</span>
          ) : (
            <ins key={index} class={lineClass(line)}>{`+ ${visible(line)}\n`}</ins>
          ),
        )}
      </pre>
    </section>
  );
}
