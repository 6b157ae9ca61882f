import { suites } from './suites.ts';
import { suiteHolds } from './testing/suite.ts';

for (const suite of suites.filter(({ agents }) => agents > 2)) suiteHolds(suite);
