/** A browser's downloads for a program: bundled with code splitting, run, and each chunk counted that the program asked for. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const page = fileURLToPath(new URL('page.mjs', import.meta.url));

/** The files that running the program loads, each with its size in gzipped bytes. Libraries are resolved from `resolveDir`. */
export async function downloaded(program, resolveDir) {
  const chunks = (await bundle(program, resolveDir, { splitting: true })).map(({ path, contents, text }) => ({
    name: basename(path),
    text,
    bytes: zipped(contents),
  }));
  const folder = await mkdtemp(join(tmpdir(), 'download-'));
  try {
    for (const { name, text } of chunks) await writeFile(join(folder, name), `globalThis.downloads.push('${name}');\n${text}`);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const { stdout } = await promisify(execFile)(process.execPath, [page, join(folder, 'stdin.js')]);
    const loaded = new Set(JSON.parse(stdout));
    return chunks.filter(({ name }) => loaded.has(name)).map(({ name, text, bytes }) => ({ name, text, bytes }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gzipped bytes of a program as one file, with all that it might load later. `platform` is esbuild's. */
export async function wholeFile(program, resolveDir, platform = 'browser') {
  const [file] = await bundle(program, resolveDir, { platform });
  return zipped(file.contents);
}

/** A package can import itself by name, so the library is resolved from its own root. */
async function bundle(program, resolveDir, options) {
  const result = await build({
    stdin: { contents: program, resolveDir, loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
    outdir: 'out',
    logLevel: 'silent',
    // As a user's project has it: our own path mapping stays out.
    tsconfigRaw: {},
    ...options,
  });
  return result.outputFiles;
}

function zipped(contents) {
  return gzipSync(contents, { level: 9 }).length;
}
