/** Files of tests, and what they are made of: they may look into whatever they test. */
const tests = '\\.test\\.ts$|/testing/|/contract/';

// The layers of icecore: imports run down this list, never up and never in a circle. `base` holds the little that knows
// nothing of icecore, such as how threads are started, so that layers that may not import each other need not both write it.
const ground = ['^schemas/', '^src/base/'];
const layers = [
  { name: 'schemas', path: '^schemas/', may: [] },
  { name: 'base', path: '^src/base/', may: ['^schemas/'] },
  { name: 'lab', path: '^src/lab/', may: ground },
  { name: 'ledger', path: '^src/ledger/', may: ground },
  { name: 'producers', path: '^src/producers/', may: [...ground, '^src/(lab|ledger)/'] },
  { name: 'projections', path: '^src/projections/', may: [...ground, '^src/(lab|ledger|producers)/'] },
  { name: 'charts', path: '^web/charts/', may: ['^schemas/'] },
  // The page speaks to the server alone; of the schemas it takes types.
  { name: 'page', path: '^web/page/', may: ['^schemas/', '^web/charts/'] },
  { name: 'document', path: '^src/document/', may: [...ground, '^web/charts/'] },
  {
    name: 'analysis',
    path: '^src/analysis/',
    may: [...ground, '^src/(document|lab|ledger|producers|projections)/', '^web/charts/'],
  },
  {
    name: 'library',
    path: '^src/library/',
    may: [...ground, '^src/(document|lab|ledger|producers|projections|analysis)/'],
  },
  // How people reach icecore is written on the library, as a program of anybody's is.
  { name: 'server', path: '^src/server/', may: [...ground, '^src/(document|library)/'], except: tests },
  { name: 'cli', path: '^src/cli/', may: [...ground, '^src/(document|library|server)/'], except: tests },
];

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The files of packages that may be imported: Node refuses all but the `exports` of a package, where it names any; of the others
 * only the main file is for users, and what their documentation names beside it.
 */
const documented = ['ajv/dist/2020.js'];
const { dependencies, devDependencies } = require('./package.json');
const withoutExports = Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
  const file = join(__dirname, 'node_modules', name, 'package.json');
  const { exports: named, main = 'index.js', types = main } = JSON.parse(readFileSync(file, 'utf8'));
  if (named !== undefined) return [];
  return [{ name, entries: [main, types].map((entry) => entry.replace(/^\.\//, '')) }];
});
const literal = (path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers.map(({ name, path, may, except = '^$' }) => ({
      name: `${name}-looks-down-only`,
      comment: `${name} may import itself and the layers below it.`,
      severity: 'error',
      from: { path, pathNot: except },
      to: { path: '^(schemas|src|web|bench|tools|examples|test)/', pathNot: [path, ...may] },
    })),
    {
      name: 'testbed-uses-what-plugins-can-use',
      comment:
        'The testbed is written as a plugin of anybody is: with the schemas and the public entries of the library alone.',
      severity: 'error',
      from: { path: '^testbed/', pathNot: tests },
      to: {
        path: '^(src|web|bench|tools|examples|test)/',
        pathNot: '^src/document/index\\.ts$|^src/library/plugins/(index|tools)\\.ts$',
      },
    },
    {
      name: 'only-the-composition-root-has-the-testbed',
      comment: 'The package and the command line register the testbed; nothing else knows it.',
      severity: 'error',
      from: { path: '^(schemas|src|web)/', pathNot: `^src/index\\.ts$|^src/cli/main\\.ts$|${tests}` },
      to: { path: '^testbed/' },
    },
    {
      name: 'no-circles',
      comment: 'Two modules that need each other are one module, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only-sqlite-touches-sqlite',
      comment: 'A second way to the database file would drop the locks of the first.',
      severity: 'error',
      from: { path: '^(src|schemas|testbed)/', pathNot: '^src/ledger/sqlite/' },
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'only-consent-allows-programs',
      comment: 'What starts a program takes an AllowedProgram, and only the consent gate and tests make one.',
      severity: 'error',
      from: { pathNot: '^src/library/consent/programs\\.ts$|^src/lab/programs/testing/' },
      to: { path: '^src/lab/programs/allow\\.ts$' },
    },
    {
      name: 'only-the-lab-starts-programs',
      comment:
        'Programs start in one place, which takes none but an AllowedProgram. Git and the process of SQL are no programs of others.',
      severity: 'error',
      from: {
        path: '^(testbed|src/(lab|producers|analysis|library|server|cli))/',
        pathNot:
          '^src/lab/programs/|^src/library/experiment/runtime\\.ts$|^src/library/sql/process/question-process\\.ts$|^src/cli/serve/browser\\.ts$|\\.test\\.ts$|/testing/|/contract/',
      },
      to: { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      // The page is bundled with what it imports.
      from: { path: '^(src|schemas|testbed|bin|web/charts)/', pathNot: '\\.test\\.ts$|/testing/|/contract/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'no-inner-files-of-packages',
      comment: 'What a package does not document may change with any version.',
      severity: 'error',
      from: { path: '^(bin|schemas|src|testbed|web|bench|tools|examples)/' },
      to: {
        path: withoutExports.map(({ name }) => `^node_modules/${literal(name)}/`),
        pathNot: [
          ...withoutExports.flatMap(({ name, entries }) =>
            entries.map((entry) => `^node_modules/${literal(name)}/${literal(entry)}`),
          ),
          ...documented.map((path) => `^node_modules/${literal(path)}$`),
        ],
      },
    },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^node:' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
