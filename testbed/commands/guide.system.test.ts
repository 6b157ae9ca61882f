// Runs the sessions of docs/lake.md and compares their output.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lakeFailureClasses } from '../../schemas/lake-output.ts';
import { shell, temporaryFolder } from '../../src/cli/testing/harness.ts';

const docs = new URL('../../docs/', import.meta.url);
const guide = readFileSync(new URL('lake.md', docs), 'utf8');

/** The command after `$`, and the output below it. */
interface Step {
  readonly typed: string;
  printed: string;
}

function stepsIn(session: string): Step[] {
  const steps: Step[] = [];
  for (const line of session.trimEnd().split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ typed: line.slice(2), printed: '' });
    else if (last !== undefined) last.printed += `${line}\n`;
  }
  return steps;
}

describe('the guide to lakes', () => {
  it('shows real output', async () => {
    const sessions = [...guide.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, session]) => session ?? '');
    expect(sessions.length).toBeGreaterThan(1);
    const cwd = temporaryFolder();
    for (const { typed, printed } of sessions.flatMap(stepsIn)) {
      // Drawings are explained on standard error.
      const stderr = typed.includes('lake show') ? expect.stringMatching(/^(a: an agent, .*\n)?$/) : '';
      expect([typed, await shell(typed, cwd)]).toEqual([typed, { code: 0, stdout: printed, stderr }]);
    }
  });

  it('lists every failure class, in their order within one step', () => {
    const names = [...guide.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(names.slice(names.indexOf('valid') + 1)).toEqual(lakeFailureClasses);
  });

  it('refers to existing files', () => {
    const links = [...guide.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link ?? '');
    expect(links.filter((link) => !existsSync(new URL(link, docs)))).toEqual([]);
  });
});
