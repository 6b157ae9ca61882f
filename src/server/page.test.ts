// The page in a browser: only its own files, and a policy that allows no others.
import { createHash } from 'node:crypto';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { chartStyle, type Page } from './page.ts';
import { served } from './testing/served.ts';

const page: Page = new Map(
  (['', 'index.html', 'assets/main-1.js'] as const).map((path) => {
    const bytes = Uint8Array.from(Buffer.from(`content of ${path}`));
    const compressed = Uint8Array.from(Buffer.from('compressed'));
    return [path, { bytes, compressed, type: 'text/html; charset=utf-8', isImmutable: path.startsWith('assets/') }];
  }),
);

describe('the page', () => {
  it('is where the root redirects browsers, while programs get the list of routes', async () => {
    const { request, json } = await served(temporaryFolder(), { page });
    const answer = await request('/', { headers: { accept: 'text/html,*/*' } });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/ui/']);
    expect(await json('/')).toMatchObject({ name: 'icecore' });
  });

  it('has a content security policy that allows only its own scripts', async () => {
    const { request } = await served(temporaryFolder(), { page });
    const { headers } = await request('/ui/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it('marks files with a digest in their name as immutable', async () => {
    const { request } = await served(temporaryFolder(), { page });
    expect((await request('/ui/assets/main-1.js')).headers.get('cache-control')).toContain('immutable');
  });

  it('is compressed if the browser accepts it', async () => {
    const { request } = await served(temporaryFolder(), { page });
    const answer = await request('/ui/', { headers: { 'accept-encoding': 'gzip, br' } });
    expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual(['gzip', 'compressed']);
    expect(await (await request('/ui/')).text()).toBe('content of ');
  });

  it.each(['/ui/../app.ts', '/ui/%2e%2e/app.ts', '/ui/..%2f..%2fpackage.json', '/ui/nothing.js', '/ui/assets/'])(
    'has no file %s',
    async (path) => {
      const { request } = await served(temporaryFolder(), { page });
      const answer = await request(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    },
  );

  it('responds with the build command if it is not built', async () => {
    const { json } = await served(temporaryFolder());
    expect(await json('/ui/')).toMatchObject({
      error: { kind: 'not-found', remedy: expect.stringContaining('npm run page') },
    });
  });
});

it('the hash of the allowed inline style is that of the chart library', () => {
  const { document } = parseHTML('<html><body></body></html>');
  const drawn = Plot.plot({ document, marks: [Plot.dot([[1, 2]])] });
  const style = drawn.querySelector('style')?.textContent ?? '';
  expect(`sha256-${createHash('sha256').update(style).digest('base64')}`).toBe(chartStyle);
});
