// What nobody uses is deleted: `npm run check:exports` looks for it. With --production it looks at the product alone, so
// that code which only tests or tools use is found as well.
import type { KnipConfig } from 'knip';

const product = process.argv.includes('--production');

export default {
  workspaces: {
    '.': {
      // `!` marks what belongs to the product.
      entry: [
        'src/index.ts!',
        'src/library/ledger.ts!',
        // What plugins are written with, and held to.
        'src/library/plugins/{index,tools}.ts!',
        'src/document/index.ts!',
        'src/library/contract/index.ts',
        'schemas/index.ts!',
        // The JSON Schemas in schemas/json/output are made of it.
        'schemas/output.ts!',
        // bin/icecore.cjs imports it by an address that it computes.
        'src/cli/main.ts!',
        // src/cli/command.ts imports these by the names of the commands.
        'src/cli/commands/*.ts!',
        // Threads and the process that answers SQL start from files of their own.
        '{src,testbed}/**/*-{thread,worker}.ts!',
        'src/library/sql/process/child.ts!',
        // index.html loads it.
        'web/page/main.tsx!',
        // Its Vite configuration names it.
        'web/page/site/main.tsx!',
        'web/page/{,site/}vite.config.ts',
        // vitest.system.config.ts names it.
        'tools/built-page.ts',
        // Programs that package.json runs.
        'tools/{api,build,check,eventstore-server,golden-ledger,npm-matrix,page-captures,report-captures,soak}.ts',
        'bench/{main,redesign/study,controls/study,controls/flagship}.ts',
        // bench/controls/study.ts starts it.
        'bench/controls/worker.ts',
        // bench/peers/run.ts starts them by their names.
        'bench/peers/{icecore.ts,emmett.mjs}',
      ],
      project: [
        '{schemas,src,testbed,web}/**/*.{ts,tsx}!',
        '{tools,bench,examples,test}/**/*.ts',
        '!**/{testing,contract}/**!',
        '!**/*.test.ts!',
      ],
    },
  },
  // A test may import a part of a module by itself: in the product, what its own module uses is used.
  ignoreExportsUsedInFile: product,
  // Tests and tools start programs of the system, such as java and strace.
  exclude: ['binaries'],
} satisfies KnipConfig;
