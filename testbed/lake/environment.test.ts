import { environmentContract } from 'icecore/testing';
import { isThorough, tries } from '../../schemas/testing/tries.ts';
import { lake } from '../plugin.ts';
import { optimalPlan, otherPlans } from './testing/contract-fixture.ts';

/** Without suites, which take seconds to generate and have their own tests. */
const brief: typeof lake = {
  ...lake,
  open: async (options) => {
    const opened = await lake.open(options);
    return { ...opened, suites: opened.suites.slice(0, 1) };
  },
};

environmentContract(isThorough ? lake : brief, { right: optimalPlan, wrong: otherPlans, many: tries(200) });
