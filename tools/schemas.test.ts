import { expect, it } from 'vitest';
import { generatedFiles, staleFiles, surplusFiles } from './schemas.ts';

it('the JSON Schemas, fingerprints and pages say what the catalogue and the tables do (else run: npm run schemas)', async () => {
  const files = await generatedFiles();
  expect(staleFiles(files)).toEqual([]);
  expect(surplusFiles(files)).toEqual([]);
});
