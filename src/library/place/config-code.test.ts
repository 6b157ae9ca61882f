import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { openWorkspace } from '../open.ts';
import { findConfig } from './config.ts';
import { runConfigCode } from './config-code.ts';

function settingsIn(text: string) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'icecore.config.mjs'), text);
  const env = { XDG_CONFIG_HOME: temporaryFolder(), ICECORE_TRUST: '*' };
  const config = findConfig({ cwd, env });
  if (config === null) throw new Error('no settings found');
  return { cwd, env, config };
}

it('code of a configuration file that never ends is abandoned', async () => {
  const { config, ...surroundings } = settingsIn('await new Promise(() => {}); export default {};');
  const running = runConfigCode(config, surroundings, { own: [], seconds: 0.2 });
  await expect(running).rejects.toThrow('found code that does not end within 0.2 s');
});

it('code of a configuration file stops when the signal of the caller aborts', async () => {
  const { config, ...surroundings } = settingsIn('await new Promise(() => {}); export default {};');
  const controller = new AbortController();
  const running = runConfigCode(config, { ...surroundings, signal: controller.signal }, { own: [] });
  controller.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
});

it('a default export whose promise never resolves is abandoned', async () => {
  const { config, ...surroundings } = settingsIn('export default () => new Promise(() => {});');
  const running = runConfigCode(config, surroundings, { own: [], seconds: 0.2 });
  await expect(running).rejects.toThrow('found code that does not end within 0.2 s');
});

it('settings are remembered in the process if records of the user cannot be written', async () => {
  const { config, cwd } = settingsIn(`export default { ledger: 'sqlite:own.db' };`);
  // No folder can be made in a file.
  const env = { XDG_CONFIG_HOME: config.path, ICECORE_TRUST: '*' };
  expect(findConfig({ cwd, env })).toMatchObject({ isKnown: false });
  await runConfigCode(config, { cwd, env }, { own: [] });
  expect(findConfig({ cwd, env })).toMatchObject({ isKnown: true, ledger: 'sqlite:own.db' });
});

it('a workspace runs the code of settings for verbs that write, with consent, and never for verbs that read', async () => {
  const { cwd, env } = settingsIn('globalThis.timesRun = (globalThis.timesRun ?? 0) + 1; export default {};');
  const timesRun = (): unknown => (globalThis as { timesRun?: number }).timesRun;
  const append = [{ type: 'RunAnnotated', run: 'mine00000000', actor: 'human/ada', data: { note: 'x' } }] as const;
  await using untrusted = await openWorkspace({ cwd, env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME } });
  await expect(untrusted.append('notes-mine00000000', append)).rejects.toThrow('runs its code');
  await using workspace = await openWorkspace({ cwd, env });
  await expect(workspace.runs()).rejects.toThrow('there is no ledger');
  expect(timesRun()).toBeUndefined();
  await workspace.append('notes-mine00000000', append);
  await workspace.append('notes-mine00000000', append);
  await workspace.runs();
  expect(timesRun()).toBe(1);
  await using without = await openWorkspace({ cwd, env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME }, config: false });
  await without.append('notes-mine00000000', append);
});
