import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig, modelsIn } from '../library/place/config.ts';
import { commands } from './testing/commands.ts';
import { inFolder, json, temporaryFolder } from './testing/harness.ts';

function settings(text: string): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'icecore.config.json'), text);
  return cwd;
}

describe('settings code', () => {
  it('runs before the commands that docs/security.md lists, and before no other', async () => {
    const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
    const [, named = ''] = /^- It runs before commands that work or write: (.*?)\.$/ms.exec(page) ?? [];
    const documented = Array.from(
      named.split('`icecore list`')[0]?.matchAll(/`([^`]+)`/g) ?? [],
      ([, name = '']) => name,
    );
    const running: string[] = [];
    for (const { name, load } of commands.all) {
      const { config = 'look' } = await load();
      if (config === 'run') running.push(name.startsWith('import ') ? 'import' : name);
      else if (typeof config === 'object') running.push(`${name} --${config.runWith}`);
    }
    expect([...new Set(running)].sort()).toEqual(documented.sort());
  });
});

describe('settings', () => {
  it('are found in parent folders', () => {
    const cwd = settings('{"ledger": "sqlite:x.db"}');
    mkdirSync(join(cwd, 'a', 'b'), { recursive: true });
    expect(findConfig({ cwd: join(cwd, 'a', 'b'), env: {} })).toMatchObject({
      path: join(cwd, 'icecore.config.json'),
      ledger: 'sqlite:x.db',
    });
  });

  it('may be absent or empty', () => {
    expect(findConfig({ cwd: temporaryFolder(), env: {} })).toBeNull();
    expect(findConfig({ cwd: settings('\ufeff{}'), env: {} })).not.toHaveProperty('ledger');
  });

  it('may name the two parts of a ledger by URL', async () => {
    const cwd = settings('{"ledger": {"decisions": "sqlite:ledger.db", "evidence": "sqlite:big/evidence.db"}}');
    expect(findConfig({ cwd, env: {} })).toMatchObject({
      ledger: 'split:sqlite:ledger.db+sqlite:big/evidence.db',
    });
    mkdirSync(join(cwd, 'below'));
    const { ledger } = json(await inFolder(join(cwd, 'below'))('init', '--json'));
    expect(ledger).toBe(`split:sqlite:${join(cwd, 'ledger.db')}+sqlite:${join(cwd, 'big/evidence.db')}`);
  });

  it('define models, which icecore init preserves', async () => {
    const models = '"models": {"qwen": {"url": "http://localhost:8000/v1/", "model": "Qwen/Qwen3-4B"}}';
    const cwd = settings(`{${models}}`);
    const entry = { name: 'qwen', url: 'http://localhost:8000/v1', model: 'Qwen/Qwen3-4B', concurrency: 8 };
    expect(modelsIn(findConfig({ cwd, env: {} })).get('qwen')).toMatchObject(entry);
    expect(modelsIn(null).size).toBe(0);
    await inFolder(cwd)('init', '--ledger', 'sqlite:x.db');
    const written: unknown = JSON.parse(readFileSync(join(cwd, 'icecore.config.json'), 'utf8'));
    expect(written).toEqual({ ...JSON.parse(`{${models}}`), ledger: 'sqlite:x.db' });
  });

  it('are reported without texts that may be keys', async () => {
    const cwd = settings('{"models": {"gpt": {"url": "http://x/v1", "model": "m", "key": "sk-proj-12"}}}');
    const ran = await inFolder(cwd)('event', 'tail', '--json');
    expect(ran.stdout).toContain('models.gpt.key: found another text (not shown');
    expect(ran.stdout + ran.stderr).not.toContain('sk-proj-12');
  });

  it.each([
    [
      '{\n  "ledger": \'x\'\n}',
      'icecore.config.json, line 2, column 13: found "\'", allowed: texts in double quotes',
      '',
    ],
    ['{"ledgr": "x"}', 'icecore.config.json: found the setting "ledgr", allowed: ledger', 'Did you mean "ledger"?'],
    ['{"model": {}}', 'found the setting "model", allowed: ledger, blobs, texts, models', 'Did you mean "models"?'],
    ['{"texts": true}', ', texts: found true, allowed: "inline"', 'For example'],
    ['{"texts": "blob"}', ', texts: found "blob", allowed: "inline"', 'For example'],
    ['{"models": []}', 'icecore.config.json, models: found a list of 0, allowed: an object', 'For example'],
    [
      '{"models": {"a": {"url": "x", "modle": "m"}}}',
      'icecore.config.json, models.a.url: found something that is not an address, allowed: an address like https://api.openai.com/v1 (and 2 more issues)\n  models.a.modle: found an unknown key',
      'For example: {"models"',
    ],
    ['{"colour": 1}', 'found the setting "colour"', 'Remove it.'],
    ['{"ledger": 5}', 'icecore.config.json, ledger: found 5, allowed: the URL of a ledger', 'For example'],
    ['{"ledger": ""}', 'allowed: the URL of a ledger', 'For example'],
    [
      '{"ledger": {"decisions": "sqlite:a.db"}}',
      'ledger: found {"decisions":"sqlite:a.db"}, allowed: the URL of a ledger, or {"decisions": URL, "evidence": URL}',
      'For example',
    ],
    [
      '{"ledger": {"decisions": "sqlite:a.db", "evidence": "sqlite:b.db", "else": 1}}',
      'allowed: the URL',
      'For example',
    ],
    ['[]', 'icecore.config.json: found a list, allowed: an object', 'For example'],
    ['', 'line 1, column 1: found the end of the text', ''],
  ])('are refused with place and reason: %j', async (text, message, remedy) => {
    const ran = await inFolder(settings(text))('event', 'tail');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(remedy);
  });

  it('with an error are a failed check of doctor, which continues with the other checks', async () => {
    const { code, stdout } = await inFolder(settings('{"ledgr": "x"}'))('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed\s+settings\s.*Did you mean "ledger"\?$/m);
    expect(stdout).toMatch(/^ok\s+node /m);
  });
});
