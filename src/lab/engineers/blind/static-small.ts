// The easiest families alike and nothing else, for ever: a good guess of somebody who knows the environment. Environments
// list their families easiest first.
import { alike, blindEngineer, withShares } from './proposing.ts';

/** Of eight sizes, the three smallest. */
const part = 3 / 8;

export const staticSmall = blindEngineer(
  'static-small',
  'the easiest families alike, for ever',
  ({ descriptor, first }) => {
    const few = Math.max(1, Math.round(part * descriptor.families.length));
    return withShares(descriptor, first, alike(descriptor.families.slice(0, few)));
  },
);
