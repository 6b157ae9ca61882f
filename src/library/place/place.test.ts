import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { ensureWorkspace, findPlace, findWorkspace } from './place.ts';

function folders(...names: string[]): { root: string; inner: string } {
  const root = temporaryFolder();
  const inner = join(root, ...names);
  mkdirSync(inner, { recursive: true });
  return { root, inner };
}

describe('the workspace', () => {
  it('is found upward, the nearest first', () => {
    const { root, inner } = folders('a', 'b', 'c');
    mkdirSync(join(root, '.icecore'));
    expect(findWorkspace({ cwd: inner, env: {} })).toEqual({
      path: join(root, '.icecore'),
      exists: true,
      from: 'found',
    });
    mkdirSync(join(root, 'a', '.icecore'));
    expect(findWorkspace({ cwd: inner, env: {} }).path).toBe(join(root, 'a', '.icecore'));
  });

  it('ignores a file with its name', () => {
    const { root, inner } = folders('a');
    mkdirSync(join(root, '.icecore'));
    writeFileSync(join(inner, '.icecore'), '');
    expect(findWorkspace({ cwd: inner, env: {} }).path).toBe(join(root, '.icecore'));
  });

  it('defaults to the current folder', () => {
    const { inner } = folders('a');
    expect(findWorkspace({ cwd: inner, env: {} })).toEqual({
      path: join(inner, '.icecore'),
      exists: false,
      from: 'default',
    });
  });

  it('is what ICECORE_WORKSPACE names, whatever is above', () => {
    const { root, inner } = folders('a');
    mkdirSync(join(inner, '.icecore'));
    expect(findWorkspace({ cwd: inner, env: { ICECORE_WORKSPACE: '../elsewhere' } })).toEqual({
      path: join(root, 'elsewhere'),
      exists: false,
      from: 'ICECORE_WORKSPACE',
    });
    expect(findWorkspace({ cwd: inner, env: { ICECORE_WORKSPACE: '' } }).from).toBe('found');
  });

  it('is ignored by git', () => {
    const path = join(temporaryFolder(), '.icecore');
    expect(ensureWorkspace({ path })).toBe(true);
    expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('*\n');
    expect(ensureWorkspace({ path })).toBe(false);
  });
});

describe('the ledger', () => {
  it('comes from the flag, then the variable, then the settings, then the workspace', () => {
    const { root, inner } = folders('project', 'deep');
    const project = join(root, 'project');
    const env = { ICECORE_LEDGER: 'sqlite:variable.db' };
    mkdirSync(join(project, '.icecore'));
    const at = (where: { env?: Record<string, string> }, flags = {}) =>
      findPlace({ cwd: inner, env: where.env ?? {}, ...flags }).ledger;
    expect(at({})).toMatchObject({ url: `sqlite:${join(project, '.icecore/ledger.db')}`, from: 'workspace' });
    writeFileSync(join(project, 'icecore.config.json'), '{"ledger": "sqlite:data/settings.db"}');
    expect(at({})).toMatchObject({ url: `sqlite:${join(project, 'data/settings.db')}`, from: 'config' });
    expect(at({ env })).toMatchObject({ url: `sqlite:${join(inner, 'variable.db')}`, from: 'ICECORE_LEDGER' });
    expect(at({ env }, { ledger: 'sqlite:/flag.db' })).toMatchObject({ url: 'sqlite:/flag.db', from: '--ledger' });
  });

  it('must have a URL with a scheme', () => {
    const cwd = temporaryFolder();
    expect(() => findPlace({ cwd, env: {}, ledger: 'ledger.db' })).toThrow('"ledger.db" is not the URL of a ledger');
  });
});
