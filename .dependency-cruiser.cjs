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
  {
    name: 'analysis',
    path: '^src/analysis/',
    may: [...ground, '^src/(lab|ledger|producers|projections)/', '^web/charts/'],
  },
  { name: 'charts', path: '^web/charts/', may: ['^schemas/'] },
  { name: 'server', path: '^src/server/', may: [...ground, '^src/(lab|ledger|producers|projections|analysis)/'] },
  { name: 'cli', path: '^src/cli/', may: ['^schemas/', '^src/'] },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers.map(({ name, path, may }) => ({
      name: `${name}-looks-down-only`,
      comment: `${name} may import itself and what lies below it.`,
      severity: 'error',
      from: { path },
      to: { path: '^(schemas|src|web|bench|tools|examples|test)/', pathNot: [path, ...may] },
    })),
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
      from: { path: '^(src|schemas)/', pathNot: '^src/ledger/(sqlite|eventstore/mirror)/' },
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'only-consent-allows-programs',
      comment: 'What starts a program takes an AllowedProgram, and only the consent gate and tests make one.',
      severity: 'error',
      from: { pathNot: '^src/cli/consent/programs\\.ts$|^src/lab/programs/testing/' },
      to: { path: '^src/lab/programs/allow\\.ts$' },
    },
    {
      name: 'only-the-lab-starts-programs',
      comment:
        'Programs start in one place, which takes none but an AllowedProgram. Git and the process of SQL are no programs of others.',
      severity: 'error',
      from: {
        path: '^src/(lab|producers|analysis|server|cli)/',
        pathNot:
          '^src/lab/programs/|^src/cli/experiment/about\\.ts$|^src/cli/sql/process/starting\\.ts$|\\.test\\.ts$|/testing/|/contract/',
      },
      to: { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      from: { path: '^(src|schemas|bin|web)/', pathNot: '\\.test\\.ts$|/testing/|/contract/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
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
