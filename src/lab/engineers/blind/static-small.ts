// The easiest groups alike and nothing else, for ever: a good guess of somebody who knows the environment. Environments
// list their groups easiest first.
import { alike, blindEngineer, withShares } from './proposing.ts';

/** Of eight sizes, the three smallest. */
const part = 3 / 8;

export const staticSmall = blindEngineer(
  'static-small',
  'the easiest groups alike, for ever',
  ({ descriptor, first }) => {
    const few = Math.max(1, Math.round(part * descriptor.groups.length));
    return withShares(descriptor, first, alike(descriptor.groups.slice(0, few)));
  },
);
