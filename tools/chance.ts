// What properties try is drawn from a seed with a name, so that one commit passes or fails alike everywhere. ICECORE_TEST_SEED
// is another one; "random" is a new one for each property, which a failure prints. How often is said in one place, too.
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
