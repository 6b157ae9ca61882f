import { environmentContract } from 'icecore/testing';
import { lake } from '../plugin.ts';
import { optimalPlan, otherPlans } from './testing/contract-fixture.ts';

environmentContract(lake, { right: optimalPlan, wrong: otherPlans });
