// The page: the files that Vite made of web/page, read once and sent from memory, so that no request names a file of this machine.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { IcecoreError } from '../../schemas/errors.ts';

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed when it is first asked for, so that a server starts without that. */
  readonly compressed: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Its name contains the digest of its content. */
  readonly isImmutable: boolean;
}

/** By path below /ui/; `index.html` is also the empty path. */
export type Page = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Null: the page is not built. */
export function readPage(): Page | null {
  const folder = pageFolder();
  return folder === null ? null : pageIn(folder);
}

/** Null: the page is not built. */
export function pageFolder(): string | null {
  // In a clone the page is built beside the sources; in the package everything is in dist.
  const folders = ['../../dist/page/', '../../page/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.find((one) => existsSync(join(one, 'index.html'))) ?? null;
}

function pageIn(folder: string): Page {
  const page = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = Uint8Array.from(readFileSync(path));
    const name = relative(folder, path).split(sep).join('/');
    // The page of one run is copied by icecore report, never sent.
    if (name.startsWith('site/')) continue;
    let packed: Uint8Array<ArrayBuffer> | undefined;
    page.set(name, {
      bytes,
      get compressed() {
        packed ??= Uint8Array.from(gzipSync(bytes));
        return packed;
      },
      type,
      isImmutable: name.startsWith('assets/'),
    });
  }
  const index = page.get('index.html');
  if (index !== undefined) page.set('', index);
  return page;
}

export const unbuilt = { remedy: 'In a clone, build it with: npm run page' };

/** The style that charts bring along: Observable Plot writes it into every SVG, and only this text is allowed there. */
export const chartStyle = 'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww=';

/** Nothing from elsewhere, nothing inline. Drawings are images, which are data. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${chartStyle}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function pageResponse(page: Page | null, path: string, request: Request): Response {
  if (page === null) throw new IcecoreError('not-found', 'the page is not built', unbuilt);
  const file = page.get(path);
  if (file === undefined)
    throw new IcecoreError('not-found', `the page has no file ${JSON.stringify(path.slice(0, 200))}`, {
      remedy: 'Open /ui/.',
    });
  const isCompressed = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  return new Response(isCompressed ? file.compressed : file.bytes, {
    headers: {
      'content-type': file.type,
      'content-security-policy': policy,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    },
  });
}
