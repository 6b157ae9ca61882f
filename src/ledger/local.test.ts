import { afterEach, describe, expect, it, vi } from 'vitest';
import { localOf } from './local.ts';
import { parseLedgerUrl } from './stores.ts';

const local = (url: string, workspace?: string) => localOf(parseLedgerUrl(url), workspace);

afterEach(() => vi.unstubAllEnvs());

describe('what belongs to a ledger', () => {
  it('lies beside the file it is in, whatever the workspace', () => {
    expect(local('sqlite:/data/ledger.db', '/home/.icecore')).toEqual({
      tables: '/data/ledger.tables',
      blobs: '/data/ledger.blobs',
      runs: '/data/ledger.db.runs',
      verification: '/data/ledger.db.verify.json',
      name: '/data/ledger.db',
    });
  });

  it('of a split ledger lies beside the part that is in a file, the decisions where both are', () => {
    const beside = local('sqlite:/data/a.db');
    for (const url of [
      'split:sqlite:/data/a.db+sqlite:/data/b.db',
      'split:sqlite:/data/a.db+kafka://localhost:9092/lab',
      'split:esdb://localhost/lab+sqlite:/data/a.db',
    ]) {
      expect(local(url, '/home/.icecore')).toEqual(beside);
    }
  });

  it('of one on servers lies in a folder of its own in the workspace, however the URL is written', () => {
    const { tables, blobs, runs } = local('esdb://one,two/lab', '/home/.icecore');
    expect([tables, blobs, runs]).toEqual(
      ['tables', 'blobs', 'runs'].map((name) => expect.stringMatching(`^/home/.icecore/esdb-[0-9a-f]{8}/${name}$`)),
    );
    expect(local('esdb://two,one:2113/lab?tls=false', '/home/.icecore').tables).toBe(tables);
    expect(local('esdb://one,two/other', '/home/.icecore').tables).not.toBe(tables);
  });

  it('lies among what the user keeps where there is no workspace', () => {
    vi.stubEnv('ICECORE_CACHE', '');
    vi.stubEnv('XDG_CACHE_HOME', '/home/ada/kept');
    expect(local('esdb://localhost/lab').tables).toMatch(/^\/home\/ada\/kept\/icecore\/esdb-/);
    vi.stubEnv('ICECORE_CACHE', '/big/disk');
    expect(local('esdb://localhost/lab').tables).toMatch(/^\/big\/disk\/esdb-/);
  });
});
