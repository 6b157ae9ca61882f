import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { userFolder } from '../../base/user-settings.ts';
import { type Consent, Consents } from './consents.ts';

const host: Consent = { kind: 'host', host: 'api.example.org' };
const config: Consent = { kind: 'config', path: '/w/icecore.config.json', digest: 'a'.repeat(64), requests: ['b'] };
const workspace: Consent = { kind: 'workspace', path: '/w/.icecore', requests: ['b'] };
const program: Consent = {
  kind: 'program',
  use: 'run',
  ledger: 'f3c1',
  url: 'sqlite:/w/.icecore/ledger.db',
  command: ['python3', 'engineer.py'],
  folder: '/w',
  by: 'typed',
};

function consents(): { readonly mine: Consents; readonly folder: string } {
  const folder = temporaryFolder();
  return { mine: new Consents({ XDG_CONFIG_HOME: folder }), folder };
}

describe('a consent', () => {
  it.each([host, config, workspace, program])(
    'is found after it was given, and not after it was revoked: $kind',
    (consent) => {
      const { mine } = consents();
      expect(mine.find(consent)).toBeNull();
      mine.give(consent);
      expect(mine.find(consent)).toMatchObject(consent);
      expect(mine.all()).toMatchObject([consent]);
      mine.revoke(consent);
      expect(mine.find(consent)).toBeNull();
    },
  );

  it.each<[string, Consent, Consent]>([
    ['another host', host, { ...host, host: 'api.example.org:8443' }],
    ['the same host without TLS', host, { ...host, withoutTls: true }],
    ['settings with different content', config, { ...config, digest: 'b'.repeat(64) }],
    ['a new request of the same settings', config, { ...config, requests: ['b', 'a'] }],
    ['another link of the same workspace', workspace, { ...workspace, requests: ['c'] }],
    ['settings in another place', config, { ...config, path: '/x/icecore.config.json' }],
    ['another argument', program, { ...program, command: ['python3', 'engineer.py', '-v'] }],
    ['a copy of the ledger in another place', program, { ...program, url: 'sqlite:/x/ledger.db' }],
    ['another folder to run in', program, { ...program, folder: '/x' }],
    ['the same words, split differently', program, { ...program, command: ['python3 engineer.py'] }],
  ])('is not one for %s', (_, given, wanted) => {
    const { mine } = consents();
    mine.give(given);
    expect(mine.find(wanted)).toBeNull();
  });

  it('for more requests of the same file keeps earlier ones allowed', () => {
    const { mine } = consents();
    mine.give(config);
    mine.give({ ...config, requests: ['a'] });
    expect(mine.find({ ...config, requests: ['b', 'a'] })).not.toBeNull();
    expect(mine.all()).toHaveLength(1);
  });

  it('is readable only by the user', () => {
    const { mine, folder } = consents();
    mine.give(host);
    const [file = ''] = readdirSync(join(folder, 'icecore/trust/host'));
    expect(statSync(join(folder, 'icecore/trust/host', file)).mode & 0o077).toBe(0);
  });

  it.skipIf(!existsSync('/proc/self'))('is refused if the folder for it cannot be created', () => {
    const nowhere = new Consents({ XDG_CONFIG_HOME: '/proc/none' });
    expect(() => nowhere.give(host)).toThrow('/proc/none: the folder cannot be created');
    expect(nowhere.all()).toEqual([]);
  });

  it('ignores a record whose content does not match its name', () => {
    const { mine, folder } = consents();
    mine.give(host);
    const records = join(folder, 'icecore/trust/host');
    const [file = ''] = readdirSync(records);
    writeFileSync(join(records, file), JSON.stringify({ ...host, host: 'elsewhere', at: 'now' }));
    expect(mine.find(host)).toBeNull();
    writeFileSync(join(records, file), 'rubbish');
    expect(mine.find(host)).toBeNull();
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', file), JSON.stringify({ ...host, at: 'now' }));
    mine.revoke(host);
    symlinkSync(join(folder, 'other', file), join(records, file));
    expect(mine.find(host)).toBeNull();
  });
});

describe("the user's own folder", () => {
  it('is in XDG_CONFIG_HOME, unless that is relative', () => {
    expect(userFolder({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe('/x/icecore');
    expect(userFolder({ XDG_CONFIG_HOME: 'x', HOME: '/h' })).toBe('/h/.config/icecore');
    expect(userFolder({ HOME: '/h' })).toBe('/h/.config/icecore');
  });
});
