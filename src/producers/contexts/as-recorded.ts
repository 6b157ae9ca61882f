// What was recorded is what is shown, also where another icecore would build it otherwise by now: its bytes, and what may
// be cited of them.
import { isDeepStrictEqual } from 'node:util';
import type { EventData } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ShownContext } from '../../lab/engineers/engineer.ts';
import type { Built } from './build.ts';
import type { Building } from './module.ts';

type Recorded = EventData['ContextRecorded'];

/** `built` is the same as it is built today. Throws ContextErased. */
export async function asRecorded(recorded: Recorded, built: Built, textOf: Building['textOf']): Promise<ShownContext> {
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

/** A context that was recorded, whose text is no more, and that cannot be built again. */
class ContextErased extends IcecoreError {
  override readonly name = 'ContextErased';

  constructor(digest: string, builder: string | null, here: string | null) {
    super('damaged', `the text of the context ${digest.slice(0, 12)}… is no more, and is built otherwise here`, {
      facts: { digest, builder, here },
      remedy: 'Go on with the icecore that recorded it, or bring back the blob with its text.',
    });
  }
}
