// The evidence labels that a proposal cites: only those of the context that was shown can be cited. What else is named is
// no evidence and is not recorded as such, but it is said beside that it was named.
import type { Issue } from '../../../schemas/errors.ts';
import { nearestNames, perhaps } from '../../../schemas/nearest.ts';
import type { Content } from './content.ts';
import type { Reason } from './engineer.ts';

/** Of more than this the number is told. */
const mostTold = 20;

/** Longer ones are no label of anything. */
const longestLabel = 60;

/** Each that is none, with where it stands. */
export function inventedLabels({ reasons, kept }: Content, labels: ReadonlySet<string>): Issue[] {
  const lists = { reasons, kept: kept ?? [] };
  const invented = Object.entries(lists).flatMap(([list, all]) =>
    all.flatMap(({ because }, i) =>
      (because ?? []).flatMap((label, j) =>
        labels.has(label) ? [] : [{ label, field: `${list}[${i}].because[${j}]` }],
      ),
    ),
  );
  return invented
    .slice(0, mostTold)
    .map(({ label, field }) => ({ field, found: shown(label), allowed: allowedFor(label, labels) }));
}

function allowedFor(label: string, labels: ReadonlySet<string>): string {
  if (labels.size === 0) return 'no label, as nothing was shown that has one';
  const near = label.length > longestLabel ? [] : nearestNames(label, labels);
  return near.length > 0 ? `a label of what was shown, ${perhaps(near)}` : 'a label of what was shown';
}

/** The same with those labels alone that can be cited; reasons that named others say so. */
export function withoutInvented(content: Content, labels: ReadonlySet<string>): Content {
  const mended = (reason: Reason): Reason => withoutUnknown(reason, labels);
  return { ...content, reasons: content.reasons.map(mended), kept: content.kept?.map(mended) ?? null };
}

function withoutUnknown(reason: Reason, labels: ReadonlySet<string>): Reason {
  const { because, says } = reason;
  if (because === null) return reason;
  const cited = [...new Set(because)];
  const unknown = cited.filter((label) => !labels.has(label));
  const more = unknown.length > mostTold ? ` and ${unknown.length - mostTold} more` : '';
  const told = `[names ${unknown.slice(0, mostTold).map(shown).join(', ')}${more}, of which nothing was shown]`;
  return {
    ...reason,
    because: cited.filter((label) => labels.has(label)),
    says: unknown.length === 0 ? says : says === null ? told : `${says} ${told}`,
  };
}

function shown(label: string): string {
  return JSON.stringify(label.length > longestLabel ? `${label.slice(0, longestLabel)}…` : label);
}
