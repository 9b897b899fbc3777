import { withoutSecrets } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { hooksOf } from '../../client.ts';
import { usageError } from '../../errors/exit.ts';
import { rawRequest } from './fields.ts';
import { printReply } from './reply.ts';
import { placeOf, rawCall } from './surface.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const run: Handler = async (cli, input) => {
  const method = input.arg(0).toUpperCase();
  if (!methods.includes(method)) throw usageError(`METHOD must be one of ${methods.join(', ')}, not ${JSON.stringify(input.arg(0))}`);
  if (/^[a-z][a-z\d+.-]*:/i.test(input.arg(1)))
    throw usageError('PATH must be a path such as /chat/completions, not a URL', 'Select the host with --region or --base-url.');
  const { path, surface } = placeOf(input.arg(1));
  const { query, body, headers } = await rawRequest(cli.screen, method, input);
  // The bindings return a failed reply as a value; only hooks get its error.
  let failure: unknown;
  const hooks = [...(await hooksOf(cli)), { onEnd: (_meta: unknown, { error }: { readonly error: unknown }) => void (failure = error) }];
  const client = (await cli.make.client()).with({ hooks });
  const { response, error } = await rawCall(client, surface)(method, path, {
    headers,
    params: { query: query ?? {} },
    ...(body !== undefined && { body, bodySerializer: (text: string) => text }),
    parseAs: 'stream',
    signal: cli.signal,
  });
  if (!response.ok) {
    await printBody(cli, error);
    throw failure ?? usageError(`${method} ${path} failed with status ${response.status}`);
  }
  await printReply(cli, response, path);
};

async function printBody(cli: Cli, body: unknown): Promise<void> {
  if (body === undefined || body === '') return;
  // A server may quote the credential.
  const { apiKey } = await cli.make.credential();
  const value = withoutSecrets(body, [apiKey]);
  await cli.screen.result(value, () => (typeof value === 'string' ? cli.screen.clean(value) : cli.screen.json(value, 2)));
}
