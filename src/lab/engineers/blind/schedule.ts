// From easy to hard by a timetable: a window of a few families alike that begins with the easiest and ends with the hardest,
// whatever the policy has learnt meanwhile.
import { alike, blindEngineer, withShares } from './proposing.ts';

/** Of eight sizes, three at a time. */
const part = 3 / 8;

export const schedule = blindEngineer(
  'schedule',
  'from the easiest families to the hardest, by the number of the stage',
  ({ descriptor, first, stage, stages }) => {
    const { families } = descriptor;
    const wide = Math.max(1, Math.round(part * families.length));
    const last = families.length - wide;
    // The first stage has a configuration of its own; the window begins with the second. Where nobody knows how many
    // stages there are, it moves by a family a stage.
    const from = stages === null ? stage - 1 : Math.round((last * (stage - 1)) / Math.max(stages - 2, 1));
    const begin = Math.min(from, last);
    return withShares(descriptor, first, alike(families.slice(begin, begin + wide)));
  },
);
