// icecore ablate with engineers that cannot answer: what is missing is refused before anything is asked, and what fails is
// errored, which is no result.
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const seeds = ['--seed', '1..6'];
const whole = mkdtempSync(join(tmpdir(), 'icecore-ablate-'));

beforeAll(async () => {
  const { name: _, ...settings } = tinySettings({ engineer: 'rules', context: 'v1', name: 'mine' });
  writeFileSync(join(whole, 'run.json'), JSON.stringify(settings));
  const ran = await inFolder(whole)('run', '--file', 'run.json', '--name', 'mine', '--quiet');
  expect(ran).toMatchObject({ code: 0 });
}, 60_000);
afterAll(() => rmSync(whole, { recursive: true, force: true }));

function place(): string {
  const cwd = temporaryFolder();
  cpSync(whole, cwd, { recursive: true });
  return cwd;
}

describe('icecore ablate', () => {
  it.each([
    ['python3 nonexist.py,rules', 'the file nonexist.py does not exist in '],
    ['rules,./nonexist', './nonexist does not exist or is not executable'],
  ])('refuses %s, names the missing file and records no event', async (engineers, message) => {
    const icecore = inFolder(place());
    const before = lines((await icecore('event', 'tail', '--json', '-n', '1000')).stdout);
    const asked = ['ablate', 'mine', '--engineer', engineers, '--context', 'v1', ...seeds];
    for (const more of [[], ['--plan'], ['--json']]) {
      const ran = await icecore(...asked, ...more);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(message);
    }
    expect(lines((await icecore('event', 'tail', '--json', '-n', '1000')).stdout)).toEqual(before);
  });

  it('reports a crashing program as errored: it enters no comparison, and the command exits 1 until the program works', async () => {
    const cwd = place();
    const icecore = inFolder(cwd);
    const script = join(cwd, 'engineer.mjs');
    writeFileSync(script, 'console.error("no licence"); process.exit(3);');
    const engineers = `"${process.execPath}" engineer.mjs,rules`;
    const asked = ['ablate', 'mine', '--engineer', engineers, '--context', 'v1', '--programs', ...seeds];
    const ran = await icecore(...asked, '--contrast', 'rules/v1:engineer.mjs/v1', '--json');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('engineer.mjs/v1 is errored: ');
    expect(faultsAgainst('ablate', json(ran))).toEqual([]);
    const { comparisons, results, errored, conclusions } = json(ran) as Record<string, { arm: string }[]>;
    expect(errored).toEqual([
      { arm: 'engineer.mjs/v1', reason: expect.stringContaining('no licence'), resumable: true },
    ]);
    expect(JSON.stringify([comparisons, results])).not.toContain('engineer.mjs');
    expect(JSON.stringify(conclusions)).not.toMatch(/better than engineer|p = 0\.0/);

    const shown = await icecore(...asked, '--contrast', 'rules/v1:engineer.mjs/v1');
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain('Errored');
    expect(shown.stderr).toContain('the same command tries again');
    const page = await icecore('ablate', '--show', 'latest', '--format', 'md');
    expect([page.code, page.stdout]).toEqual([0, expect.stringContaining('## Errored')]);

    writeFileSync(
      script,
      `import { readFileSync } from 'node:fs';
       const { current } = JSON.parse(readFileSync(0, 'utf8'));
       console.log(JSON.stringify({ configuration: current, reasons: [] }));`,
    );
    const again = await icecore(...asked, '--contrast', 'rules/v1:engineer.mjs/v1', '--json');
    expect(again.code).toBe(0);
    expect(json(again)).toMatchObject({ state: 'completed', errored: [] });
    expect(readdirSync(cwd)).toContain('engineer.mjs');
  }, 60_000);
});
