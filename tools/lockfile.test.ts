import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LockedPackage, type LockFile, lockFileProblems } from './lockfile.ts';

const integrity = `sha512-${'A'.repeat(86)}==`;

/** Problems of a lock file with a single package. */
function problemsOf(locked: LockedPackage, path = 'node_modules/a'): readonly string[] {
  return lockFileProblems({ packages: { '': {}, [path]: locked } }, { allowScripts: { built: true, denied: false } });
}

describe('the lock file', () => {
  it('is complete', () => {
    const [lock, manifest] = ['package-lock.json', 'package.json'].map((name) =>
      JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')),
    );
    expect(lockFileProblems(lock as LockFile, manifest)).toEqual([]);
  });

  it('has the digest of every package', () => {
    expect(problemsOf({ version: '1.0.0', integrity })).toEqual([]);
    expect(problemsOf({ version: '1.0.0' })).toEqual([expect.stringContaining('node_modules/a: has no integrity')]);
    expect(problemsOf({ version: '1.0.0' }, 'tools/node/node_modules/a')).toHaveLength(1);
  });

  it.each([['sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0='], [`sha512-${'A'.repeat(20)}`], [`${integrity} sha1-AAAA`], ['']])(
    'accepts no weaker digest: %s',
    (weak) => {
      expect(problemsOf({ version: '1.0.0', integrity: weak })).toEqual([expect.stringContaining('not a SHA-512')]);
    },
  );

  it('accepts packages from the public registry only', () => {
    expect(problemsOf({ integrity, resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz' })).toEqual([]);
    const elsewhere = [
      'https://mirror.example/a/-/a-1.0.0.tgz',
      'https://registry.npmjs.org.example/a/-/a-1.0.0.tgz',
      'http://registry.npmjs.org/a/-/a-1.0.0.tgz',
      'git+ssh://git@github.com/a/a.git#0123456789abcdef0123456789abcdef01234567',
      'file:../a.tgz',
    ];
    for (const resolved of elsewhere) {
      expect(problemsOf({ integrity, resolved })).toEqual([expect.stringContaining(`comes from ${resolved}`)]);
    }
  });

  it('allows no install scripts that package.json does not decide on', () => {
    expect(problemsOf({ integrity, hasInstallScript: true })).toEqual([expect.stringContaining('decide on a in')]);
    expect(problemsOf({ integrity, hasInstallScript: true }, 'node_modules/b/node_modules/built')).toEqual([]);
    expect(problemsOf({ integrity, hasInstallScript: true }, 'node_modules/denied')).toEqual([]);
    expect(problemsOf({ name: 'other', integrity, hasInstallScript: true }, 'node_modules/built')).toHaveLength(1);
  });

  it('links only to workspaces of this repository, which have no digest', () => {
    const link: LockFile = { packages: { 'node_modules/n': { resolved: 'tools/node', link: true }, 'tools/node': {} } };
    expect(lockFileProblems(link, {})).toEqual([]);
    expect(problemsOf({ resolved: '../elsewhere', link: true })).toEqual([expect.stringContaining('not a workspace')]);
  });
});
