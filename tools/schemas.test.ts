import { expect, it } from 'vitest';
import { generatedFiles, staleFiles, surplusFiles } from './schemas.ts';

it('the JSON Schemas, fingerprints and pages are up to date (else run: npm run schemas)', async () => {
  const files = await generatedFiles();
  expect(staleFiles(files)).toEqual([]);
  expect(surplusFiles(files)).toEqual([]);
});
