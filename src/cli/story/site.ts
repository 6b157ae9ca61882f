// `icecore report --site`: a folder with the page of one run, which opens from disk without a server.
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Report } from '../../../schemas/report-output.ts';
import { makeFolder } from '../../base/folders.ts';
import { counted, size } from '../../base/quantity.ts';
import { writeWhole } from '../../base/write-whole.ts';
import { chartStyle, pageFolder } from '../../server/page.ts';
import type { Context } from '../context.ts';
import { siteAnswers } from './site-answers.ts';

/** What the build made, under the names that it has in a site. */
const built = ['page.js', 'page.css', 'icon.svg'] as const;

export async function writeSite(
  { workspace, signal, say }: Pick<Context, 'workspace' | 'signal' | 'say'>,
  folder: string,
  report: Report,
  all: boolean,
): Promise<void> {
  const page = pageFolder();
  if (page === null)
    throw new IcecoreError('not-found', 'the page is not built', { remedy: 'In a clone, build it with: npm run page' });
  const { run } = report.run;
  await requireOwnSite(folder, run);
  const { answers, rollouts, missing } = await siteAnswers(workspace, { report, all, signal });
  makeFolder(folder);
  const data = scriptOf(answers);
  await writeWhole(join(folder, 'data.js'), data);
  for (const name of built) await writeWhole(join(folder, name), await readFile(join(page, 'site', name)));
  // The last one: a folder with it is complete.
  await writeWhole(join(folder, 'index.html'), indexOf(report));
  await say(
    `wrote ${join(folder, 'index.html')}, with ${size(Buffer.byteLength(data))} of data and ${counted(rollouts, 'rollout')}` +
      (missing === 0 ? '' : `; ${counted(missing, 'cited rollout')} could not be included`),
  );
}

/** Throws where the folder has anything, unless it is an older site of this run. */
async function requireOwnSite(folder: string, run: string): Promise<void> {
  const names = await readdir(folder).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return [];
    if (fault.code === 'ENOTDIR') throw refused(folder, 'is a file');
    throw fault;
  });
  if (names.length === 0) return;
  if (!(await startOf(join(folder, 'index.html'))).includes(`content="${markOf(run)}"`))
    throw refused(folder, 'has files, and is no site of this run');
}

function refused(folder: string, why: string): IcecoreError {
  return new IcecoreError('conflict', `${folder} ${why}`, {
    facts: { path: folder, field: '--site' },
    remedy: 'Name an empty folder, or one that does not exist yet.',
  });
}

/** Empty of what is no regular file. */
async function startOf(path: string): Promise<string> {
  const file = await open(path).catch(() => null);
  if (file === null) return '';
  try {
    if (!(await file.stat()).isFile()) return '';
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2048), 0, 2048, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function markOf(run: string): string {
  return `icecore report --site of ${run}`;
}

/** Only its own files and drawings, and no network; `file:` is what some browsers call the folder of a page from disk. */
const policy = [
  "default-src 'none'",
  "script-src 'self' file:",
  `style-src 'self' file: '${chartStyle}'`,
  "img-src 'self' file: data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function indexOf({ run: { run, name } }: Report): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="generator" content="${markOf(run)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${inHtml(name)}: icecore</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="page.css" />
    <script defer src="data.js"></script>
    <script defer src="page.js"></script>
  </head>
  <body>
    <div id="page"></div>
    <noscript>This page needs JavaScript. <code>icecore report</code> without --site writes a file that needs none.</noscript>
  </body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function inHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => entities[one] ?? one);
}

/**
 * The answers as a script. They are a text that the script parses, so that no name in them, such as `__proto__`, means anything to
 * it; in the text nothing ends a script, a line or the text itself.
 */
export function scriptOf(answers: unknown): string {
  const text = JSON.stringify(answers).replace(/[\\'<>\u2028\u2029]/g, (one) =>
    one === '\\' || one === "'" ? `\\${one}` : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `window.icecoreAnswers = JSON.parse('${text}');\n`;
}
