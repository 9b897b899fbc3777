import { statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { isModelsvcError } from 'modelsvc';
import { type FakeRequest, type FakeService, type Fault, type Reply, type ScriptedOperation, startFakeService } from 'modelsvc/testing';
import type { Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { isLoopback } from '../../hosts.ts';
import { checked, type NamedFault, namedFaults } from './faults.ts';
import { RequestLog } from './request-log.ts';

const defaultPort = 4010;
/** Options for the rules of the fake, which a recording replaces. */
const ofRules = ['reply', 'fault', 'fault-once', 'at-once', 'key', 'models', 'no-validate'];

export const run: Handler = async (cli, input) => {
  const port = input.number('port') ?? defaultPort;
  const keys = input.list('key');
  const always = input.list('fault').flatMap((text) => namedFaults('--fault', text));
  const once = input.list('fault-once').flatMap((text) => namedFaults('--fault-once', text));
  const atOnce = input.number('at-once');
  if (port < 0 || port > 65_535) throw usageError(`--port must be a port from 0 to 65535, not ${port}`);
  const replay = input.text('replay');
  const unfit = replay === undefined ? undefined : ofRules.find((name) => name in input.given);
  if (unfit !== undefined) throw usageError(`--replay and --${unfit} exclude each other`, 'A recording answers as it was recorded: leave one out.');
  if (replay !== undefined && statSync(replay, { throwIfNoEntry: false })?.isFIFO())
    throw usageError(`--replay: ${replay} is a pipe`, 'Pass the path of a file.');
  using log = new RequestLog(cli.screen, input.text('log'));
  const host = input.text('host');
  const fake = await started({
    port,
    host,
    keys: keys.length > 0 ? keys : 'any',
    validate: !input.flag('no-validate'),
    models: input.text('models') === 'known' ? 'known' : 'any',
    echo: true,
    keepRequests: 100,
    keepBytes: 64 * 1024 * 1024,
    replay,
    onEnd: (request) => log.add(request),
  });
  const replies = [...input.list('reply')];
  const answer = (request: FakeRequest): Reply | Fault | undefined => {
    const next = once.find((one) => fits(one, request));
    if (next) once.splice(once.indexOf(next), 1);
    const found = next ?? always.find((one) => fits(one, request));
    if (found) log.breaks(request, found.text);
    return found?.fault ?? replyTo(request, replies);
  };
  fake.fallback('*', answer);
  try {
    // Sets no answer: the script of the fake checks the name of the operation.
    for (const { place, text, operation } of [...always, ...once])
      if (operation !== '*') checked(place, text, () => fake.fallback(operation as ScriptedOperation, undefined));
    if (atOnce !== undefined) fake.capacity({ atOnce });
    if (cli.screen.isText) await cli.screen.piece(`${fake.url}\n`);
    else await cli.screen.event({ url: fake.url, pid: process.pid });
    const isOpen = host !== undefined && !isLoopback(host);
    if (isOpen) cli.screen.warn(`everyone who can reach ${reachable(host, fake.url)} can read what the mock is sent, also keys, without encryption`);
    cli.screen.note(
      `Point a client at it with endpoints (modelsvc), ${isOpen ? '' : '--base-url (this program), '}or as its base URL. Ctrl-C ends it.`,
    );
    await new Promise<void>((resolve) => cli.signal.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    await fake.close();
  }
};

/** The URL, or for the address of all networks one URL each. */
function reachable(host: string, url: string): string {
  if (!/^(?:0\.0\.0\.0|::)$/.test(host)) return url;
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ family, internal }) => family === 'IPv4' && !internal));
  return addresses.map(({ address }) => url.replace(/\/\/.*(?=:)/, `//${address}`)).join(', ') || url;
}

async function started(options: Parameters<typeof startFakeService>[0] & { readonly port: number }): Promise<FakeService> {
  try {
    return await startFakeService(options);
  } catch (error) {
    if (options.replay !== undefined && isModelsvcError(error, 'validation'))
      throw usageError(`--replay: ${error.path} ${error.problem}`, error.advice || 'Record it again with recordExchanges.');
    const { code } = error as NodeJS.ErrnoException;
    if (
      code === 'EADDRNOTAVAIL' ||
      code === 'ENOTFOUND' ||
      code === 'EAI_AGAIN' ||
      (options.host !== undefined && isModelsvcError(error, 'validation'))
    )
      throw usageError(`--host: ${options.host} is not an address of this machine`, 'Pass 0.0.0.0 for all networks, or leave --host out.');
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw new CliError(`port ${options.port} is taken or not allowed (${code})`, exitCodes.error, 'Choose another with --port.');
    throw error;
  }
}

function fits({ operation }: NamedFault, request: FakeRequest): boolean {
  return operation === '*' || operation === request.operation;
}

/** The next text of `--reply`, if the request is for a chat answer or a message. */
function replyTo({ operation }: FakeRequest, replies: string[]): { readonly turn: { readonly text: string } } | undefined {
  if (operation !== 'chat.create' && operation !== 'anthropic.create') return undefined;
  const text = replies.shift();
  return text === undefined ? undefined : { turn: { text } };
}
