/** Sizes of the installation, and of a browser's downloads. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from '../bundles.mjs';
import { us } from '../clients.mjs';
import { downloaded, wholeFile } from '../download.mjs';

const bench = fileURLToPath(new URL('..', import.meta.url));
const root = dirname(bench.replace(/\/$/, ''));

const installs = {
  openai: ['openai'],
  anthropic: ['@anthropic-ai/sdk'],
  ai: ['ai', '@ai-sdk/openai-compatible'],
  'openapi-fetch': ['openapi-fetch'],
  undici: ['undici'],
};

export async function run() {
  const ours = packageFiles(root).reduce((sum, path) => sum + bytesOf(path), 0);
  const own = manifestOf(root).dependencies ?? {};
  const megabytes = { [us]: [(ours + closure(Object.keys(own), root)) / 1e6] };
  for (const [client, packages] of Object.entries(installs)) megabytes[client] = [closure(packages, bench) / 1e6];
  const rows = [{ title: 'installed, with dependencies', unit: 'MB', samples: megabytes, targets: [{ most: 2 }] }];
  for (const { title, target, whole, sources } of programs) {
    const samples = {};
    for (const [client, source] of Object.entries(sources))
      samples[client] = [(await (whole ? wholeFile : download)(source, client === us ? root : bench)) / 1024];
    rows.push({ title: `browser bundle, gzip: ${title}`, unit: 'KB', samples, targets: target ? [{ most: target }] : [] });
  }
  return rows;
}

/** The library's files in `npm pack`. */
function packageFiles(folder) {
  const always = readdirSync(folder).filter((name) => /^(package\.json|readme(\..*)?|licen[cs]e(\..*)?)$/i.test(name));
  return [...manifestOf(folder).files, ...always].map((name) => join(folder, name));
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Bytes of some packages and all that they depend on, each counted once. */
function closure(packages, from, seen = new Set()) {
  let bytes = 0;
  for (const name of packages) {
    const folder = findPackage(name, from);
    if (!folder || seen.has(folder)) continue;
    seen.add(folder);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder);
    const needed = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
    bytes += bytesOf(folder) + closure([...Object.keys(dependencies), ...needed], folder, seen);
  }
  return bytes;
}

function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (statSync(candidate, { throwIfNoEntry: false })) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

function bytesOf(path) {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts) return 0;
  if (!facts.isDirectory()) return facts.size;
  // A package's own node_modules are packages of their own.
  const names = readdirSync(path).filter((name) => name !== 'node_modules');
  return names.reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

async function download(source, resolveDir) {
  return (await downloaded(source, resolveDir)).reduce((sum, { bytes }) => sum + bytes, 0);
}
