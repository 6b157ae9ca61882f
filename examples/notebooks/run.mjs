// Runs a JavaScript notebook in Node instead of Deno: its cells as one module, with the npm: packages installed next to this
// file. Node 24 or later:
//
//     node run.mjs decisions.ipynb                      prints what the cells show, as text
//     node run.mjs decisions.ipynb --save done.ipynb    writes the notebook with its outputs
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { save: { type: 'string' } } });
const [path] = positionals;
if (path === undefined) {
  console.error('Which notebook? node run.mjs decisions.ipynb');
  process.exit(2);
}
const notebook = JSON.parse(readFileSync(path, 'utf8'));
const cells = notebook.cells.filter((cell) => cell.cell_type === 'code');
const url = pathToFileURL(path).href;

/** The running cell, counted from 1. */
let running = 0;
globalThis.nextCell = () => {
  running += 1;
  Object.assign(cells[running - 1], { execution_count: running, outputs: [] });
};

/** Deno's function for the output of notebooks. */
const display = async (data) => {
  if (values.save === undefined) console.log(data['text/plain']);
  else cells[running - 1].outputs.push({ output_type: 'display_data', data: asLines(data), metadata: {} });
};
globalThis.Deno = { jupyter: { display } };

registerHooks({
  resolve: (specifier, context, next) => {
    const [, name] = /^npm:(@?[^@]+)/.exec(specifier) ?? [];
    return name === undefined ? next(specifier, context) : next(name, { ...context, parentURL: import.meta.url });
  },
  load: (loaded, context, next) => {
    if (loaded !== url) return next(loaded, context);
    const source = cells.map((cell) => `nextCell();\n${[cell.source].flat().join('')}\n`).join('');
    return { format: 'module', source, shortCircuit: true };
  },
});

try {
  await import(url);
} catch (fault) {
  console.error(running === 0 ? `${path} cannot be loaded` : `cell ${running} of ${path} failed`);
  throw fault;
}
if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(notebook, null, 1)}\n`);

/** Notebook files store text as lists of lines, so that diffs are readable. */
function asLines(data) {
  return Object.fromEntries(Object.entries(data).map(([type, text]) => [type, text.split(/(?<=\n)/)]));
}
