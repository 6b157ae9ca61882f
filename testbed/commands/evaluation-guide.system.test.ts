// Runs the sessions of docs/evaluation.md and compares their output; runs its other commands with test endpoints instead of the
// named ones.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shell, temporaryFolder } from '../../src/cli/testing/harness.ts';
import { answerReply, Endpoint } from '../../src/lab/models/testing/endpoint.ts';

const docs = new URL('../../docs/', import.meta.url);
const guide = readFileSync(new URL('evaluation.md', docs), 'utf8');
const models = readFileSync(new URL('models.md', docs), 'utf8');

function blocks(language: string, page = guide): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text ?? '',
  );
}

type Settings = { readonly models: Readonly<Record<string, { readonly url: string }>> };

/** The settings of docs/models.md, with another address for each model. */
function settingsAt(url: string): object {
  const [text = ''] = blocks('json', models);
  const settings = JSON.parse(text) as Settings;
  return {
    models: Object.fromEntries(Object.entries(settings.models).map(([name, entry]) => [name, { ...entry, url }])),
  };
}

describe('the guide to evaluation', () => {
  it('shows real output', async () => {
    const sessions = blocks('console');
    expect(sessions.length).toBeGreaterThan(1);
    const cwd = temporaryFolder();
    for (const session of sessions) {
      const [typed = '', ...printed] = session.split('\n');
      const { code, stdout } = await shell(`${typed.replace(/^\$ /, '')} -q`, cwd);
      expect([code, stdout]).toEqual([0, printed.join('\n')]);
    }
  });

  it('has commands that run one after the other', async () => {
    const endpoint = await Endpoint.start();
    onTestFinished(() => endpoint.stop());
    endpoint.replies(answerReply('{"plan": ["RR", "DD"]}'));
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify(settingsAt(endpoint.url)));
    const keys = { OPENAI_API_KEY: 'sk-1', GEMINI_API_KEY: 'sk-2', ICECORE_TRUST: new URL(endpoint.url).host };
    for (const script of blocks('sh')) {
      const { code, stderr } = await shell(`set -eo pipefail\n${script}`, cwd, keys);
      expect([script, code, code === 0 ? '' : stderr]).toEqual([script, 0, '']);
    }
    const asked = new Set(endpoint.seen.map(({ body }) => body['model']));
    expect([...asked].sort()).toEqual(['Qwen/Qwen3-4B', 'gemini-3.1-pro-preview', 'gpt-5.4', 'lora-stage-3']);
    // The larger edition contains the lakes of the smaller one, so answers are reused.
    expect(endpoint.seen.filter(({ body }) => body['model'] === 'gpt-5.4')).toHaveLength(160);
    expect(readFileSync(join(cwd, 'leaderboard.md'), 'utf8')).toMatch(/^\| policy \|/m);
  }, 60_000);

  it('refers to existing files', () => {
    const links = [...guide.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link]) => link ?? '');
    expect(links.filter((link) => !existsSync(new URL(link, docs)))).toEqual([]);
  });
});
