// One set of each control, on tuning seeds: the whole way from runs to conclusions.
import { expect, it } from 'vitest';
import { concluded } from '../bench/controls/conclude.ts';
import type { Control } from '../bench/controls/protocol.ts';
import { runSet } from '../bench/controls/set.ts';
import { temporaryFolder } from '../src/base/testing/temporary-folder.ts';
import { openWorkspace } from '../src/index.ts';

async function oneSet(control: Control) {
  await using workspace = await openWorkspace({ cwd: temporaryFolder(), config: false });
  return await runSet(workspace, control, 1);
}

it('an ablation finds that failures matter in the dungeon, and nothing in the catacomb, which has the same rooms', async () => {
  const [positive, negative] = [await oneSet('tuning'), await oneSet('tuning-negative')];
  const found = concluded([positive]);
  expect(found.contrasts.filter(({ better }) => better === 0)).toEqual([]);
  expect(found.every).toBe(1);
  expect(concluded([negative])).toMatchObject({ any: 0 });
  expect(found.headroom.ratio).toBeGreaterThan(3);
  // Engineers that read no failures cannot tell one from the other.
  for (const arm of ['uniform', 'random', 'rules/stats', 'oracle'])
    expect(negative.rates[arm]).toEqual(positive.rates[arm]);
}, 300_000);
