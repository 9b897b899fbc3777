// Downloads of results from links of the service. These lead to other hosts, so no key is sent.
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import type { Transfer } from './download.ts';

/** Opens a link for `save`. Follows redirects. Throws a CliError for links that are not HTTP. */
export async function fetchLink(cli: Cli, link: string, fallbackName: string): Promise<Transfer> {
  const url = httpUrl(link);
  const place = url.host;
  const response = await fetch(url, { signal: cli.signal, headers: { accept: '*/*', 'user-agent': 'modelsvc-cli' } }).catch((error: unknown) => {
    throw broken(cli, place, error);
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    const isGone = [403, 404, 410].includes(response.status);
    const next = isGone ? 'The link may have expired. Ask for the result again.' : 'Try again later.';
    throw new CliError(`${place} refused the download with HTTP ${response.status}`, isGone ? exitCodes.notFound : exitCodes.network, next);
  }
  const length = response.headers.get('content-length');
  const isEncoded = response.headers.has('content-encoding');
  return {
    blocks: received(cli, place, response.body),
    name: nameIn(url) ?? `${fallbackName}${extensionOf(response.headers.get('content-type'))}`,
    size: length === null || isEncoded ? undefined : Number(length),
  };
}

async function* received(cli: Cli, place: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw broken(cli, place, error);
  }
}

function broken(cli: Cli, place: string, error: unknown): unknown {
  if (cli.signal.aborted) return error;
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
  return new CliError(`the download from ${place} failed: ${cause?.code ?? 'the connection broke'}`, exitCodes.network, 'Run the command again.');
}

function httpUrl(link: string): URL {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new CliError('the service returned a link that is not an HTTP URL', exitCodes.error, 'Print the result with --json to see it.');
}

/** The last segment of the path as a file name, without characters that have a meaning for a file system. */
function nameIn({ pathname }: URL): string | undefined {
  const segment = pathname.split('/').at(-1) ?? '';
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {}
  return fileName(text);
}

/** A file name from foreign text. Undefined if no character is left. */
export function fileName(text: string): string | undefined {
  const name = text
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '');
  return name === '' ? undefined : name.slice(-100);
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'audio/wav': '.wav',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
};

function extensionOf(type: string | null): string {
  return extensions[type?.split(';', 1)[0] ?? ''] ?? '';
}
