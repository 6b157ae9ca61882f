// An engineer that is a model behind an endpoint: it is told about the environment in words, shown the context as data, and
// answers in JSON. `base` and `checkpoint` are the same as `gpt`, asked of a snapshot that is served.
import type { Snapshot } from '../../models/conversation.ts';
import type { Model } from '../../models/model.ts';
import type { Checkpoint } from '../../policies/policy.ts';
import { Random } from '../../random.ts';
import type { Check } from '../decision.ts';
import type { Asked, Engineer } from '../engineer.ts';
import { EngineerClosed } from '../errors.ts';
import { contextModules } from '../modules.ts';
import type { Standard } from '../proposal-reading.ts';
import { heldToForm } from './answer-schema.ts';
import { Asking } from './asking.ts';
import { byName, knobsByName, withKnobsByName } from './by-name.ts';
import { promptFor } from './prompt.ts';

export interface LanguageEngineerSettings {
  /** It may be asked by others too, and is not closed with the engineer. */
  readonly model: Model;
  /** Its identity: gpt, base, checkpoint@2. */
  readonly name: string;
  /** What must hold of a configuration beyond its descriptor. */
  readonly check: Check;
  /** The snapshot to ask, from the one that is there; null for the model as it is. */
  readonly snapshot: (checkpoint: Checkpoint | null) => Snapshot | null;
}

export function openLanguageEngineer({ model, name, check, snapshot }: LanguageEngineerSettings): Engineer {
  const { name: endpoint, model: served, parameters, schemas } = model.entry;
  const closing = new AbortController();
  return {
    identity: {
      name,
      version: '1',
      model: served,
      reads: [...contextModules],
      parameters: { kind: 'language', endpoint, parameters, schemas },
    },
    reads: contextModules,

    propose: async (asked) => {
      const signal = AbortSignal.any([closing.signal, ...(asked.signal === undefined ? [] : [asked.signal])]);
      signal.throwIfAborted();
      const { descriptor, checkpoint, sample } = asked;
      const common = {
        sample,
        checkpoint: snapshot(checkpoint),
        seed: luckOf(asked),
        signal,
        ...(schemas ? { parameters: heldToForm(descriptor) } : {}),
      };
      return await new Asking(model, asked, common, standardOf(asked, check)).answer(promptFor(asked));
    },

    close: async () => {
      closing.abort(new EngineerClosed(name));
    },
  };
}

/** It writes knobs by their names, and is held to what it writes. */
function standardOf({ descriptor, current, context }: Asked, check: Check): Standard {
  return {
    descriptor: byName(descriptor),
    current: knobsByName(descriptor, current),
    evidenceIds: context?.evidenceIds ?? new Set(),
    check: (named) => check(withKnobsByName(descriptor, current, named)),
  };
}

/** Endpoints take whole numbers of 31 bits everywhere. */
function luckOf({ seed, sample }: Asked): number {
  return new Random(seed, 'engineer', 'language', sample).below(2 ** 31);
}
