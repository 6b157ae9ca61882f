// What other users of the machine put where icecore looks. Changing owners needs root; the rest is tried as whoever runs the test.
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localPathsOf } from '../../ledger/local-paths.ts';
import { parseLedgerUrl } from '../../ledger/stores.ts';
import { foreignOwner } from '../../library/consent/requests.ts';
import { findPlace } from '../../library/place/place.ts';
import { icecore, json, type Ran, temporaryFolder } from '../testing/harness.ts';

const isRoot = process.geteuid?.() === 0;
const other = 4242;

interface Place {
  readonly cwd: string;
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

function place(): Place {
  const root = temporaryFolder();
  const cwd = join(root, 'shared');
  mkdirSync(cwd);
  const config = join(cwd, 'icecore.config.json');
  writeFileSync(config, '{"ledger": "sqlite:ledger.db"}');
  return { cwd, config, env: { XDG_CONFIG_HOME: join(root, 'user') } };
}

const call = ({ cwd, env }: Place, ...argv: readonly string[]): Promise<Ran> => icecore(argv, { cwd, env });

async function expectRefused(found: Place, path: string, why: string): Promise<void> {
  for (const verb of ['event tail', 'show', 'verify', 'init']) {
    const ran = await call(found, ...verb.split(' '), '--json');
    expect(ran.code).toBe(1);
    const { error } = json(ran) as { error: { kind: string; message: string; commands: string[] } };
    expect(error).toMatchObject({ kind: 'untrusted', commands: [`icecore trust ${path}`] });
    expect(error.message).toContain(`${path} ${why}`);
  }
  expect((await call(found, 'doctor')).code).toBe(1);
}

describe.skipIf(process.platform === 'win32')('settings', () => {
  it('that every user can change are refused until they are trusted', async () => {
    const found = place();
    chmodSync(found.config, 0o666);
    await expectRefused(found, found.config, 'can be changed by every user');
    await call(found, 'trust', '--yes');
    expect((await call(found, 'init')).code).toBe(0);
    writeFileSync(found.config, '{"ledger": "sqlite:other.db"}');
    await expectRefused(found, found.config, 'can be changed by every user');
  });

  it('in a folder that every user can change are refused', async () => {
    const found = place();
    chmodSync(found.cwd, 0o777);
    await expectRefused(found, found.config, `is in ${found.cwd}, which can be changed by every user`);
  });

  it('in a sticky folder such as /tmp are accepted if they belong to the user', async () => {
    const found = place();
    chmodSync(found.cwd, 0o1777);
    expect((await call(found, 'init')).code).toBe(0);
  });

  it.each(['*', 'FOLDER', 'FILE'])('are accepted if ICECORE_TRUST names them: %s', async (word) => {
    const found = place();
    chmodSync(found.config, 0o666);
    const ICECORE_TRUST = word === '*' ? word : `x.example, ${word === 'FOLDER' ? found.cwd : found.config}`;
    expect((await icecore(['init'], { cwd: found.cwd, env: { ...found.env, ICECORE_TRUST } })).code).toBe(0);
    expect(
      (await icecore(['init'], { cwd: found.cwd, env: { ...found.env, ICECORE_TRUST: `${found.cwd}x` } })).code,
    ).toBe(1);
  });

  it.skipIf(!isRoot)('of another user are refused, also through a link or in a folder of that user', async () => {
    const [owned, linked, inFolder] = [place(), place(), place()];
    chownSync(owned.config, other, other);
    await expectRefused(owned, owned.config, `belongs to another user (id ${other})`);
    const link = join(linked.cwd, 'below');
    mkdirSync(link);
    symlinkSync(linked.config, join(link, 'icecore.config.json'));
    lchownSync(join(link, 'icecore.config.json'), other, other);
    await expectRefused({ ...linked, cwd: link }, join(link, 'icecore.config.json'), 'belongs to another user');
    chownSync(inFolder.cwd, other, other);
    await expectRefused(inFolder, inFolder.config, `is in ${inFolder.cwd}, which belongs to another user`);
  });

  it.skipIf(!isRoot)('of the user who called sudo are accepted', async () => {
    const found = place();
    chownSync(found.config, other, other);
    const env = { ...found.env, SUDO_UID: String(other) };
    expect((await icecore(['init'], { cwd: found.cwd, env })).code).toBe(0);
  });

  it.skipIf(!isRoot)('that another group can change are refused', async () => {
    const found = place();
    chmodSync(found.config, 0o664);
    expect((await call(found, 'init')).code).toBe(0);
    chownSync(found.config, 0, other);
    chmodSync(found.config, 0o664);
    await expectRefused(found, found.config, `can be changed by another group (id ${other})`);
  });
});

describe.skipIf(process.platform === 'win32')('a workspace', () => {
  it('that every user can change is refused until it is trusted', async () => {
    const found = place();
    writeFileSync(found.config, '{}');
    const workspace = join(found.cwd, '.icecore');
    mkdirSync(workspace);
    chmodSync(workspace, 0o777);
    await expectRefused(found, workspace, 'can be changed by every user');
    await call(found, 'trust', '--yes');
    expect((await call(found, 'init')).code).toBe(0);
    await call(found, 'trust', '--revoke');
    await expectRefused(found, workspace, 'can be changed by every user');
  });

  it('that ICECORE_WORKSPACE names needs no consent', async () => {
    const found = place();
    const workspace = join(found.cwd, 'elsewhere');
    mkdirSync(workspace);
    chmodSync(workspace, 0o777);
    const env = { ...found.env, ICECORE_WORKSPACE: workspace };
    expect((await icecore(['init'], { cwd: found.cwd, env })).code).toBe(0);
  });
});

it('foreignOwner accepts files of root, and any file on systems without owners', () => {
  const { config } = place();
  const user = { id: other, group: other, owners: [other, 0] };
  expect(foreignOwner('/etc/hostname', user)).toBeNull();
  if (isRoot) expect(foreignOwner(config, user)).toBeNull();
  expect(foreignOwner(config, null)).toBeNull();
});

describe.skipIf(process.platform === 'win32')('the workspace of a ledger on a server', () => {
  // Nothing listens there: what is refused is refused before anything connects.
  const url = 'esdb://localhost:9/lab?tls=false&patience=1';

  it.each(['', 'blobs', 'tables', 'runs'])('is refused if a link leads out of it: %s', async (part) => {
    const found = place();
    const workspace = join(found.cwd, '.icecore');
    const folder = dirname(localPathsOf(parseLedgerUrl(url), workspace).blobs);
    const precious = temporaryFolder();
    mkdirSync(part === '' ? workspace : folder, { recursive: true });
    symlinkSync(precious, part === '' ? folder : join(folder, part));
    writeFileSync(join(found.cwd, 'f.txt'), 'text');
    writeFileSync(found.config, JSON.stringify({ ledger: url }));
    for (const verb of [['blob', 'put', 'f.txt'], ['show'], ['doctor', '--no-models']]) {
      const ran = await call(found, ...verb);
      expect(ran.stdout + ran.stderr).toContain(`leads to ${precious}`);
      expect(ran.code).toBe(verb[0] === 'doctor' ? 0 : 1);
    }
    expect(readdirSync(precious)).toEqual([]);
    expect((await call(found, 'trust', '--yes')).stderr).toContain(`leads to ${precious}`);
    expect(() => findPlace({ cwd: found.cwd, env: found.env })).not.toThrow();
  });
});
