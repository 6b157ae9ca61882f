// The examples in docs/environments.md work as shown.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowed } from '../../programs/testing/allowed.ts';
import { environmentContract } from '../contract/environment-contract.ts';
import { openCommand } from './open.ts';
import { hasPython } from './testing/arithmetic.ts';

const guide = readFileSync(new URL('../../../../docs/environments.md', import.meta.url), 'utf8');

function block(language: string): string {
  const [, text] = guide.match(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``)) ?? [];
  if (text === undefined) throw new Error(`the guide has no ${language}`);
  return text;
}

const program = block('python');

describe.skipIf(!hasPython)('the guide; skipped where there is no Python', () => {
  it('shows the real session of its program', () => {
    const lines = block('session').trim().split('\n');
    const said = (mark: string): string[] => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2));
    const output = execFileSync('python3', ['-c', program], { input: said('> ').join('\n'), encoding: 'utf8' });
    expect(output.trim().split('\n')).toEqual(said('< '));
  });

  environmentContract('the program of the guide', {
    open: () => openCommand({ program: allowed(['python3', '-c', program]) }),
    right: ({ instance }) => ((instance['number'] as number) % 2 === 0 ? 'even' : 'odd'),
    wrong: ({ instance }) => [(instance['number'] as number) % 2 === 0 ? 'odd' : 'even', 'both', null, 4],
    lacks: ['probe'],
    many: 30,
  });
});
