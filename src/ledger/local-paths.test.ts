import { afterEach, describe, expect, it, vi } from 'vitest';
import { localPathsOf } from './local-paths.ts';
import { parseLedgerUrl } from './stores.ts';

const local = (url: string, workspace?: string) => localPathsOf(parseLedgerUrl(url), workspace);

afterEach(() => vi.unstubAllEnvs());

describe('the local files of a ledger', () => {
  it('are next to its file, whatever the workspace', () => {
    expect(local('sqlite:/data/ledger.db', '/project/.icecore')).toEqual({
      tables: '/data/ledger.tables',
      blobs: '/data/ledger.blobs',
      runs: '/data/ledger.db.runs',
      verification: '/data/ledger.db.verify.json',
      name: '/data/ledger.db',
    });
  });

  it('of a split ledger are next to the part in a file, or the decisions if both are in files', () => {
    const beside = local('sqlite:/data/a.db');
    for (const url of [
      'split:sqlite:/data/a.db+sqlite:/data/b.db',
      'split:sqlite:/data/a.db+kafka://localhost:9092/lab',
      'split:esdb://localhost/lab+sqlite:/data/a.db',
    ]) {
      expect(local(url, '/project/.icecore')).toEqual(beside);
    }
  });

  it('of a ledger on servers are in a separate folder of the workspace, however the URL is written', () => {
    const { tables, blobs, runs } = local('esdb://one,two/lab', '/project/.icecore');
    expect([tables, blobs, runs]).toEqual(
      ['tables', 'blobs', 'runs'].map((name) => expect.stringMatching(`^/project/.icecore/esdb-[0-9a-f]{8}/${name}$`)),
    );
    expect(local('esdb://two,one:2113/lab?tls=false', '/project/.icecore').tables).toBe(tables);
    expect(local('esdb://one,two/other', '/project/.icecore').tables).not.toBe(tables);
  });

  it('are in the cache of the user without a workspace', () => {
    vi.stubEnv('ICECORE_CACHE', '');
    vi.stubEnv('XDG_CACHE_HOME', '/users/ada/cache');
    expect(local('esdb://localhost/lab').tables).toMatch(/^\/users\/ada\/cache\/icecore\/esdb-/);
    vi.stubEnv('ICECORE_CACHE', '/big/disk');
    expect(local('esdb://localhost/lab').tables).toMatch(/^\/big\/disk\/esdb-/);
  });
});
