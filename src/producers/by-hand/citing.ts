// Which context a person's reasons cite: one that was recorded after the stage and has every label they name.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import type { Reason } from '../../lab/engineers/engineer.ts';
import type { Recorded, StageHistory } from '../run/history.ts';

type Context = Recorded<'ContextRecorded'>;

/** The one with this digest is tried first; null where nothing is cited and none was named. Throws UnknownLabels. */
export function contextCited(
  { stage, contexts }: StageHistory,
  reasons: readonly Reason[],
  digest: string | null,
): Context | null {
  const cited = new Set(reasons.flatMap(({ because }) => because ?? []));
  const named = contexts.find(({ data }) => data.digest === digest) ?? null;
  if (cited.size === 0) return named;
  const inOrder = named === null ? contexts : [named, ...contexts];
  const hasAll = ({ data }: Context): boolean => [...cited].every((label) => Object.hasOwn(data.labels, label));
  const found = inOrder.find(hasAll);
  if (found === undefined) throw new UnknownLabels(stage, [...cited], inOrder);
  return found;
}

export class UnknownLabels extends IcecoreError {
  override readonly name = 'UnknownLabels';

  constructor(stage: number, cited: readonly string[], contexts: readonly Context[]) {
    const [first] = contexts;
    const known = Object.keys(first?.data.labels ?? {});
    const missing = cited.filter((label) => !known.includes(label));
    const near = nearestNames(missing[0] ?? '', known);
    const form = first?.data.form.name ?? first?.data.form.modules.join(',');
    const where =
      first === undefined
        ? `no context was recorded after stage ${stage}, so that nothing can be cited`
        : `no context that was recorded after stage ${stage} has ${missing.length < cited.length ? 'them all' : 'such a label'}`;
    super('not-found', `${missing.join(', ')}: ${where}`, {
      facts: { stage, missing, nearest: near, form: form ?? null },
      remedy: remedyFor(near, form),
    });
  }
}

function remedyFor(near: readonly string[], form: string | undefined): string {
  if (form === undefined) return 'icecore propose records the context that it shows an engineer.';
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `icecore context shows the labels of ${form}.`;
}
