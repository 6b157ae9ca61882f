// Checks that the links of the documentation lead to existing files and headings, and that its index names every page.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = globSync(['*.md', 'docs/*.md', 'examples/*/README.md'], { cwd: root });

/** Without code, where brackets and # have other meanings. */
function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8').replace(/^ *```.*?^ *```$/gms, '');
}

function linksIn(page: string): readonly string[] {
  return [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** The anchors that GitHub gives to headings. */
function anchorsIn(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9_ -]/g, '')
      .replaceAll(' ', '-'),
  );
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : join(dirname(page), file);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsIn(target).includes(anchor);
}

it.each(pages)('every link of %s leads to a file or heading', (page) => {
  const links = linksIn(page).filter((link) => !/^(https?|mailto):/.test(link));
  expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});

it('the index names every page', () => {
  const named = linksIn('docs/README.md').map((link) => join('docs', link));
  const others = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(others.filter((page) => !named.includes(page))).toEqual([]);
});
