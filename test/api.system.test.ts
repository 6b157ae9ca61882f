import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entries, reference, reportOf, writeReports } from '../tools/api.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-api-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what the package exports', () => {
  beforeAll(() => writeReports(folder), 180_000);

  it.each(entries())('matches the report of $name; `npm run api` updates it', (entry) => {
    const written = readFileSync(join(folder, basename(reportOf(entry))), 'utf8');
    expect(readFileSync(reportOf(entry), 'utf8')).toBe(written);
  });

  it('is described, includes every type that it names, and has working links', async () => {
    expect(await reference()).toEqual([]);
  }, 180_000);
});
