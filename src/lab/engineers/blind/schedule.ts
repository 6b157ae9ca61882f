// From easy to hard by a timetable: a window of a few groups alike that begins with the easiest and ends with the hardest,
// whatever the policy has learnt meanwhile.
import { alike, blindEngineer, withShares } from './proposing.ts';

/** Of eight sizes, three at a time. */
const part = 3 / 8;

export const schedule = blindEngineer(
  'schedule',
  'from the easiest groups to the hardest, by the number of the stage',
  ({ descriptor, first, stage, stages }) => {
    const { groups } = descriptor;
    const wide = Math.max(1, Math.round(part * groups.length));
    const last = groups.length - wide;
    // The first stage has a configuration of its own; the window begins with the second. Where nobody knows how many
    // stages there are, it moves by a group a stage.
    const from = stages === null ? stage - 1 : Math.round((last * (stage - 1)) / Math.max(stages - 2, 1));
    const begin = Math.min(from, last);
    return withShares(descriptor, first, alike(groups.slice(begin, begin + wide)));
  },
);
