// All families alike, whatever came before; other knobs stay as they were in the first stage.
import { alike, blindEngineer, withShares } from './proposing.ts';

export const uniform = blindEngineer('uniform', 'all families alike', ({ descriptor, first }) =>
  withShares(descriptor, first, alike(descriptor.families)),
);
