#!/usr/bin/env node
// The command `icecore`, in syntax that any Node since 8 can read, so that an old one can say what it lacks. A new enough Node runs the program; an
// older one starts a pinned Node instead; without a pinned Node, one line says what to type.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know the prefix.
'use strict';

const fs = require('fs');
const path = require('path');
const pinned = require('./pinned.cjs');

// Marks the second Node, so that there is never a third.
const RESTARTED = 'ICECORE_RESTARTED_FROM';

const root = path.join(__dirname, '..');

if (pinned.isNewEnough(process.versions.node)) run();
else restart();

function run() {
  // The program may start icecore with an old Node again, which has to restart itself.
  delete process.env[RESTARTED];
  const enableCompileCache = require('module').enableCompileCache;
  const cache = compileCache();
  if (enableCompileCache && cache) enableCompileCache(cache);
  // An old Node cannot parse a file that contains `import()`.
  const load = new Function('url', 'return import(url)');
  load(require('url').pathToFileURL(program()).href)
    .then((cli) => cli.main(process.argv.slice(2)))
    .then((code) => {
      // After a signal, exit now even if code of a settings file keeps a timer or a server open.
      if (code === 130 || code === 143) process.exit(code);
      process.exitCode = code;
    });
}

// Node runs code from its compile cache. By default that is in the folder for temporary files, where another user of the machine could have placed
// code, so the cache is in a folder of this user, or disabled.
function compileCache() {
  if (process.env.NODE_COMPILE_CACHE) return undefined;
  const named = process.env.XDG_CACHE_HOME || '';
  // A relative path is ignored, as the XDG specification demands: it would depend on the current folder.
  const base = path.isAbsolute(named) ? named : path.join(require('os').homedir(), '.cache');
  const folder = path.join(process.env.ICECORE_CACHE || path.join(base, 'icecore'), 'compiled');
  try {
    makeFolder(folder);
    return isOwn(fs.lstatSync(folder)) ? folder : undefined;
  } catch (_) {
    return undefined;
  }
}

// One by one: a recursive mkdir of Node never returns in /proc, which reports a missing parent but allows no new folders.
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, 0o700);
  } catch (fault) {
    // Another process may have created it meanwhile.
    if (fault.code !== 'EEXIST') throw fault;
  }
}

function isOwn(found) {
  if (!found.isDirectory()) return false;
  return !process.getuid || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

// A clone runs its sources. Node strips no types under node_modules, and a package contains only built files.
function program() {
  const source = path.join(root, 'src', 'cli', 'main.ts');
  const isInstalled = __dirname.split(path.sep).indexOf('node_modules') !== -1;
  return !isInstalled && fs.existsSync(source) ? source : path.join(root, 'dist', 'src', 'cli', 'main.js');
}

function restart() {
  const node = process.env[RESTARTED] ? undefined : pinned.pinnedNode();
  if (!node) {
    refuse();
    return;
  }
  const env = Object.assign({}, process.env);
  env[RESTARTED] = process.version;
  const args = process.execArgv.concat(__filename, process.argv.slice(2));
  pinned.become(node, args, { env }, refuse);
}

function refuse() {
  const found = `this is Node ${process.version} (${process.execPath}), and icecore needs Node ${pinned.OLDEST} or later`;
  process.stderr.write(`icecore: ${found}; ${remedy()}\n`);
  process.exitCode = 2;
}

function remedy() {
  if (!pinned.packageSpec) return 'install a newer Node';
  if (isFreshClone()) return `run npm ci in ${root}, which brings one`;
  const args = [__filename].concat(process.argv.slice(2)).map(quoted).join(' ');
  return `run: npx -y -p ${pinned.packageSpec} node ${args}`;
}

// A clone without its dependencies cannot run on any Node.
function isFreshClone() {
  return fs.existsSync(path.join(root, 'tools', 'node')) && !fs.existsSync(path.join(root, 'node_modules'));
}

// Quotes one word for the platform's shell.
function quoted(arg) {
  const isWindows = process.platform === 'win32';
  if ((isWindows ? /^[\w@+=:,./\\-]+$/ : /^[\w@%+=:,./-]+$/).test(arg)) return arg;
  return isWindows ? `"${arg.replace(/"/g, '\\"')}"` : `'${arg.replace(/'/g, "'\\''")}'`;
}
