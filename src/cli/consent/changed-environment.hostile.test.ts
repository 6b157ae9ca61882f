// What was allowed in one environment, or before a link changed, is not allowed in another: only what was displayed is.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { icecore, json, type Ran, temporaryFolder } from '../testing/harness.ts';
import { typedAtTerminal } from './testing/terminal.ts';

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function place(config: object): Place {
  const root = temporaryFolder();
  const cwd = join(root, 'theirs');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify(config));
  return { cwd, env: { XDG_CONFIG_HOME: join(root, 'user') } };
}

const call = ({ cwd, env }: Place, ...argv: readonly string[]): Promise<Ran> => icecore(argv, { cwd, env });
const within = (at: Place, env: Readonly<Record<string, string>>): Place => ({ ...at, env: { ...at.env, ...env } });

describe('consent to settings', () => {
  it('names the login variables of EventStoreDB even before they are set', async () => {
    const at = place({ ledger: 'esdb://127.0.0.1:9/lab?patience=1' });
    const ran = await call(at, 'trust');
    expect(ran.stderr).toContain('sends ICECORE_EVENTSTORE_USER and ICECORE_EVENTSTORE_PASSWORD to 127.0.0.1:9');
  });

  it('names only the password if the URL has the user, and only the connection if there is no TLS', async () => {
    const named = place({ ledger: 'esdb://ada@127.0.0.1:9/lab?patience=1' });
    expect((await call(named, 'trust')).stderr).toContain('sends ICECORE_EVENTSTORE_PASSWORD to 127.0.0.1:9');
    const open = place({ ledger: 'esdb://10.0.0.9:9/lab?patience=1&tls=false' });
    expect((await call(open, 'trust')).stderr).toContain('connects to 10.0.0.9:9 without TLS');
  });

  it.each([
    ['AWS_ENDPOINT_URL', 'http://localhost:9', 'localhost:9'],
    ['AWS_ENDPOINT_URL_S3', 'http://localhost:9', 'localhost:9'],
    ['AWS_REGION', 'eu-west-1', 'evil-bucket.s3.eu-west-1.amazonaws.com'],
  ])('is needed again if %s sends the bucket to another host', async (name, value, host) => {
    const at = place({ blobs: 's3://evil-bucket' });
    await call(at, 'trust', '--yes');
    const ran = await call(within(at, { [name]: value }), 'blob', 'get', 'a'.repeat(64));
    expect(ran.stderr).toMatch(new RegExp(`to ${host}.*and you have not allowed that`));
    expect((await call(within(at, { [name]: value }), 'trust')).stderr).toContain(`to ${host}`);
  });

  it('holds in every environment that it was given in', async () => {
    const at = place({ blobs: 's3://evil-bucket' });
    const elsewhere = within(at, { AWS_ENDPOINT_URL: 'http://localhost:9' });
    for (const one of [at, elsewhere]) await call(one, 'trust', '--yes');
    for (const one of [at, elsewhere]) {
      const ran = await call(one, 'blob', 'get', 'a'.repeat(64));
      expect(ran.stderr).toContain('needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
    }
  });

  it('is not given by icecore init, whatever the environment', async () => {
    for (const blobs of ['s3://evil-bucket?region=us-east-1', 'folder:blobs']) {
      const at = place({ blobs });
      const elsewhere = within(at, { AWS_ENDPOINT_URL: 'http://localhost:9' });
      expect((await call(elsewhere, 'init', '--ledger', 'sqlite:.icecore/l.db')).code).toBe(0);
      expect(json(await call(at, 'trust', '--list', '--json'))).toMatchObject({ total: 0 });
    }
  });

  it('from icecore init does not cover a ledger replaced by a link', async () => {
    const cwd = temporaryFolder();
    const at: Place = { cwd, env: { XDG_CONFIG_HOME: join(cwd, 'user') } };
    const elsewhere = join(temporaryFolder(), 'ledger.db');
    expect((await call(at, 'init', '--ledger', `sqlite:${elsewhere}`)).code).toBe(0);
    expect((await call(at, 'init', '--blobs', 'folder:/nowhere/icecore-never')).code).toBe(0);
    rmSync(elsewhere);
    symlinkSync(join(temporaryFolder(), 'other.db'), elsewhere);
    expect(json(await call(at, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
  });
});

describe.skipIf(process.platform === 'win32')('a workspace that others can change', () => {
  function placeOfOthers(): Place & { readonly ledger: string; readonly elsewhere: string } {
    const at = place({});
    const path = join(at.cwd, '.icecore');
    mkdirSync(path);
    chmodSync(path, 0o777);
    const elsewhere = join(temporaryFolder(), 'mine.db');
    symlinkSync(elsewhere, join(path, 'ledger.db'));
    return { ...at, ledger: join(path, 'ledger.db'), elsewhere };
  }

  it('needs consent once, and the question names its permissions and its outside link', async () => {
    const at = placeOfOthers();
    const ran = await typedAtTerminal(at, ['event', 'tail'], 'y\n');
    expect(ran.stderr).toContain('can be changed by every user\n');
    expect(ran.stderr).toContain(`leads to ${at.elsewhere}, outside of it\n`);
    expect(ran.stderr.match(/\[y\/N\]/g)).toHaveLength(1);
  });

  it.each(['terminal', '--yes'])('needs consent again if a link changes: %s', async (way) => {
    const at = placeOfOthers();
    if (way === 'terminal') await typedAtTerminal(at, ['event', 'tail'], 'y\n');
    else await call(at, 'trust', '--yes');
    expect(json(await call(at, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'not-found' } });
    rmSync(at.ledger);
    symlinkSync(join(temporaryFolder(), 'other.db'), at.ledger);
    expect(json(await call(at, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
  });

  it('needs consent again if a link is added', async () => {
    const at = placeOfOthers();
    rmSync(at.ledger);
    await call(at, 'trust', '--yes');
    expect((await call(at, 'init')).code).toBe(0);
    symlinkSync(temporaryFolder(), join(at.cwd, '.icecore', 'ledger.blobs'));
    expect(json(await call(at, 'event', 'tail', '--json'))).toMatchObject({ error: { kind: 'untrusted' } });
  });
});
