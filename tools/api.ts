// `npm run api` writes the reports in api/, which make every change of the package's exports visible in a review. `npm run reference` writes the
// reference for people to reference/, which is not committed. Tests compare the reports and count undocumented exports.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
} from '@microsoft/api-extractor';
import { Application, type TypeDocOptions } from 'typedoc';

const root = fileURLToPath(new URL('..', import.meta.url));
const declarations = join(root, '.cache/declarations');

interface Entry {
  /** As it is imported: `icecore/plugins`. */
  readonly name: string;
  /** Without an extension: `src/library/plugins/index`. */
  readonly module: string;
}

/** The entry points in package.json. */
export function entries(): readonly Entry[] {
  const { exports: all } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(all).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: path.replace(/^\./, 'icecore'), module: target.types.replace(/^\.\/dist\/|\.d\.ts$/g, '') }],
  );
}

/** The file of an entry's report. */
export function reportOf({ name }: Entry): string {
  return join(root, 'api', `${name.replace('/', '-')}.api.md`);
}

export function writeReports(folder: string): void {
  compileDeclarations();
  mkdirSync(folder, { recursive: true });
  const configs = entries().map((entry) => configOf(entry, folder));
  const [first, ...others] = configs as [ExtractorConfig, ...ExtractorConfig[]];
  // One program of the compiler for all entries.
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  const messageCallback = (message: ExtractorMessage): void => {
    message.handled = true;
  };
  for (const config of configs) Extractor.invoke(config, { localBuild: true, compilerState, messageCallback });
}

function compileDeclarations(): void {
  rmSync(declarations, { recursive: true, force: true });
  const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript7/package.json')));
  const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', declarations];
  const { status } = spawnSync(process.execPath, [compiler, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the declarations do not compile');
}

function configOf(entry: Entry, folder: string): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(declarations, `${entry.module}.d.ts`),
      compiler: { tsconfigFilePath: join(root, 'tsconfig.json') },
      apiReport: {
        enabled: true,
        reportFolder: folder,
        reportTempFolder: join(root, '.cache/api'),
        reportFileName: reportOf(entry).slice(join(root, 'api').length + 1),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
          'ae-undocumented': { logLevel: ExtractorLogLevel.None },
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        },
      },
    },
  });
}

/** Types that only compute other types, which no program has to name. */
const intentionallyNotExported = [
  'schemas/canonical.ts:CanonicalText',
  'schemas/published.ts:Json',
  'schemas/readonly.ts:ReadonlyDeep',
  'src/lab/engineers/engineer.ts:Proposed',
  'src/ledger/seal/head.ts:Unsigned',
  'src/ledger/verify/account.ts:AccountState',
  'src/library/plugins/command.ts:Several',
  'src/library/plugins/command.ts:UsesConfig',
  'src/library/plugins/command.ts:ValueIn',
  'src/library/plugins/command.ts:ValueOf',
  'src/library/plugins/environment.ts:MaybePromise',
  'src/library/plugins/projection.ts:ColumnsOf',
  'src/library/plugins/projection.ts:RowOf',
  'src/library/sql/formats/write.ts:Format',
  'src/producers/ablation/design.ts:Started',
  'src/producers/ablation/working.ts:AblationProgress',
  'src/producers/history/run-history.ts:ParentFound',
  'src/producers/run/session.ts:RunProgress',
  'src/producers/run/shards/worker.ts:WorkProgress',
];

/** The problems of the reference: missing descriptions, and names that are not in it. */
export async function reference({ out }: { readonly out?: string } = {}): Promise<readonly string[]> {
  const options: TypeDocOptions = {
    name: 'icecore',
    entryPoints: entries().map(({ module }) => join(root, `${module}.ts`)),
    tsconfig: join(root, 'tsconfig.json'),
    readme: 'none',
    excludePrivate: true,
    // A link to a source needs a git remote, which a clone of a clone lacks.
    disableSources: true,
    validation: { notExported: true, invalidLink: true, notDocumented: true },
    intentionallyNotExported,
    requiredToBeDocumented: ['Class', 'Interface', 'Function', 'TypeAlias', 'Variable', 'Method'],
    logLevel: 'None',
    // `npm run check` finds errors of types.
    skipErrorChecking: true,
  };
  const app = await Application.bootstrap(options);
  const faults: string[] = [];
  app.logger.warn = (text) => {
    // For a zod schema, its inferred type is exported; the schema itself is internal.
    const isSchema = /^[a-z]\w*, defined in .* but not included in the documentation/.test(text);
    // Functions in properties would be reported as well; the documentation of their owner is enough.
    if (!isSchema && !text.includes(' (Property), ')) faults.push(text);
  };
  app.logger.error = (text) => void faults.push(text);
  const project = await app.convert();
  if (project === undefined) throw new Error('the reference does not compile');
  app.validate(project);
  if (out !== undefined) await app.generateDocs(project, out);
  return faults;
}

if (import.meta.filename === process.argv[1]) {
  if (process.argv[2] === 'reference') {
    const faults = await reference({ out: join(root, 'reference') });
    for (const fault of faults) console.error(fault);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } else writeReports(join(root, 'api'));
}
