// Makes dist/ what a package needs: JavaScript and types of src/, schemas/ and testbed/, and the files the program reads at run
// time. It starts from nothing, so that what was renamed or removed leaves no trace in a package.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const READ_AT_RUN_TIME = '{src,schemas,testbed}/**/*.{sql,txt,md}';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
process.exitCode = compile();
if (process.exitCode === 0) copyAssets();

// The compiler's own messages say what is wrong, so its exit code is all there is to pass on.
function compile(): number {
  const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
  return status ?? 1;
}

function copyAssets(): void {
  // What tests compare with is for the clone alone.
  const files = globSync(READ_AT_RUN_TIME, { exclude: ['**/golden/**', '**/testing/**'] });
  for (const file of files) cpSync(file, `dist/${file}`);
}
