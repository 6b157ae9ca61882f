// A recorded context is shown as recorded, even if this version would build it differently: its bytes and what they
// allow to cite.
import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ShownContext } from '../../lab/engineers/engineer.ts';
import type { BuiltContext } from './build.ts';
import type { ContextInput } from './module.ts';

type Recorded = EventData['ContextRecorded'];

/** `built` is the same context built by this version. Throws ContextErased. */
export async function asRecorded(
  recorded: Recorded,
  built: BuiltContext,
  textOf: ContextInput['textOf'],
): Promise<ShownContext> {
  const { digest, contextForm: form, evidenceIds } = recorded;
  if (digest === built.recorded.digest) return built.shown;
  const text = await textOf(recorded.text);
  if (text === null) throw new ContextErased(digest, recorded.builder ?? null, built.recorded.builder ?? null);
  const isThere = ({ evidenceId }: { readonly evidenceId: string }): boolean =>
    evidenceId in evidenceIds && isDeepStrictEqual(evidenceIds[evidenceId], built.recorded.evidenceIds[evidenceId]);
  const modules = built.shown.modules.map(({ module, facts, exemplars }) => ({
    module,
    facts: facts.filter(isThere),
    exemplars: exemplars.filter(isThere),
  }));
  return { digest, text, form, modules, evidenceIds: new Set(Object.keys(evidenceIds)) };
}

/** A recorded context whose text no longer exists and that cannot be rebuilt. */
class ContextErased extends IcecoreError {
  override readonly name = 'ContextErased';

  constructor(digest: string, builder: string | null, here: string | null) {
    super(
      'damaged',
      `the text of the context ${digest.slice(0, 12)}… no longer exists, and this version builds it differently`,
      {
        facts: { digest, builder, here },
        remedy: 'Use the icecore version that recorded it, or restore the blob with its text.',
      },
    );
  }
}
