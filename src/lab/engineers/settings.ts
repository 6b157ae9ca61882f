// What a configuration holds beside its knobs is its environment's own, and nothing that an engineer may change: no change
// of it would be told.
import type { Descriptor } from '../../../schemas/environment.ts';
import type { Issue } from '../../../schemas/errors.ts';
import { fieldOf, found } from '../../../schemas/phrase.ts';
import { digestOf } from '../environments/digest.ts';
import type { Configuration } from '../environments/environment.ts';
import { memberOf, withKnob } from '../environments/knobs.ts';

/** Which settings are not as they were. Both can be held by an event. */
export function changedSettings(descriptor: Descriptor, current: Configuration, proposed: Configuration): Issue[] {
  const [was, is] = [withoutKnobs(descriptor, current), withoutKnobs(descriptor, proposed)];
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return keys.flatMap((key) => {
    const [before, after] = [memberOf(was, key), memberOf(is, key)];
    if (digestOf(before ?? null) === digestOf(after ?? null)) return [];
    const allowed = before === undefined ? 'no such setting' : `${found(before)} as it was: it is no knob`;
    return [{ field: fieldOf([key]), found: found(after), allowed }];
  });
}

function withoutKnobs({ knobs }: Descriptor, configuration: Configuration): Configuration {
  return knobs.reduce((all, knob) => withKnob(all, knob, 0), configuration);
}
