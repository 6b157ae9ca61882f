// Runs the sessions of docs/trainers.md and compares their output. Results vary with the training and times with the machine, so
// numbers and drawings are compared by position only.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { shell, temporaryFolder } from '../../src/cli/testing/harness.ts';

const docs = new URL('../../docs/', import.meta.url);
const guide = readFileSync(new URL('trainers.md', docs), 'utf8');

/** The command after `$`, and the output below it. */
function stepsIn(session: string): readonly { typed: string; printed: string }[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const end = step.indexOf('\n');
      return { typed: step.slice(0, end), printed: step.slice(end + 1) };
    });
}

function masked(text: string): string {
  return text
    .replace(/^(update|no update yet).*\n/gm, '')
    .replace(/node \S+icecore\.cjs/g, 'icecore')
    .replace(/\/\S*\/(?=[^/\s]+\/[^/\s]+$)/gm, '/FOLDER/')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/(\d+ min )?[\d,.]+ (ms|s) this time/g, 'TIME this time')
    .replace(/[\u2800-\u28ff]/g, ' ')
    .replace(/[▁-█]+/g, 'COURSE')
    .replace(/\d[\d,.]*/g, 'N')
    .replace(/ +/g, ' ')
    .replace(/ $/gm, '');
}

describe('the guide to trainers', () => {
  it('shows real output', { timeout: 180_000 }, async () => {
    const sessions = [...guide.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, session]) => session ?? '');
    expect(sessions.length).toBeGreaterThan(1);
    const cwd = temporaryFolder();
    symlinkSync(fileURLToPath(new URL('../../examples', import.meta.url)), join(cwd, 'examples'));
    for (const { typed, printed } of sessions.flatMap(stepsIn)) {
      const { code, stdout, stderr } = await shell(typed, cwd);
      expect({ typed, code, printed: masked(stdout + stderr) }).toEqual({ typed, code: 0, printed: masked(printed) });
    }
  });

  it('refers to existing files', () => {
    const links = [...guide.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter((link) => !existsSync(new URL(link, docs)))).toEqual([]);
    const paths = [...guide.matchAll(/`((?:examples|src)\/[\w./-]+)`/g)].map(([, path]) => path ?? '');
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, docs)))).toEqual([]);
  });
});
