// Runs a command with the pinned Node first on the PATH: `node tools/pinned.cjs vitest run`. npm links that Node where scripts find it, but npm 10,
// which comes with Node 20, removes the link again, because it removes the packages of other platforms, all of which are called `node`.
'use strict';

const path = require('node:path');
const pinned = require('../bin/pinned.cjs');

const [command, ...args] = process.argv.slice(2);
const node = pinned.pinnedNode();

if (node || pinned.isNewEnough(process.versions.node)) {
  const folders = [path.dirname(node || process.execPath), process.env.PATH];
  const env = Object.assign({}, process.env, { PATH: folders.join(path.delimiter) });
  pinned.become(command, args, { env, shell: process.platform === 'win32' }, fail);
} else {
  fail(`this is Node ${process.version}, which is too old, and the pinned Node is not installed; run npm ci`);
}

function fail(reason) {
  console.error(`${command}: ${reason.message || reason}`);
  process.exitCode = 1;
}
