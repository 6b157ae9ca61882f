// The seed of property tests: fixed, so that a commit passes or fails the same everywhere. ICECORE_TEST_SEED sets another one; "random" uses a new
// one for each property, which a failure prints. Also sets the number of runs.
import fc from 'fast-check';
import { tries } from '../schemas/testing/tries.ts';

const usual = 20_260_301;

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: tries(100) });

const named = process.env['ICECORE_TEST_SEED'] ?? String(usual);
if (named !== 'random') {
  const seed = Number(named);
  if (!Number.isInteger(seed)) {
    throw new RangeError(`ICECORE_TEST_SEED: found ${JSON.stringify(named)}, allowed: a whole number, or random`);
  }
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
