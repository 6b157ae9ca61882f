// Builds dist/ for the package: JavaScript and types of src/, schemas/ and testbed/, the files that the program reads at run
// time, and the page. It starts with an empty folder, so that renamed or removed files leave no trace.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup as buildPage } from './built-page.ts';

const READ_AT_RUN_TIME = '{src,schemas,testbed}/**/*.{sql,txt,md}';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
process.exitCode = compile();
if (process.exitCode === 0) {
  copyAssets();
  await buildPage();
}

// The compiler prints its own errors, so only its exit code is passed on.
function compile(): number {
  const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript7/package.json')));
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  return status ?? 1;
}

function copyAssets(): void {
  // Test fixtures are not packaged.
  const files = globSync(READ_AT_RUN_TIME, { exclude: ['**/golden/**', '**/testing/**'] });
  for (const file of files) cpSync(file, `dist/${file}`);
}
