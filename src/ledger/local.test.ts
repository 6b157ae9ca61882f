import { afterEach, describe, expect, it, vi } from 'vitest';
import { localOf } from './local.ts';
import { parseLedgerUrl } from './url.ts';

const local = (url: string, home?: string) => localOf(parseLedgerUrl(url), home);

afterEach(() => vi.unstubAllEnvs());

describe('what belongs to a ledger', () => {
  it('lies beside the file it is in, whatever the home', () => {
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
      'split:kafka://localhost:9092/lab+sqlite:/data/a.db',
    ]) {
      expect(local(url, '/home/.icecore')).toEqual(beside);
    }
  });

  it('of one in Kafka lies in a folder of its own in the home, however the URL is written', () => {
    const { tables, blobs, runs } = local('kafka://one:9092,two:9092/lab', '/home/.icecore');
    expect([tables, blobs, runs]).toEqual(
      ['tables', 'blobs', 'runs'].map((name) => expect.stringMatching(`^/home/.icecore/kafka-[0-9a-f]{8}/${name}$`)),
    );
    expect(local('kafka://two,one:9092/lab?compression=gzip', '/home/.icecore').tables).toBe(tables);
    expect(local('kafka://one:9092,two:9092/other', '/home/.icecore').tables).not.toBe(tables);
  });

  it('lies among what the user keeps where there is no home', () => {
    vi.stubEnv('ICECORE_CACHE', '');
    vi.stubEnv('XDG_CACHE_HOME', '/home/ada/kept');
    expect(local('kafka://localhost:9092/lab').tables).toMatch(/^\/home\/ada\/kept\/icecore\/kafka-/);
    vi.stubEnv('ICECORE_CACHE', '/big/disk');
    expect(local('kafka://localhost:9092/lab').tables).toMatch(/^\/big\/disk\/kafka-/);
  });
});
