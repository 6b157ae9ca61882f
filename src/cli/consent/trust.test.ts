import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrustResult } from '../../../schemas/output.ts';
import { Consents } from '../../library/consent/consents.ts';
import { icecore, json, type Ran, steering, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { typedAtTerminal } from './testing/terminal.ts';

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const settings = {
  blobs: 's3://bucket/lab?endpoint=http://10.0.0.9:7070',
  models: { gpt: { url: 'https://api.example.org/v1', model: 'm', key: 'HF_TOKEN' } },
};

function place(config: object = settings): Place {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify(config));
  return { cwd, env: { XDG_CONFIG_HOME: join(cwd, 'user'), HF_TOKEN: 'hf-1' } };
}

const trust = (at: Place, ...words: readonly string[]): Promise<Ran> => icecore(['trust', ...words], at);

describe('icecore trust', () => {
  it('lists what the settings request, and allows nothing without a terminal or --yes', async () => {
    const at = place();
    const ran = await trust(at);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('(models.gpt) sends HF_TOKEN to api.example.org/v1\n');
    expect(ran.stderr).toContain(
      'sends AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN to 10.0.0.9:7070 without TLS\n',
    );
    expect(ran.stderr).toContain(`If you trust it: icecore trust ${at.cwd}/icecore.config.json --yes`);
    expect((await trust(at, '--list')).stderr).toContain('nothing is trusted yet');
  });

  it('allows the requests with --yes, lists them and revokes them', async () => {
    const at = place();
    await trust(at, '--yes');
    await trust(at, '--host', 'https://Other.Example.org:8443/v1');
    const listed = json(await trust(at, '--list', '--json'));
    expect(faultsAgainst('trust', listed)).toEqual([]);
    expect(listed).toMatchObject({
      action: 'listed',
      rows: [
        { kind: 'config', name: join(at.cwd, 'icecore.config.json') },
        { kind: 'host', name: 'other.example.org:8443/v1', detail: 'with TLS' },
      ],
    });
    expect((await trust(at, '--list')).stdout).toMatch(/^kind +name +detail +since\nconfig +\//);
    expect(json(await trust(at, '--revoke', '--json'))).toMatchObject({ action: 'revoked', total: 1 });
    expect(json(await trust(at, '--revoke', '--host', 'other.example.org:8443', '--json'))).toMatchObject({ total: 1 });
    expect(json(await trust(at, '--list', '--json'))).toMatchObject({ total: 0 });
  });

  it('says of a host on this machine that it needs no TLS', async () => {
    const at = place();
    const hosts = ['http://127.0.0.1:8000/v1', 'localhost:9000', 'https://[::1]:9092', '10.0.0.9:7070'];
    for (const host of hosts) await trust(at, '--host', host);
    await trust(at, '--host', 'gpu-7:8000', '--without-tls');
    const { rows } = json(await trust(at, '--list', '--json')) as TrustResult;
    expect(Object.fromEntries(rows.map(({ name, detail }) => [name, detail]))).toEqual({
      '127.0.0.1:8000/v1': 'on this machine, also without TLS',
      'localhost:9000': 'on this machine, also without TLS',
      '[::1]:9092': 'on this machine, also without TLS',
      '10.0.0.9:7070': 'with TLS',
      'gpu-7:8000': 'also without TLS',
    });
  });

  it('revokes every allowed content of a file', async () => {
    const at = place();
    await trust(at, '--yes');
    writeFileSync(join(at.cwd, 'icecore.config.json'), JSON.stringify({ ...settings, blobs: 'folder:blobs' }));
    await trust(at, '--yes');
    expect(json(await trust(at, '--revoke', '--json'))).toMatchObject({ total: 2 });
  });

  it.each([
    [['--list', '--revoke'], 'found --list and --revoke'],
    [['.', '--host', 'x.org'], 'found a path and --host'],
    [['--without-tls'], '--without-tls needs --host'],
    [['--host', 'trusted.org@evil.org'], 'found "trusted.org@evil.org"'],
    [['--host', ''], 'allowed: a host'],
  ])('refuses contradictory or invalid options: %j', async (words, message) => {
    expect(await trust(place(), ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('reports a path without settings and workspace', async () => {
    const at = place();
    expect((await trust(at, 'nowhere')).stderr).toContain('there is no icecore.config file and no .icecore at');
  });
});

describe('icecore trust --revoke of a ledger', () => {
  const program = { kind: 'program', use: 'run', ledger: 'f3c1', command: ['python3'], by: 'trusted' } as const;

  it.each([
    ['.icecore/ledger.db'],
    ['.icecore'],
    ['--ledger', 'sqlite:.icecore/ledger.db'],
    ['--ledger', 'esdb://h:2113/lab?patience=3'],
    ['--ledger', 'esdb://h/lab'],
  ])('revokes only the programs of that ledger: %j %j', async (...words) => {
    const at = place({});
    const own = `sqlite:${at.cwd}/.icecore/ledger.db`;
    const url = words[1]?.startsWith('sqlite:') === false ? words[1].replace('?patience=3', '') : own;
    const consents = new Consents(at.env);
    for (const one of [url, `${own}2`, 'esdb://h/other'])
      consents.give({ ...program, url: one === `${own}2` ? `sqlite:${at.cwd}/other.db` : one, folder: at.cwd });
    expect(json(await trust(at, '--revoke', ...words, '--json'))).toMatchObject({ action: 'revoked', total: 1 });
    expect(consents.all().map((one) => one.kind === 'program' && one.url)).not.toContain(url);
  });
});

describe('a long list of requests', () => {
  it('omits those that need no consent, and ends with those that send credentials', async () => {
    const loopback = Array.from({ length: 50 }, (_, n) => [`m${n}`, { url: 'http://localhost:9/v1', model: 'm' }]);
    const at = place({
      ledger: 'esdb://10.0.0.9:9/lab?tls=false',
      ...settings,
      models: { ...settings.models, ...Object.fromEntries(loopback) },
    });
    const { stderr } = await typedAtTerminal(at, ['trust'], 'n\n');
    expect(stderr).not.toContain('localhost');
    expect(stderr).toMatch(/connects to 10.*sends AWS.*sends HF_TOKEN.*Trust these 3 requests/s);
  });
});

describe('the question at a terminal', () => {
  it.each(['y\n', 'YES\n', ' yes \n'])('takes %j as a yes', async (typed) => {
    const at = place();
    const ran = await typedAtTerminal(at, ['trust'], typed);
    expect(ran.stderr).toContain('Trust these 2 requests from now on? [y/N] ');
    expect(ran.code).toBe(0);
    expect(json(await trust(at, '--list', '--json'))).toMatchObject({ total: 1 });
  });

  it.each(['', '\n', 'n\n', 'no\n', 'yep\n', 'sure\n', 'yes no\n', '\u0000y\n'])('takes %j as a no', async (typed) => {
    const at = place();
    expect((await typedAtTerminal(at, ['trust'], typed)).code).toBe(1);
    expect(json(await trust(at, '--list', '--json'))).toMatchObject({ total: 0 });
  });

  it('is asked once by any command, names everything that a yes allows, and the command continues', async () => {
    const at = place({ ...settings, ledger: 'sqlite:../ledger.db' });
    const ran = await typedAtTerminal(at, ['event', 'tail', '--json'], 'y\n');
    expect(ran.stderr).toContain('(ledger) names ');
    expect(ran.stderr).toContain('(models.gpt) sends HF_TOKEN to api.example.org/v1\n');
    expect(ran.stderr.match(/\[y\/N\]/g)).toHaveLength(1);
    expect(ran.stdout).toContain('"kind":"not-found"');
    expect((await icecore(['event', 'tail', '--json'], at)).stdout).toContain('"kind":"not-found"');
  });

  it('fails the command after a no, with the trust command to type', async () => {
    const at = place({ ledger: 'sqlite:../ledger.db' });
    const ran = await typedAtTerminal(at, ['event', 'tail'], 'n\n');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('and you have not allowed that');
    expect(ran.stderr).toMatch(/trust \/.*icecore\.config\.json/);
  });

  it('escapes control characters of the file', async () => {
    const at = place({ ledger: 'sqlite:../\u001b[2J\u202e.db' });
    const ran = await typedAtTerminal(at, ['event', 'tail'], 'n\n');
    expect(steering(ran.stderr)).toEqual([]);
  });
});

describe('the settings that icecore init writes', () => {
  it('need no consent', async () => {
    const cwd = temporaryFolder();
    const env = { XDG_CONFIG_HOME: join(cwd, 'user') };
    const elsewhere = join(temporaryFolder(), 'ledger.db');
    expect((await icecore(['init', '--ledger', `sqlite:${elsewhere}`], { cwd, env })).code).toBe(0);
    expect((await icecore(['event', 'tail'], { cwd, env })).code).toBe(0);
    expect((await icecore(['init', '--blobs', 'folder:/nowhere/icecore-never'], { cwd, env })).code).toBe(0);
    expect((await icecore(['event', 'tail'], { cwd, env })).code).toBe(0);
  });

  it('do not allow the rest of an existing file', async () => {
    const at = place();
    expect((await icecore(['init', '--ledger', 'sqlite:x.db'], at)).code).toBe(0);
    expect((await icecore(['doctor'], at)).stdout).toContain('not asked');
    expect(json(await trust(at, '--list', '--json'))).toMatchObject({ total: 0 });
  });
});
